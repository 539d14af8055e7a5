// An answer that waits for SQL. What goes wrong there is one fixed sentence to the client and the
// whole fault to the operator.

import type { HttpCall } from "../server/http-call.ts";
import type { RouteContext } from "./route.ts";
import { refuse, type SurfaceError, storeAway, unexpected } from "./surface-error.ts";

/**
 * How a fault of a store is answered: a call that only reads may be sent again where nothing answers there now;
 * of one that changes something nobody here knows whether it did. Spec ERR-41.
 */
export function storeFault(
  { isStoreAway }: Pick<RouteContext, "isStoreAway">,
  { method }: Pick<HttpCall, "method">,
  fault: unknown,
): SurfaceError {
  const isRead = method === "GET" || method === "HEAD";
  return isRead && isStoreAway(fault) ? storeAway : unexpected;
}

/** Hands what was read to `answer`; refuses when it cannot be read. */
export function answerLater<T>(
  context: RouteContext,
  call: HttpCall,
  reading: Promise<T>,
  answer: (value: T) => void,
): void {
  reading.then(answer).catch((fault: unknown) => {
    context.log.error({ fault, path: call.path }, "an answer could not be read");
    refuse(call, storeFault(context, call, fault));
  });
}
