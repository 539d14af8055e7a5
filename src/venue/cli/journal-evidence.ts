// What `journal export` writes beside the journal for an auditor: the sealed epochs with the openings of their leaves,
// what everybody has according to the venue's own books, and the statements of liabilities with the keys of their epochs
// (AUD-3, AUD-5, AUD-11).

import { epochFields } from "../../adapters/gateway/native/money/chain-text.ts";
import { PostgresAudit } from "../../adapters/postgres/audit-reader.ts";
import type { Sql } from "../../adapters/postgres/connection.ts";
import type { PostgresEventStore } from "../../adapters/postgres/event-store.ts";
import { PostgresLiabilityWriter } from "../../adapters/postgres/queries/journal/liability-writer.ts";
import type { MarketTable } from "../../core/markets.ts";
import { apply } from "../../engine/state/apply/apply.ts";
import { VenueState } from "../../engine/state/venue-state.ts";
import type { EpochRecord } from "../../ports/journal/epoch-store.ts";
import type { Log } from "../../ports/log.ts";
import { openingsOf } from "../../services/epochs/epoch-openings.ts";
import { epochKeyOf } from "../../services/epochs/liability-keys.ts";
import { hexOf } from "../../services/epochs/open-epoch.ts";
import { balanceStatement } from "../../services/journal/balance-statement.ts";
import { newestSnapshot } from "../../services/journal/replay.ts";
import { foldChunk } from "../../wire/records/event-bytes.ts";
import type { Config } from "../config/config.ts";
import type { VenueDatabase } from "../database.ts";
import { VenueKeys } from "../keys/venue-keys.ts";
import type { Output } from "./terminal/output-file.ts";

/** Epochs read per statement. */
const epochsAtOnce = 1_000;

/** What the evidence is about, and where it is read. */
export interface Evidence {
  /** The exported events. */
  readonly from: number;
  readonly to: number;
  readonly table: MarketTable;
  readonly store: Pick<PostgresEventStore, "readEvents" | "readSnapshots">;
  readonly connection: VenueDatabase["connection"];
  readonly sql: Sql;
  readonly config: Config;
  readonly log: Log;
}

/** Writes the epochs that lie wholly in the range, one JSON object a line; returns how many, for the command's answer. */
export async function writeEpochs(evidence: Evidence, output: Output): Promise<object> {
  const { from, to, store, connection, sql, config, log } = evidence;
  const source = new PostgresAudit(connection);
  try {
    // Without terms, no epoch has been sealed yet.
    const venue = (await source.terms())?.venue ?? "";
    const { nonceKey } = await VenueKeys.open(config, sql, log);
    let epochs = 0;
    for (let after = -1; ; ) {
      const records = await source.epochsAfter(after, epochsAtOnce);
      for (const record of records.filter(
        ({ firstSeq, lastSeq }) => firstSeq >= from && lastSeq <= to,
      )) {
        const nonces = await openingsOf(store, nonceKey, record);
        const leaves = await leavesOf(source, record);
        const opened = { nonces: nonces.toString("hex"), leaves: leaves.toString("hex") };
        const line = JSON.stringify({ ...epochFields(record, venue), ...opened });
        await output.write(Buffer.from(`${line}\n`));
        epochs++;
      }
      const last = records.at(-1);
      if (last === undefined || last.lastSeq > to) break;
      after = last.epoch;
    }
    await output.close();
    return { epochs };
  } finally {
    await source.close();
  }
}

/** The leaf hashes as they were sealed, in the order of the tree. */
async function leavesOf(source: PostgresAudit, { epoch }: EpochRecord): Promise<Buffer> {
  const tiles = new Map<number, Buffer>();
  await source.readTiles(epoch, epoch, (_, { level, tile, hashes }) => {
    if (level === 0) tiles.set(tile, Buffer.from(hashes));
  });
  return Buffer.concat(
    [...tiles].sort(([one], [other]) => one - other).map(([, hashes]) => hashes),
  );
}

/**
 * Writes the fingerprints of wallet keys, then the statements whose epoch and digest lie in the range, one JSON object a
 * line; returns how many.
 */
export async function writeStatements(evidence: Evidence, output: Output): Promise<object> {
  const { from, to, connection, sql, config, log } = evidence;
  const source = new PostgresAudit(connection);
  const members = new PostgresLiabilityWriter(connection);
  const write = (line: object) => output.write(Buffer.from(`${JSON.stringify(line)}\n`));
  try {
    const { nonceKey } = await VenueKeys.open(config, sql, log);
    const prints = [...(await members.fingerprints())].sort(([one], [other]) => one - other);
    await write({ fingerprints: Object.fromEntries(prints.map(([of, one]) => [of, hexOf(one)])) });
    let statements = 0;
    for (let after = -1; ; ) {
      const found = await source.statementsAfter(after, epochsAtOnce);
      for (const { epoch, statedSeq, entrySeq, text } of found) {
        if (statedSeq < from - 1 || entrySeq > to) continue;
        const key = hexOf(epochKeyOf(nonceKey, epoch));
        await write({ statement: text, entry_seq: `${entrySeq}`, epoch_key: key });
        statements++;
      }
      const last = found.at(-1);
      if (last === undefined || last.statedSeq > to) break;
      after = last.epoch;
    }
    await output.close();
    return { statements };
  } finally {
    await Promise.all([source.close(), members.close()]);
  }
}

/** Writes the balances and positions after the last exported event, as the venue's own `apply` gives them. */
export async function writeBalances(evidence: Evidence, output: Output): Promise<object> {
  const { to, table, store } = evidence;
  const newest = await newestSnapshot(store, table);
  const state = newest.state.seq > to ? new VenueState(table) : newest.state;
  await store.readEvents(state.seq, to, (chunk) => {
    foldChunk(chunk, (event) => apply(state, event));
  });
  const statement = balanceStatement(state);
  await output.write(Buffer.from(JSON.stringify(statement)));
  await output.close();
  return { balances: statement.balances.length, positions: statement.positions.length };
}
