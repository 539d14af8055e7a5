// The phases in which a sealed batch is executed on the ledger, and the command ids of its submissions.
//
//   direct ──a receiver has no preapproval──▶ alloc ──committed──▶ exec ──committed──▶ confirmed
//     ▲                                                              │ rejected for good
//     └────────────────── no allocation is left ◀── cancel ◀─────────┘
//
// Each phase has its own rounds. A phase begins only after the last round of the phase before it has certainly ended.

import type {
  BatchRow,
  BatchPhase as PhaseNumber,
} from "../../../ports/ledger/settlement-store.ts";

export const BatchPhase = {
  /** Make every payment at once, in one transaction. */
  direct: 1,
  /** Lock every payment, in one transaction. */
  alloc: 2,
  /** Execute every locked payment, in one transaction. */
  exec: 3,
  /** Release every lock. */
  cancel: 4,
} as const satisfies Readonly<Record<string, PhaseNumber>>;

const nameOf: { readonly [Phase in PhaseNumber]: string } = {
  [BatchPhase.direct]: "direct",
  [BatchPhase.alloc]: "alloc",
  [BatchPhase.exec]: "exec",
  [BatchPhase.cancel]: "cancel",
};

/**
 * Returns the command id of all attempts of a round. It ends with the batch's secret token, which proves that the venue
 * sent the command: other users of the same participant can submit under any command id that they know.
 */
export function commandIdOf({ batchId, round, phase, token }: NamedChange): string {
  const name = `stl:${batchId}:${round}:${nameOf[phase]}`;
  return token === null ? name : `${name}:${token}`;
}

type NamedChange = Pick<BatchRow, "batchId" | "round" | "phase" | "token">;

const settlingForm = /^stl:([^:]+):\d+:(?:direct|exec)(?::([0-9a-f]+))?$/;

/** The batch and token named by a settlement command id; null for any other command id. */
export function batchSettledBy(
  commandId: string | null,
): { readonly batchId: string; readonly token: string | null } | null {
  const [, batchId, token = null] = settlingForm.exec(commandId ?? "") ?? [];
  return batchId === undefined ? null : { batchId, token };
}
