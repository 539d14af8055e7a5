// The declaration of a route: its name, who may use it, what it costs and takes, what it says of itself, and how it is
// answered. Everything else is made of it: where it is mounted, its weight, the OpenAPI document, its name over order
// sessions, its example. routes.ts lists the groups. Here a request is read, and here alone a refusal that was thrown
// while it was read is caught.

import type * as z from "zod";
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
import { Refusal, refuse, refused, type SurfaceError } from "./surface-error.ts";
import { nativePrefix, type SurfaceView } from "./surface-view.ts";

/** Who signed a request. */
export interface Caller {
  readonly account: number;
  readonly keyId: number;
  readonly tier: RateTier;
}

/**
 * Who may use a route. Of the Binance-style surfaces: anybody, a request that names a key with READ and proves nothing
 * (listen keys), a signed request of a key with READ or with TRADE. Of the native one: anybody, anybody within the
 * limit of logins, who has the token of a wallet session.
 */
export type Security = "none" | "key" | "read" | "trade" | "login" | "session";

/** `GET /v1/orders/{order_id}`: names of a path stand in braces. */
export type RouteName = `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;

/** What a route says of itself; what is left out has its plain case. */
interface RouteOptions {
  /** What it answers or does, as the summary of a page. */
  readonly summary: string;
  /** Request weight, of the address where nobody is known; 1 where it is left out. */
  readonly weight?: Weight;
  /** How many orders a call counts as, or how that follows from the parameters (a batch). */
  readonly orders?: number | ((parameters: RequestParameters) => number);
  /** The one view that has this route; both Binance-style views have it otherwise. */
  readonly onlyIn?: SurfaceView;
  /** Mounted with development tools alone. */
  readonly isForDevelopment?: true;
  /** Parameters beyond those listed are refused: they could mean another order. Spec ERR-32. */
  readonly isStrict?: true;
  /** Faults of the query are answered as plain text (specification: klines). */
  readonly hasTextFaults?: true;
  /** Over a connection that has proved its key it needs no timestamp; one that is sent counts. */
  readonly isTimeless?: boolean;
  /** The names in its path are UUIDs; what is none is refused before anything else is looked at. */
  readonly isByUuid?: true;
  /** Answers 204: that it is done is all there is to say. */
  readonly isSilent?: true;
  /** Its name over an order session. */
  readonly session?: string;
  /** Its query or form, or its body under /v1, as words for a shell; see example.ts. */
  readonly example?: string;
  /** What stands for the name in its path in the example. */
  readonly exampleName?: string;
  /** The whole example, where it is more than a request. */
  readonly exampleLine?: string;
  /** Answers that are no 200 and not those of all its kind, by status. */
  readonly faults?: Readonly<Record<number, string>>;
  /** What the form of its answer is where one answer does not show it; see openapi.ts. */
  readonly form?: AnswerForm;
}

/** `rows`: one row or a list of rows, any field of which may be missing. `byAsset`: its fields are names of assets. */
export type AnswerForm = "rows" | "byAsset" | "svg" | "text" | { readonly optional: string };

/** What a route takes: parameters of a query or form, or under /v1 a JSON body. */
interface Takes<S> {
  readonly reads?: S;
  readonly body?: S;
}

/** A route without its handler. */
export interface RouteTerms extends Omit<RouteOptions, "weight">, Takes<z.ZodObject> {
  readonly name: RouteName;
  readonly method: Method;
  /** As documented; the compat view has it under its prefix. Which view a call came through is `call.view`. */
  readonly path: string;
  readonly security: Security;
  readonly weight: Weight;
}

/** Values of the names in a path, decoded. */
export type PathNames = Readonly<Record<string, string>>;

/** Who asks: nobody in particular, a key, or a wallet session, as the route's security says. */
export type Principal = Caller | SessionState | null;

/** A route of one front: it answers every call it is given, now or when a reply or a row arrives. */
export interface Route extends RouteTerms {
  answer(call: HttpCall, parameters: RequestParameters, by: Principal, names?: PathNames): void;
}

/** What of a route the checks before it need; the methods that order sessions have alone are no more than that. */
export type CheckedRoute = Pick<
  Route,
  "method" | "path" | "security" | "weight" | "orders" | "isTimeless" | "hasTextFaults" | "answer"
>;

/** The names in a path, which a handler is given among what was asked. */
type Named<Name> = Name extends `${string}{${infer First}}${infer Rest}`
  ? { readonly [K in First]: string } & Named<Rest>
  : unknown;
type ParamsOf<S, Name> = (S extends z.ZodObject ? z.output<S> : unknown) & Named<Name>;

/** What a route comes to: a JSON text, null for nothing to say (204), or a refusal. */
export type Outcome = string | null | SurfaceError;

/** What a handler is handed: what is shared, the call, what was asked and by whom, and all that was sent. */
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

/** How a route is answered: with a text, or by taking the call and answering it when a reply is there. */
type Handlers<Parts, A, By> = {
  /** Refuses before anything is read. */
  readonly before?: (parts: Parts, by: By, call: HttpCall) => void;
} & (
  | { readonly answer: Answering<Parts, A, By>; readonly handle?: never }
  | { readonly handle: Handling<Parts, A, By>; readonly answer?: never }
);

/** A declared route, whose handlers are given `Parts`. */
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
export const sessionRoute = declaring<SessionState>("session");

/** Routes with what their handlers share on one front. */
export interface RouteGroup {
  readonly routes: readonly RouteTerms[];
  mount(context: RouteContext): readonly Route[];
}

/** Groups routes whose handlers are given what `make` makes once for each front. */
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

/** What reads a request of the route. */
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

/** The route on a front; the one place where what is refused by throwing is caught. */
function mounted<Parts>({ terms, handlers }: Declared<Parts>, parts: Parts, context: RouteContext) {
  const { before, answer, handle } = handlers as Handlers<Parts, object, Principal>;
  const read = readerOf(terms);
  const failed = (call: HttpCall, fault: unknown) => {
    if (fault instanceof Refusal) {
      refuse(call, fault.error);
      return;
    }
    context.log.error({ err: fault, path: call.path }, "a request could not be answered");
    refuse(call, storeFault(context, call, fault));
  };
  const route: Route = {
    ...terms,
    answer: (call, parameters, by, names = unnamed) => {
      try {
        before?.(parts, by, call);
        const params = read(call, parameters, names);
        handle?.(parts, call, params, by, parameters);
        const text = answer?.(parts, call, params, by, parameters);
        if (text === undefined) return;
        if (text instanceof Promise)
          text.then((read) => answerWith(call, read)).catch((fault) => failed(call, fault));
        else answerWith(call, text);
      } catch (fault) {
        // What is no refusal is a bug, and ends the thread.
        if (!(fault instanceof Refusal)) throw fault;
        refuse(call, fault.error);
      }
    },
  };
  return route;
}

function answerWith(call: HttpCall, outcome: Outcome): void {
  if (typeof outcome === "string") call.json(outcome);
  else if (outcome === null) call.done();
  else refuse(call, outcome);
}
