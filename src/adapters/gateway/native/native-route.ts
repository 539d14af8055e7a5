// What a native route is: a path that may have names in it, who may use it, and how it is answered.

import { isUuid } from "../../../core/ids/public-id.ts";
import type { SessionState } from "../../../engine/state/tables/session-table.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { refuse } from "../requests/surface-error.ts";
import type { nativePrefix } from "../requests/surface-view.ts";
import type { HttpCall, Method } from "../server/http-call.ts";
import { nativeFaults } from "./error-map.ts";

/** What a route is asked with besides the call itself. */
export interface NativeAsk {
  /** Values of the names in the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** Of the query; the body is JSON and the route's own business. */
  readonly parameters: RequestParameters;
}

interface NativeTerms {
  readonly method: Method;
  /** Names stand in braces: `/v1/orders/{order_id}`. */
  readonly path: string;
  /** Request weight, of the address where nobody is logged in. */
  readonly weight: number;
}

/** Anybody may ask; `login` routes have a limit of their own beside the weight. */
export interface OpenNativeRoute extends NativeTerms {
  readonly security: "none" | "login";
  answer(call: HttpCall, asked: NativeAsk): void;
}

/** Protected by the token of a wallet session. */
export interface SessionRoute extends NativeTerms {
  readonly security: "session";
  /** Orders that a call counts as. */
  readonly orders?: number;
  answer(call: HttpCall, asked: NativeAsk, session: SessionState): void;
}

export type NativeRoute = OpenNativeRoute | SessionRoute;

/** Method and path of a route in one text. */
export type NativeName = `${"GET" | "POST" | "PUT" | "DELETE"} ${typeof nativePrefix}${string}`;

function termsOf(name: NativeName): { method: Method; path: string } {
  const [method, path] = name.split(" ") as [Method, string];
  return { method, path };
}

/** A route anybody may ask; it weighs 1 unless `more` says otherwise. */
export function openRoute(
  name: NativeName,
  answer: OpenNativeRoute["answer"],
  more: { weight?: number; security?: "login" } = {},
): OpenNativeRoute {
  return { ...termsOf(name), security: "none", weight: 1, ...more, answer };
}

/** A route behind a session's token; it weighs 1 and counts as no order unless `more` says otherwise. */
export function sessionRoute(
  name: NativeName,
  answer: SessionRoute["answer"],
  more: { weight?: number; orders?: number } = {},
): SessionRoute {
  return { ...termsOf(name), security: "session", weight: 1, ...more, answer };
}

/** A session's route with one name in its path, a UUID: refused with 400 where it is none, whatever else is asked. */
export function uuidRoute(
  name: NativeName,
  answer: SessionRoute["answer"],
  more: { weight?: number } = {},
): SessionRoute {
  const checked: SessionRoute["answer"] = (call, asked, session) => {
    if (Object.values(asked.path).every(isUuid)) answer(call, asked, session);
    else refuse(call, nativeFaults.badUuid);
  };
  return sessionRoute(name, checked, more);
}
