// Settings of the whole process. They must be set before the first thread starts, because threads inherit them.

import { queryBytesMax } from "../../core/limits.ts";

/**
 * Environment that must be set before the process starts, because the C library reads it once. Freed blocks of at least
 * this many bytes return to the system. By default, the library raises this threshold to the size of the largest freed
 * block, and does not return smaller blocks (docs/decisions/0043).
 */
export const startingEnvironment = { MALLOC_MMAP_THRESHOLD_: String(2 ** 17) } as const;

/** Limit for request line and headers together: the longest query plus 4 KiB. */
const headBytesMax = queryBytesMax + 2 ** 12;

/**
 * Applies the settings of the process. uWebSockets.js reads its header limit from the environment; by default it
 * rejects requests above 4 KiB with an HTML page, before the venue can answer 414.
 */
export function applyProcessSettings(): void {
  process.env["UWS_HTTP_MAX_HEADERS_SIZE"] = String(headBytesMax);
  // Otherwise every thread would search for the native part of msgpackr, which is deliberately not installed.
  process.env["MSGPACKR_NATIVE_ACCELERATION_DISABLED"] = "true";
}
