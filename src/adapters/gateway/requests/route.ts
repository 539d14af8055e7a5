// The declaration of a route: name, required permission, weight, parameters, description and handler. Everything else
// is derived from it: the mounted path, the OpenAPI document, the method name in order sessions, the example. routes.ts
// lists the groups of routes. This file also reads requests, and catches the refusals that are thrown while a request
// is read.

import type * as z from "zod";
import type { NeededByType } from "../../../../schemas/http/needed-by-type.ts";
import type { RateTier } from "../../../core/accounts.ts";
import { isUuid } from "../../../core/ids/public-id.ts";
import type { SessionState } from "../../../engine/state/tables/session-table.ts";
import type { Weight } from "../../../services/access/request-weight.ts";
import type { RequestParameters } from "../../../services/access/signed-request.ts";
import { nativeFaults } from "../native/error-map.ts";
import type { HttpCall, Method } from "../server/http-call.ts";
import {
  compatFault,
  nativeFault,
  orderReader,
  parameterReader,
  readBody,
  textFault,
} from "./read-request.ts";
import { type RouteContext, storeFault } from "./route-context.ts";
import { Refusal, refuse, refused, retired, type SurfaceError } from "./surface-error.ts";
import { nativePrefix, type SurfaceView } from "./surface-view.ts";

/** The API key of an authenticated request, and the account for which it acts. */
export interface Caller {
  readonly account: number;
  readonly keyId: number;
  readonly tier: RateTier;
}

/**
 * The authentication a route requires. Binance-style surfaces: `none`; `key` for a key with READ in the header without
 * a signature (listen keys); `read`, `trade` or `transfer` for a request signed by a key with that permission, where
 * `trade` means spot or perpetuals by the route's path. Native surface: `none`; `login` for no authentication, but with
 * the rate limit of logins; `session` for the token of a wallet session.
 */
export type Security = "none" | "key" | "read" | "trade" | "transfer" | "login" | "session";

