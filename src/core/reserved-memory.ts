// Memory for the venue's bounded tables. All of it is reserved at the start, but the operating system provides a part
// only when it is first used.
//
// It is a SharedArrayBuffer although only one thread uses it: the JavaScript engine counts an ordinary ArrayBuffer of
// this size as memory pressure of the thread's heap and would run garbage collections again and again, on every thread
// that has a copy of the state.

import { assert } from "./assert.ts";

/** `bytes` (a positive integer) of zeroed memory. */
export function reservedMemory(bytes: number): SharedArrayBuffer {
  assert(
    Number.isSafeInteger(bytes) && bytes > 0,
    "the size of a table must be a positive safe integer",
  );
  return new SharedArrayBuffer(bytes);
}
