// Looks a wallet's credit up in the journal: whoever asked for it died before it heard the answer.

import { Wallet } from "../../../../core/accounts.ts";
import { EventKind } from "../../../../core/generated/events.ts";
import type { CreditRow } from "../../../../ports/ledger/settlement-store.ts";
import { decodeEventBytes } from "../../../../wire/records/event-bytes.ts";
import type { Statements } from "../../sql.ts";

/** Only the mirror credits the spot wallet of a member, and one credit at a time. */
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
