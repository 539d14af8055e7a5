// What the wallet mirror asks of a running venue, as commands to clearing and looks into the journal.

import type { Sql } from "../adapters/postgres/connection.ts";
import { AccountFlag, Wallet } from "../core/accounts.ts";
import { CommandKind } from "../core/commands.ts";
import { EventKind } from "../core/events.ts";
import { MarketKind, type MarketTable } from "../core/markets.ts";
import { RejectReason } from "../core/reject-reason.ts";
import type { CreditRow } from "../ports/settlement-store.ts";
import type { MirrorDesk } from "../services/settlement/wallet-mirror.ts";
import { decodeEventBytes } from "../wire/event-codec.ts";
import type { Desk } from "./desk.ts";

export interface MirrorDeskParts {
  readonly desk: Desk;
  readonly table: MarketTable;
  readonly sql: Sql;
  readonly committedSeq: () => number;
}

export function createMirrorDesk(parts: MirrorDeskParts): MirrorDesk {
  const { desk, table, sql, committedSeq } = parts;
  return {
    committedSeq,
    async credit(account, asset, amount) {
      const kind = CommandKind.credit;
      const reply = await desk.ask({ kind, account, wallet: Wallet.spot, asset, amount });
      return reply.reason === RejectReason.none;
    },
    wasCredited: (credit) => isInJournal(sql, credit),
    async setStanding(account, { isEnrolled, isFrozen }) {
      const enrolled = isEnrolled ? AccountFlag.enrolled : 0;
      const frozen = isFrozen ? AccountFlag.frozen : 0;
      const reply = await desk.ask({
        kind: CommandKind.setAccountFlags,
        account,
        flags: enrolled | frozen,
      });
      if (reply.reason !== RejectReason.none)
        throw new Error(`clearing refused the standing of account ${account}: ${reply.reason}`);
    },
    async cancelSpotOrders(account) {
      for (const market of table.markets) {
        if (market.kind !== MarketKind.spot) continue;
        await desk.ask({ kind: CommandKind.cancelAllOrders, account, market: market.id });
      }
    },
  };
}

/** Only the mirror credits the spot wallet of a member, and one credit at a time. */
async function isInJournal(sql: Sql, credit: CreditRow): Promise<boolean> {
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
