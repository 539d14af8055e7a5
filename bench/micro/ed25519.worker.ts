// A worker of the burst benchmark: checks the signatures of one task.

import { createPublicKey, verify } from "node:crypto";

interface Task {
  readonly spki: Uint8Array;
  readonly signed: ReadonlyArray<{ readonly text: Uint8Array; readonly signature: Uint8Array }>;
}

/** How many of the task's signatures are right; the pool calls it under this name. */
export function checkSignatures({ spki, signed }: Task): number {
  const key = createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
  return signed.filter(({ text, signature }) => verify(null, text, key, signature)).length;
}
