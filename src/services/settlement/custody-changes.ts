// The names of custody's payments on the ledger. A payment is told from others by its command id, in the
// ledger's own log too, so that what is read there says which payments it has.

/** The same for every attempt of a round. */
export function withdrawalCommandId(withdrawalId: number, round: number): string {
  return `wdr:${withdrawalId}:${round}`;
}

const withdrawalForm = /^wdr:([1-9]\d{0,14}):\d+$/;

/** The withdrawal that a command pays; null for any other command. */
export function withdrawalPaidBy(commandId: string | null): number | null {
  const number = withdrawalForm.exec(commandId ?? "")?.[1];
  return number === undefined ? null : Number(number);
}
