// The key under which a deposit is credited, and where the journal has it: whoever asked for the credit
// may have died before it heard the answer.

import { createHash } from "node:crypto";
import { EventKind } from "../../../../core/generated/events.ts";
import type { RequestKey } from "../../../../core/request-keys.ts";
import type { DepositRow } from "../../../../ports/ledger/custody.ts";
import { decodeEventBytes } from "../../../../wire/records/event-bytes.ts";
import { code, type Statements } from "../../sql.ts";

/** Of the update and the coin: the same for every attempt to credit it. */
export function depositKeyOf({ updateId, contractId, asset, amount }: DepositRow): RequestKey {
  const key = createHash("sha256").update(`deposit\n${updateId}\n${contractId}`).digest();
  const asked = createHash("sha256").update(`${asset} ${amount}`).digest();
  return {
    high: key.readBigInt64LE(0),
    low: key.readBigInt64LE(8),
    payload: asked.readBigInt64LE(0),
  };
}

/** The credit's seq, behind that at which it was first asked for; null where the key was not used. */
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
