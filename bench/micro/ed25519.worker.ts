// A worker of the burst benchmark; verifies the signatures of one task.

import { createPublicKey, verify } from "node:crypto";

interface Task {
  readonly spki: Uint8Array;
  readonly signed: ReadonlyArray<{ readonly text: Uint8Array; readonly signature: Uint8Array }>;
}

/** Returns the number of valid signatures in the task. The pool calls this function by its name. */
export function checkSignatures({ spki, signed }: Task): number {
  const key = createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
  return signed.filter(({ text, signature }) => verify(null, text, key, signature)).length;
}
