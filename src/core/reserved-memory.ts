// Memory for the venue's bounded tables: reserved whole at the start, touched only as it is used.
//
// It is a SharedArrayBuffer, though one thread alone uses it, because the engine counts ordinary
// ArrayBuffers of this size as memory pressure of the thread's heap and collects garbage that is
// not there, again and again, on every thread that holds a state.

import { assert } from "./assert.ts";

/** `bytes` (a positive integer) of zeroed memory. */
export function reservedMemory(bytes: number): SharedArrayBuffer {
  assert(Number.isSafeInteger(bytes) && bytes > 0, "a table has a size");
  return new SharedArrayBuffer(bytes);
}
