// JavaScript compiler settings for the threads of the order path. They apply to the whole process and are read each
// time a function is compiled.

import { setFlagsFromString } from "node:v8";

/**
 * Raises the inlining limits. A function may inline 4000 bytes of byte code in total instead of 920. Functions of up to
 * 60 bytes, instead of 27, are inlined even beyond this total. An order passes through some hundred small functions.
 * With the default limits, the compiler stops inlining half way, and numbers passed between the parts are boxed. Above
 * 4000 bytes it reaches other limits and stops inlining at worse points (docs/decisions/0038).
 */
export function inlineDeeply(): void {
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=4000");
  setFlagsFromString("--max-inlined-bytecode-size-small=60");
}
