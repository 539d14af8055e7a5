// Fills the database of a fork, which was just migrated: the parent's markets and users, the rows of the state, its snapshot,
// and an epoch without entries, after which the fork's own epochs begin. The journal is empty and continues after the state.

import type { Sql } from "../../adapters/postgres/connection.ts";
import { PostgresEpochWriter } from "../../adapters/postgres/epoch-writer.ts";
import { PostgresEventStore } from "../../adapters/postgres/event-store.ts";
import {
  type Ancestor,
  writeForkOrigin,
} from "../../adapters/postgres/queries/journal/fork-origin.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { noRoot } from "../../engine/epochs/epoch-header.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import type { EpochTerms } from "../../ports/journal/epoch-store.ts";
import type { StoredSnapshot } from "../../ports/journal/event-store.ts";
import type { Log } from "../../ports/log.ts";
import { LeafHasher } from "../../services/epochs/leaf-hasher.ts";
import { nonceKeyCheck } from "../../services/epochs/nonce-key.ts";
import { emptyEpochs, hexOf } from "../../services/epochs/open-epoch.ts";
import { rowsOfState } from "../../services/journal/state-rows.ts";
import type { VenueDatabase } from "../database.ts";
import { sendCommand } from "../operator/operator-commands.ts";
import { OfflineClearingClient } from "../verification/offline-clearing-client.ts";

export interface ForkContent {
  readonly state: VenueState;
  readonly snapshot: StoredSnapshot;
  /** Name of the fork, and how long its epochs last. */
  readonly name: string;
  readonly epochMs: number;
  /** 32 bytes. */
  readonly nonceKey: Uint8Array;
  /** Name of the parent. */
  readonly parent: string;
  /** Oldest first; the last one is the parent. */
  readonly ancestors: readonly Ancestor[];
}

/** Fills everything but the API keys, whose rows must be there already. */
export async function fillForkDatabase(
  from: Sql,
  { sql, connection }: Pick<VenueDatabase, "sql" | "connection">,
  content: ForkContent,
  log: Log,
): Promise<void> {
  const { state, snapshot, parent, ancestors } = content;
  const { seq, tsUs } = state;
  await copyMarkets(from, sql, state.marketCount);
  await continueIds(sql, state);
  await writeForkOrigin(sql, { parent, seq, tsUs, ancestors });
  await sql`update journal_head set last_seq = ${seq}`;
  const store = new PostgresEventStore({ connection, log, isStopping: () => true });
  const epochs = new PostgresEpochWriter(connection);
  try {
    await store.writeSnapshot(snapshot);
    await store.becomeWriter();
    for (const batch of rowsOfState(state)) await store.appendBatch(batch);
    await endSessions(store, state, log);
    await copyUsers(from, sql);
    await beginEpochs(epochs, content);
  } finally {
    await store.close();
    await epochs.close();
  }
}

/** Ends every session: these are the fork's first entries, at the time of the event after which it begins. */
async function endSessions(store: PostgresEventStore, state: VenueState, log: Log): Promise<void> {
  const sessions = state.sessions.all();
  if (sessions.length === 0) return;
  const clock = { nowUs: () => state.tsUs };
  const clearing = await OfflineClearingClient.open(store, state.table, clock, log);
  for (const { account, sessionId } of sessions)
    await sendCommand(clearing, { kind: CommandKind.closeSession, account, sessionId });
  await clearing.settle();
}

/** Rows of a table as the text of a JSON list, which passes through this program unread. */
interface JsonRows {
  readonly rows: string;
}

async function copyMarkets(from: Sql, to: Sql, count: number): Promise<void> {
  const [markets] = await from<JsonRows[]>`
    select coalesce(json_agg(m), '[]')::text as rows from markets as m where market < ${count}`;
  const [tiers] = await from<JsonRows[]>`
    select coalesce(json_agg(t), '[]')::text as rows from margin_tiers as t where market < ${count}`;
  await to.begin(async (tx) => {
    await tx`delete from margin_tiers`;
    await tx`delete from markets`;
    await tx`
      insert into markets
      select * from json_populate_recordset(null::markets, ${markets?.rows ?? "[]"}::json)`;
    await tx`
      insert into margin_tiers
      select * from json_populate_recordset(null::margin_tiers, ${tiers?.rows ?? "[]"}::json)`;
  });
}

/** Copies who logs in to which account, for the accounts that the fork has. */
async function copyUsers(from: Sql, to: Sql): Promise<void> {
  const [users] = await from<JsonRows[]>`
    select coalesce(json_agg(u), '[]')::text as rows from wallet_users as u`;
  await to`
    insert into wallet_users
    select u.* from json_populate_recordset(null::wallet_users, ${users?.rows ?? "[]"}::json) as u
    join accounts using (account)`;
}

/** Lets the numbers that SQL gives continue after the highest one that the state has, so that none is given twice. */
async function continueIds(sql: Sql, state: VenueState): Promise<void> {
  const keys = state.keys.all().map(({ keyId }) => keyId);
  const sessions = state.sessions.all().map(({ sessionId }) => sessionId);
  const withdrawals = [...state.withdrawals.all()].map(({ withdrawalId }) => withdrawalId);
  const swaps = state.swapHolds.all().map(({ swapNo }) => swapNo);
  const next = (used: readonly number[]) => used.reduce((a, b) => Math.max(a, b), 0) + 1;
  await sql`
    select setval('api_key_ids', ${next([...keys, ...sessions])}, false),
           setval('withdrawals_withdrawal_id_seq', ${next(withdrawals)}, false),
           setval('swaps_swap_no_seq', ${next(swaps)}, false)`;
}

/** Seals an empty epoch that ends before the fork does anything: its successors begin with the fork's first entry. */
async function beginEpochs(
  writer: PostgresEpochWriter,
  { state, name, epochMs, nonceKey }: ForkContent,
): Promise<void> {
  const { seq, tsUs, nextTradeId } = state;
  const firstEpoch = Math.floor(tsUs / 1000 / epochMs) - 1;
  const terms: EpochTerms = {
    ...{ venue: name, epochMs, firstEpoch },
    nonceKeyCheck: nonceKeyCheck(nonceKey),
  };
  const none = {
    startMs: 0,
    endMs: 0,
    journalCount: 0,
    fillCount: 0,
    merkleRoot: "",
    prevRoot: "",
  };
  const before = {
    ...none,
    epoch: firstEpoch - 1,
    firstSeq: seq + 1,
    lastSeq: seq,
    firstTrade: nextTradeId,
    root: hexOf(noRoot),
  };
  const leaves = new LeafHasher(state.table, nonceKey);
  await writer.agree(terms);
  await writer.seal(emptyEpochs(before, firstEpoch, terms, leaves), []);
}
