// The ways a sealed batch goes on the ledger, and the names of its changes there.
//
//   direct ──a receiver has no preapproval──▶ alloc ──committed──▶ exec ──committed──▶ confirmed
//     ▲                                                              │ refused for good
//     └────────────────── no allocation is left ◀── cancel ◀─────────┘
//
// Each phase is a round of its own: it ends for certain before the next begins.

import type { BatchPhase as PhaseNumber } from "../../ports/settlement-store.ts";

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

/** The same for every attempt of a round. */
export function commandIdOf(batchId: string, round: number, phase: PhaseNumber): string {
  return `stl:${batchId}:${round}:${nameOf[phase]}`;
}

const settlingForm = /^stl:([^:]+):\d+:(?:direct|exec)$/;

/** The batch that a command of the settler settles; null for any other command. */
export function batchSettledBy(commandId: string | null): string | null {
  return settlingForm.exec(commandId ?? "")?.[1] ?? null;
}
