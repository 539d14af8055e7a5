// The names of custody's payments on the ledger. A payment is told from others by its command id, in the
// ledger's own log too, so that what is read there says which payments it has.

import type { PaymentKind } from "../../../ports/ledger/custody.ts";

interface PaymentNames {
  readonly command: string;
  /** How the reference begins that the receiver sees. */
  readonly reference: string;
}

const namesOf: Readonly<Record<PaymentKind, PaymentNames>> = {
  withdrawal: { command: "wdr", reference: "w" },
  return: { command: "ret", reference: "d" },
};

/** The same for every attempt of a round. */
export function paymentCommandId(kind: PaymentKind, paymentId: number, round: number): string {
  return `${namesOf[kind].command}:${paymentId}:${round}`;
}

/** What the receiver sees it is for. */
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
