// The answers that the fault proxy gives in the venue's place. They have the statuses, codes and bodies of the surface that
// was called (docs/spec/errors.md); those that the venue itself never gives, such as 418, are Binance's.

import {
  authErrors,
  errorBody,
  jsonAreas,
  notExecuted,
  type SurfaceError,
  tooManyRequests,
  transportErrors,
} from "../../adapters/gateway/requests/surface-error.ts";
import { compatPrefix, nativePrefix } from "../../adapters/gateway/requests/surface-view.ts";
import { contentTypes } from "../../adapters/gateway/server/http-call.ts";
import { publicWeightPerMinute } from "../../services/access/rate-limiter.ts";
import type { Interruption } from "./applied-faults.ts";

export interface FaultAnswer {
  readonly error: SurfaceError;
  /** Seconds of the Retry-After header; null for no header. */
  readonly retryAfterS: number | null;
  /** Weight that the headers report as used; null for no header. */
  readonly usedWeight: number | null;
}

/** How long an address stays banned, unless the profile says otherwise. */
const bannedS = 120;

/** Binance's answer if it cannot say whether a request was executed. */
const executionUnknown: SurfaceError = {
  status: 503,
  code: -1000,
  msg: "Unknown error, please check your request or try again later.",
};

function plain(error: SurfaceError): FaultAnswer {
  return { error, retryAfterS: null, usedWeight: null };
}

/** The answer for a timestamp outside the window. */
export const skewAnswer = plain(authErrors.outsideWindow);

/** The answer to a request that `fault` interrupts; null if its connection is cut instead. */
export function interruptionAnswer(fault: Interruption, nowMs: number): FaultAnswer | null {
  if (fault.kind === "outage") return fault.as === "cut" ? null : plain(notExecuted);
  if (fault.kind !== "refuse") {
    if (fault.as === "cut") return null;
    return plain(fault.as === "timeout" ? transportErrors.deadline : executionUnknown);
  }
  const given = fault.retry_after_s ?? null;
  if (fault.status === 503) return { ...plain(notExecuted), retryAfterS: given };
  const usedWeight = publicWeightPerMinute + 1;
  if (fault.status === 429) {
    const error = tooManyRequests(publicWeightPerMinute, "weight");
    return { error, retryAfterS: given, usedWeight };
  }
  const retryAfterS = given ?? bannedS;
  const msg =
    `Way too much request weight used; IP banned until ${nowMs + retryAfterS * 1000}. ` +
    "Please use WebSocket Streams for live updates to avoid bans.";
  return { error: { status: 418, code: -1003, msg }, retryAfterS, usedWeight };
}

/** Headers and body of an answer to a request for `path`. */
export function httpAnswer(
  path: string,
  { error, retryAfterS, usedWeight }: FaultAnswer,
): { readonly headers: Record<string, string>; readonly body: string } {
  const isNative = path.startsWith(nativePrefix);
  const isText = isNative && !jsonAreas.some((area) => path.startsWith(area));
  const view = path.startsWith(`${compatPrefix}/`) ? "compat" : "root";
  const nativeBody = isText ? error.msg : JSON.stringify({ error: error.msg });
  const body = isNative ? nativeBody : errorBody(error, view);
  const weight = usedWeight === null ? {} : weightHeaders(usedWeight);
  return {
    headers: {
      "content-type": isText ? contentTypes.text : contentTypes.json,
      "content-length": `${Buffer.byteLength(body)}`,
      ...weight,
      ...(retryAfterS === null ? {} : { "retry-after": `${retryAfterS}` }),
    },
    body,
  };
}

function weightHeaders(weight: number): Record<string, string> {
  return { "x-mbx-used-weight": `${weight}`, "x-mbx-used-weight-1m": `${weight}` };
}

/** The frame of an order session that answers its request `id`. */
export function sessionAnswer(
  id: unknown,
  { error, retryAfterS }: FaultAnswer,
  nowMs: number,
): string {
  const data =
    retryAfterS === null
      ? {}
      : { data: { serverTime: nowMs, retryAfter: nowMs + retryAfterS * 1000 } };
  const { status, code, msg } = error;
  return JSON.stringify({ id: id ?? null, status, error: { code, msg, ...data } });
}
