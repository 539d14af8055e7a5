// Makes the idempotency key of a deposit's credit, and looks in the journal for credits whose reply may have been lost.

import { createHash } from "node:crypto";
import { Wallet } from "../../../../core/accounts.ts";
import { EventKind } from "../../../../core/generated/events.ts";
import type { RequestKey } from "../../../../core/request-keys.ts";
import type { DepositRow } from "../../../../ports/ledger/custody.ts";
import type { CreditRow } from "../../../../ports/ledger/settlement-store.ts";
import { decodeEventBytes } from "../../../../wire/records/event-bytes.ts";
import { code, type Statements } from "../../sql.ts";

/**
 * Returns true if a credit of the wallet mirror is in the journal. Nothing else credits a member's spot wallet, and
 * there is one credit at a time, so an event with the same asset and amount is this credit.
 */
export async function isInJournal(sql: Statements, credit: CreditRow): Promise<boolean> {
  const { account, asset, amount, seqBefore } = credit;
  const rows = await sql<{ body: Uint8Array }[]>`
    select body from journal
    where seq > ${seqBefore} and account = ${account} and kind = ${EventKind.credited}`;
  return rows.some(({ body }) => {
    const event = decodeEventBytes(new Uint8Array(body), 0, body.length);
    if (event.kind !== EventKind.credited) return false;
    return event.wallet === Wallet.spot && event.asset === asset && event.amount === amount;
  });
}

/**
 * Returns the idempotency key of a deposit. It is derived from the ledger update and the coin, so every attempt has the
 * same key.
 */
export function depositKeyOf({ updateId, contractId, asset, amount }: DepositRow): RequestKey {
  const key = createHash("sha256").update(`deposit\n${updateId}\n${contractId}`).digest();
  const digest = createHash("sha256").update(`${asset} ${amount}`).digest();
  return {
    high: key.readBigInt64LE(0),
    low: key.readBigInt64LE(8),
    payload: digest.readBigInt64LE(0),
  };
}

/** Returns the seq of the deposit's credit, searching after `seqBefore`; null if the key was not used. */
export async function creditSeqOf(
  sql: Statements,
  { account, seqBefore }: DepositRow,
  { high, low }: RequestKey,
): Promise<number | null> {
  const rows = await sql<{ body: Uint8Array }[]>`
    select body from journal
    where account = ${account} and seq > ${seqBefore} and kind = ${code(EventKind.requestKeyed)}`;
  for (const { body } of rows) {
    const event = decodeEventBytes(new Uint8Array(body), 0, body.length);
    if (event.kind !== EventKind.requestKeyed) continue;
    if (event.high === high && event.low === low) return event.subject;
  }
  return null;
}