/** `GET /v1/orders/{order_id}`: path parameters are in braces. */
export type RouteName = `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;

/** The options of a route; all except `summary` may be omitted. */
interface RouteOptions {
  /** One sentence that says what the route returns or does: its title in the API reference. */
  readonly summary: string;
  /** Request weight; default 1. It is charged to the address if the request is anonymous. */
  readonly weight?: Weight;
  /** A successful call costs no weight; a refused one does. Spec LIM-34. */
  readonly isFreeIfDone?: true;
  /** Number of orders that a call counts as: fixed, or computed from the parameters (a batch). */
  readonly orders?: number | ((parameters: RequestParameters) => number);
  /** The only view that has this route; by default both views of the Binance-style surfaces have it. */
  readonly onlyIn?: SurfaceView;
  /** The route is mounted only with development tools. */
  readonly isForDevelopment?: true;
  /**
   * The route refuses unlisted parameters, because ignoring one could place another order than intended. Spec ERR-32.
   */
  readonly isStrict?: true;
  /** The route answers faults of the query as plain text, as klines does. */
  readonly hasTextFaults?: true;
  /** The timestamp is optional on an authenticated connection; if it is sent, it is checked. */
  readonly isTimeless?: boolean;
  /** The route's path parameters are UUIDs; any other text is refused before other checks. */
  readonly isByUuid?: true;
  /**
   * Doing the route's work twice does no harm, so it waits for an absent database: it is the same work by its key or by
   * the state it leaves. Reads always wait. Spec ERR-48.
   */
  readonly isRepeatable?: true;
  /** Binance has retired the route; with COMPAT_STRICT the compat view answers 410 too. Spec CMP-39. */
  readonly isRetired?: true;
  /** The route answers 204 without a body. */
  readonly isSilent?: true;
  /** Name of the route's method in order sessions. */
  readonly session?: string;
  /** The query or form of the route's example, or the body under /v1, for a shell command; see example.ts. */
  readonly example?: string;
  /** Value of the path parameter in the example. */
  readonly exampleName?: string;
  /** The whole shell command of the example, if it is more than one request. */
  readonly exampleLine?: string;
  /**
   * What the example needs that a reader of the page does not have, so that the venue refuses it as printed. Spec DOC-18.
   */
  readonly exampleNeeds?: ExampleNeeds;
  /** The parameters that each order type needs, beyond those that are always required. */
  readonly neededByType?: NeededByType;
  /** Error answers of the route by status, except those that all routes of its surface share. */
  readonly faults?: Readonly<Record<number, string>>;
  /** The form of the route's answer, if it cannot be derived from one recorded answer; see openapi.ts. */
  readonly form?: AnswerForm;
}

/** Why an example is refused as printed. */
interface ExampleNeeds {
  /** What is missing, as the end of "It needs …". */
  readonly what: string;
  /** The error message of the refusal. */
  readonly refusal: string;
}

/**
 * `rows`: one row or a list of rows, any field of which may be missing. `byAsset`: an object with one field per asset,
 * named after it. `svg`, `text`: an answer that is not JSON. `optional`: the field that may be missing.
 */
export type AnswerForm = "rows" | "byAsset" | "svg" | "text" | { readonly optional: string };

/** The input of a route: parameters of a query or form, or a JSON body under /v1. */
interface Takes<S> {
  readonly reads?: S;
  readonly body?: S;
}

/** A route without its handler. */
export interface RouteTerms extends Omit<RouteOptions, "weight">, Takes<z.ZodObject> {
  readonly name: RouteName;
  readonly method: Method;
  /**
   * Path of the route as documented; the compat view adds its prefix. `call.view` says through which view a call came.
   */
  readonly path: string;
  readonly security: Security;
  readonly weight: Weight;
}

/** Decoded values of the path parameters. */
export type PathNames = Readonly<Record<string, string>>;

/** The authenticated caller: none, a key, or a wallet session, as the route's security requires. */
export type Principal = Caller | SessionState | null;

/** A route of one front. It answers every call: immediately, or when a reply or a row arrives. */
export interface Route extends RouteTerms {
  answer(call: HttpCall, parameters: RequestParameters, by: Principal, names?: PathNames): void;
}

/** The fields of a route that its checks need. Methods of order sessions have only these fields. */
export type CheckedRoute = Pick<
  Route,
  | "method"
  | "path"
  | "security"
  | "weight"
  | "isFreeIfDone"
  | "orders"
  | "isTimeless"
  | "hasTextFaults"
  | "answer"
>;

/** The path parameters, which a handler receives with the other parameters. */
type Named<Name> = Name extends `${string}{${infer First}}${infer Rest}`
  ? { readonly [K in First]: string } & Named<Rest>
  : unknown;
type ParamsOf<S, Name> = (S extends z.ZodObject ? z.output<S> : unknown) & Named<Name>;

/** The result of a route: a JSON text, null for no content (204), or a refusal. */
export type Outcome = string | null | SurfaceError;

/**
 * Arguments of a handler: shared parts, the call, its parsed parameters, the caller, and the raw parameters.
 */
type HandlerArguments<Parts, A, By> = [
  parts: Parts,
  call: HttpCall,
  params: A,
  by: By,
  parameters: RequestParameters,
];

type Answering<Parts, A, By> = (
  ...args: HandlerArguments<Parts, A, By>
) => Outcome | Promise<Outcome>;
type Handling<Parts, A, By> = (...args: HandlerArguments<Parts, A, By>) => void;

/**
 * The handler of a route. `answer` returns the text of the answer; `handle` takes the call and answers it later, when a
 * reply arrives.
 */
type Handlers<Parts, A, By> = {
  /** A check that can refuse the request before its parameters are read. */
  readonly before?: (parts: Parts, by: By, call: HttpCall) => void;
} & (
  | { readonly answer: Answering<Parts, A, By>; readonly handle?: never }
  | { readonly handle: Handling<Parts, A, By>; readonly answer?: never }
);

/** A declared route, whose handlers receive `Parts`. */
export interface Declared<Parts> {
  readonly terms: RouteTerms;
  readonly handlers: Handlers<Parts, never, never>;
}

function declaring<By>(security: Security) {
  return <Parts, const Name extends RouteName, S extends z.ZodObject | undefined = undefined>(
    name: Name,
    route: RouteOptions & Takes<S> & Handlers<Parts, ParamsOf<S, Name>, By>,
  ): Declared<Parts> => {
    const { before, answer, handle, ...options } = route;
    const [method, path] = name.split(" ") as [Method, string];
    const terms = { weight: 1, ...options, name, method, path, security };
    return { terms: terms as RouteTerms, handlers: { before, answer, handle } as never };
  };
}

export const openRoute = declaring<null>("none");
export const loginRoute = declaring<null>("login");
export const keyRoute = declaring<Caller>("key");
export const readRoute = declaring<Caller>("read");
export const tradeRoute = declaring<Caller>("trade");
export const transferRoute = declaring<Caller>("transfer");
export const sessionRoute = declaring<SessionState>("session");

/** Routes whose handlers share parts. `mount` creates the parts and the routes of one front. */
export interface RouteGroup {
  readonly routes: readonly RouteTerms[];
  mount(context: RouteContext): readonly Route[];
}

/** Groups routes whose handlers receive the parts that `make` creates once for each front. */
export function routeGroup<Parts>(make: (context: RouteContext) => Parts) {
  return (declared: ReadonlyArray<Declared<Parts>>): RouteGroup => ({
    routes: declared.map(({ terms }) => terms),
    mount: (context) => {
      const parts = make(context);
      return declared.map((route) => mounted(route, parts, context));
    },
  });
}

type Read = (call: HttpCall, parameters: RequestParameters, names: PathNames) => object;

/** The reader of a route's requests. */
function readerOf({ path, reads, body, isStrict, hasTextFaults, isByUuid }: RouteTerms): Read {
  if (!path.startsWith(nativePrefix)) {
    if (reads === undefined) return (_, __, names) => names;
    const fault = hasTextFaults ? textFault : compatFault;
    const read = isStrict ? orderReader(reads) : parameterReader(reads, fault);
    return (_, parameters) => read(parameters);
  }
  const readQuery = reads === undefined ? undefined : parameterReader(reads, nativeFault);
  return (call, parameters, names) => {
    if (isByUuid && !Object.values(names).every(isUuid)) refused(nativeFaults.badUuid);
    const params = body === undefined ? readQuery?.(parameters) : readBody(body, call);
    return { ...names, ...params };
  };
}

const unnamed: PathNames = {};

/** Creates the route on a front. It catches refusals that are thrown while a request is read, and answers with them. */
function mounted<Parts>({ terms, handlers }: Declared<Parts>, parts: Parts, context: RouteContext) {
  if (terms.isRetired && context.isStrict) return gone(terms);
  const { before, answer, handle } = handlers as Handlers<Parts, object, Principal>;
  const read = readerOf(terms);
  const failed = (call: HttpCall, fault: unknown) => {
    if (fault instanceof Refusal) {
      refuse(call, fault.error);
      return;
    }
    context.log.error({ err: fault, path: call.path }, "failed to answer a request");
    refuse(call, storeFault(context, call, fault));
  };
  const mayRepeat = terms.isRepeatable === true || terms.method === "GET";
  const route: Route = {
    ...terms,
    answer: (call, parameters, by, names = unnamed) => {
      try {
        before?.(parts, by, call);
        const params = read(call, parameters, names);
        handle?.(parts, call, params, by, parameters);
        if (answer === undefined) return;
        const work = () => answer(parts, call, params, by, parameters);
        const text = work();
        if (text instanceof Promise) {
          const made = mayRepeat ? context.storeWait.result(call, text, work) : text;
          made.then((read) => answerWith(call, read)).catch((fault) => failed(call, fault));
        } else answerWith(call, text);
      } catch (fault) {
        // An error other than a refusal is a bug and ends the thread.
        if (!(fault instanceof Refusal)) throw fault;
        refuse(call, fault.error);
      }
    },
  };
  return route;
}

/** The route in strict mode: nobody can use it any more, so it asks for no key. */
function gone(terms: RouteTerms): Route {
  return { ...terms, security: "none", answer: (call) => refuse(call, retired) };
}

function answerWith(call: HttpCall, outcome: Outcome): void {
  if (typeof outcome === "string") call.json(outcome);
  else if (outcome === null) call.done();
  else refuse(call, outcome);
}
