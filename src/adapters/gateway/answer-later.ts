// An answer that waits for SQL. What goes wrong there is one fixed sentence to the client and the
// whole fault to the operator.

import type { RouteContext } from "./route.ts";
import type { HttpCall } from "./server/http-call.ts";
import { refuse, unexpected } from "./surface-error.ts";

/** Hands what was read to `answer`; refuses with -1000 when it cannot be read. */
export function answerLater<T>(
  { log }: RouteContext,
  call: HttpCall,
  reading: Promise<T>,
  answer: (value: T) => void,
): void {
  reading.then(answer).catch((fault: unknown) => {
    log.error({ fault, path: call.path }, "an answer could not be read");
    refuse(call, unexpected);
  });
}
