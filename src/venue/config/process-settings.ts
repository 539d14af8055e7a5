// Settings of the whole process that must stand before the first thread starts: threads inherit
// them, and none can be changed for one thread alone.

import { queryBytesMax } from "../../core/limits.ts";

/**
 * What the environment must have before the process begins, because the C library reads it once: blocks of this many
 * bytes and more go back to the system when they are freed. Left to itself the library raises the bound to the
 * largest block it saw freed and keeps such blocks, used or not (docs/decisions/0043).
 */
export const startingEnvironment = { MALLOC_MMAP_THRESHOLD_: String(2 ** 17) } as const;

/** Request line and headers together: the longest query, and 4 KiB for everything else. */
const headBytesMax = queryBytesMax + 2 ** 12;

/**
 * Applies them. uWebSockets.js reads its limit for headers from the environment and would otherwise
 * cut requests off at 4 KiB with a page of HTML, before the venue can say 414.
 */
export function applyProcessSettings(): void {
  process.env["UWS_HTTP_MAX_HEADERS_SIZE"] = String(headBytesMax);
  // Every thread would look for a native part of msgpackr that is deliberately not installed.
  process.env["MSGPACKR_NATIVE_ACCELERATION_DISABLED"] = "true";
}
