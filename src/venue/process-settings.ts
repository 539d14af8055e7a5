// Settings of the whole process that must stand before the first thread starts: threads inherit
// them, and neither can be changed for one thread alone.

import { setFlagsFromString } from "node:v8";
import { queryBytesMax } from "../core/limits.ts";

/** Request line and headers together: the longest query, and as much again for headers. */
const headerBytesMax = 2 * queryBytesMax;

/**
 * Applies them. uWebSockets.js reads its limit for headers from the environment and would otherwise
 * cut requests off at 4 KiB with a page of HTML. V8's budget for inlining is too small for codecs
 * and books made of small functions; docs/decisions/0012 has the figures.
 */
export function applyProcessSettings(): void {
  process.env["UWS_HTTP_MAX_HEADERS_SIZE"] = String(headerBytesMax);
  setFlagsFromString("--max-inlined-bytecode-size=1000");
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=3000");
}
