// Requests that must happen once: sent under an idempotency key, and once more under the same one where the
// answer was lost.

import { askOwn } from "./session.ts";
import { VenueFault } from "./venue-api.ts";

/** Asks as the user for something that is done once a key. */
export async function askOnce<T>(
  path: string,
  asked: Readonly<Record<string, unknown>>,
): Promise<T> {
  const body = { ...asked, idempotency_key: crypto.randomUUID() };
  const send = () => askOwn<T>("POST", path, { body });
  try {
    return await send();
  } catch (fault) {
    const isUnknown = fault instanceof VenueFault && [0, 408, 503, 504].includes(fault.status);
    if (!isUnknown) throw fault;
    return send();
  }
}
