// The ways a sealed batch goes on the ledger, and the names of its changes there.
//
//   direct ──a receiver has no preapproval──▶ alloc ──committed──▶ exec ──committed──▶ confirmed
//     ▲                                                              │ refused for good
//     └────────────────── no allocation is left ◀── cancel ◀─────────┘
//
// Each phase is a round of its own: it ends for certain before the next begins.

import type {
  BatchRow,
  BatchPhase as PhaseNumber,
} from "../../../ports/ledger/settlement-store.ts";

export const BatchPhase = {
  /** Every payment in one transaction, at once. */
  direct: 1,
  /** Every payment locked, in one transaction. */
  alloc: 2,
  /** Everything locked is paid, in one transaction. */
  exec: 3,
  /** Everything locked goes back. */
  cancel: 4,
} as const satisfies Readonly<Record<string, PhaseNumber>>;

const nameOf: { readonly [Phase in PhaseNumber]: string } = {
  [BatchPhase.direct]: "direct",
  [BatchPhase.alloc]: "alloc",
  [BatchPhase.exec]: "exec",
  [BatchPhase.cancel]: "cancel",
};

/**
 * The same for every attempt of a round. It ends with the batch's token, which nobody else can know: others
 * may submit through the same participant under any name.
 */
export function commandIdOf({ batchId, round, phase, token }: NamedChange): string {
  const name = `stl:${batchId}:${round}:${nameOf[phase]}`;
  return token === null ? name : `${name}:${token}`;
}

type NamedChange = Pick<BatchRow, "batchId" | "round" | "phase" | "token">;

const settlingForm = /^stl:([^:]+):\d+:(?:direct|exec)(?::([0-9a-f]+))?$/;

/** The batch that a command settles by its name, and the token it was given; null for any other. */
export function batchSettledBy(
  commandId: string | null,
): { readonly batchId: string; readonly token: string | null } | null {
  const [, batchId, token = null] = settlingForm.exec(commandId ?? "") ?? [];
  return batchId === undefined ? null : { batchId, token };
}
