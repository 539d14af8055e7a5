// SHA-256 of the runtime, written in place. The digest goes through a one-byte string because that
// is the cheapest way out of the runtime: 0.35 µs for 150 bytes against 1.1 µs through a buffer.

import { hash } from "node:crypto";
import type { HashInto } from "../../engine/epochs/tree-hash.ts";

/** Writes the SHA-256 of `data` to `out` at byte `at`. */
export const sha256Into: HashInto = (data, out, at) => {
  const digest = hash("sha256", data, "binary");
  for (let place = 0; place < 32; place++) out[at + place] = digest.charCodeAt(place);
};
