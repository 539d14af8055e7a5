// JavaScript compiler settings for the threads of the order path. The setting applies to the process and is
// read each time a function is compiled.

import { setFlagsFromString } from "node:v8";

/**
 * Raises the inlining limits: 4000 bytes of byte code instead of 920 in total, and functions of up to 60
 * bytes, instead of 27, even beyond that. An order passes through some hundred small functions; with the
 * defaults the compiler stops half way, and numbers passed between the parts are boxed. Above 4000 the compiler reaches
 * other limits and stops inlining at worse points. See decision 0038.
 */
export function inlineDeeply(): void {
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=4000");
  setFlagsFromString("--max-inlined-bytecode-size-small=60");
}
