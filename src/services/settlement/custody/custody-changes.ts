// Command ids and references of custody payments. A command id identifies its payment, also in the ledger updates that
// the venue reads later.

import type { PaymentKind } from "../../../ports/ledger/custody.ts";

interface PaymentNames {
  readonly command: string;
  /** Prefix of the reference shown to the receiver. */
  readonly reference: string;
}

const namesOf: Readonly<Record<PaymentKind, PaymentNames>> = {
  withdrawal: { command: "wdr", reference: "w" },
  return: { command: "ret", reference: "d" },
};

/** One command id for all attempts of a round. */
export function paymentCommandId(kind: PaymentKind, paymentId: number, round: number): string {
  return `${namesOf[kind].command}:${paymentId}:${round}`;
}

/** The reference shown to the receiver. */
export function paymentReference(kind: PaymentKind, paymentId: number): string {
  return `${namesOf[kind].reference}-${paymentId}`;
}

const paymentForm = /^(wdr|ret):([1-9]\d{0,14}):\d+$/;

/** The payment that a command makes; null for any other command. */
export function paymentMadeBy(
  commandId: string | null,
): { readonly kind: PaymentKind; readonly paymentId: number } | null {
  const [, command, number] = paymentForm.exec(commandId ?? "") ?? [];
  if (number === undefined) return null;
  const kind = command === namesOf.return.command ? "return" : "withdrawal";
  return { kind, paymentId: Number(number) };
}
