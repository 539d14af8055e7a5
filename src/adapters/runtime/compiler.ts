// What the threads of the order path ask of the compiler of JavaScript. The setting is the process's, for
// all its threads, and is read each time a function is compiled.

import { setFlagsFromString } from "node:v8";

/**
 * Lets the compiler put more of what a function calls into the function itself: 4000 bytes of byte code
 * instead of 920, and what has up to 60 bytes, instead of 27, even when those are used up. An order goes
 * through some hundred small functions; with less, the compiler stops half way, and numbers that pass
 * between what it left apart are put into objects. Beyond 4000 it meets bounds of its own, and stops at
 * worse places. See decision 0038.
 */
export function inlineDeeply(): void {
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=4000");
  setFlagsFromString("--max-inlined-bytecode-size-small=60");
}
