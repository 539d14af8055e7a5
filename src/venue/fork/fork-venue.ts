// Makes a fork: a new venue with another one's state after an event of its journal. The parent is only read, and may run
// meanwhile. What is read of it is a snapshot, the events after it and some tables, however long its history is.
//
//   parent: snapshot ─▶ events up to the point ─▶ state ┐
//   new folder: server ─▶ schema ─▶ keys of its own ────┴▶ API keys ─▶ rows, snapshot, epochs ─▶ sessions end ─▶ fork.json

import { randomBytes } from "node:crypto";
import { formatScaled } from "../../core/money/amounts.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import type { Log } from "../../ports/log.ts";
import { takeSnapshot } from "../../services/journal/replay.ts";
import { type Config, readConfig } from "../config/config.ts";
import { hasEmbeddedLedger } from "../config/ledger-config.ts";
import { openDatabase, type VenueDatabase } from "../database.ts";
import { VenueKeys } from "../keys/venue-keys.ts";
import { OperatorRefusal, WrongValue } from "../operator/operator-commands.ts";
import { fillForkDatabase } from "./fork-database.ts";
import { type FrozenPayments, writeForkFile } from "./fork-file.ts";
import { ForkFolder } from "./fork-folder.ts";
import { transferKeys } from "./fork-keys.ts";
import { type ForkPoint, isoOf, seqOfPoint } from "./fork-point.ts";
import { openStoredVenue, type StateAfter, type StoredVenue } from "./stored-venue.ts";

const nameLengthMax = 64;

export interface ForkRequest {
  readonly environment: NodeJS.ProcessEnv;
  /** The parent's data folder. */
  readonly from: string;
  readonly point: ForkPoint;
  /** The fork's data folder, absolute. */
  readonly dataDir: string;
  /** Whether API keys stay as they are; only of a development venue. */
  readonly keepsKeys: boolean;
  readonly logFor: (config: Config) => Log;
  /** Called while events are replayed. */
  readonly onProgress: (done: number, total: number) => void;
  /** Ends the work: what was made is removed. */
  readonly signal: AbortSignal;
}

export interface MadeFork {
  readonly venue: string;
  readonly parent: string;
  /** The parent's event after which the fork begins. */
  readonly seq: number;
  readonly tsUs: number;
  readonly stateHash: string;
  readonly snapshotSeq: number;
  readonly accounts: number;
  readonly openOrders: number;
  readonly keys: number;
  /** Path of the file with the new keys; null if they were kept. */
  readonly keysFile: string | null;
  readonly frozen: FrozenPayments;
}

/** Makes a fork. If it fails, or is aborted, the new folder is as it was before. */
export async function forkVenue(request: ForkRequest): Promise<MadeFork> {
  const folder = await ForkFolder.take(request.dataDir);
  const log = request.logFor(readConfig(request.environment));
  const own = { databaseUrl: null, dataDir: folder.path, synchronousWaitMs: null };
  // A new server needs seconds, in which the parent is opened and read.
  const opening = openDatabase({ ...own, log, ownsFolder: true });
  const close = () => opening.then((database) => database.close()).catch(() => undefined);
  try {
    const made = await withParent(request, opening, folder.path);
    await folder.keep();
    return made;
  } catch (error) {
    await close();
    await folder.discard();
    throw error;
  }
}

async function withParent(
  request: ForkRequest,
  opening: Promise<VenueDatabase>,
  dataDir: string,
): Promise<MadeFork> {
  const parent = await openStoredVenue(request.environment, request.from, request.logFor);
  try {
    if (request.keepsKeys) await checkDevelopment(request.environment, parent);
    const seq = await seqOfPoint(parent.sql, request.point, parent.span);
    return await makeIn(dataDir, parent, seq, { ...request, opening });
  } finally {
    await parent.close();
  }
}

/** Throws a WrongValue unless the parent is a venue for development, whose keys open nothing of worth. */
async function checkDevelopment(
  { NODE_ENV: environment }: NodeJS.ProcessEnv,
  { config: { devTools, ledger }, sql }: StoredVenue,
): Promise<void> {
  const isOwn = ledger.profile === "none" || hasEmbeddedLedger(ledger);
  // The settings of this command need not be those of the parent, but its epochs say where they were committed.
  const elsewhere = await sql`
    select epoch from epoch_anchors where network <> 'devnet' order by epoch desc limit 1`;
  if (devTools && isOwn && environment !== "production" && elsewhere.length === 0) return;
  throw new WrongValue(
    "--keep-keys: expected a development venue as parent, with development tools (DEV_TOOLS) and the embedded ledger " +
      "or none: its keys would also open the fork, and the fork's would open it. Without --keep-keys new ones are issued",
  );
}

async function makeIn(
  dataDir: string,
  parent: StoredVenue,
  seq: number,
  {
    opening,
    keepsKeys,
    logFor,
    onProgress,
    signal,
  }: ForkRequest & {
    readonly opening: Promise<VenueDatabase>;
  },
): Promise<MadeFork> {
  const { config, identity, span } = parent;
  const told = (done: number, total: number) => {
    signal.throwIfAborted();
    onProgress(done, total);
  };
  const [after, database] = await Promise.all([parent.stateAfter(seq, told), opening]);
  signal.throwIfAborted();
  if (after.state.seq < Math.max(span.baseSeq, 1))
    throw new OperatorRefusal(`--at ${seq}: the first transaction of the journal ends later`);
  const made = await fill(dataDir, parent, database, { ...after, keepsKeys, log: logFor(config) });
  signal.throwIfAborted();
  await database.close();
  const { venue, tsUs, stateHash, frozen } = made;
  await writeForkFile(dataDir, {
    venue,
    parent: { venue: identity.name, data_dir: config.dataDir },
    ...{ seq: made.seq, time: isoOf(tsUs), state_hash: stateHash },
    settings: {
      ...{ VENUE_NAME: venue, EPOCH_SECONDS: String(identity.epochMs / 1000) },
      LEDGER_PROFILE: "none",
    },
    frozen,
  });
  return made;
}

interface Filling extends StateAfter {
  readonly keepsKeys: boolean;
  readonly log: Log;
}

async function fill(
  dataDir: string,
  parent: StoredVenue,
  database: VenueDatabase,
  { state, snapshotSeq, keepsKeys, log }: Filling,
): Promise<MadeFork> {
  const { identity } = parent;
  const { seq, tsUs } = state;
  const own = { dataDir, masterKey: null, masterKeysEarlier: [] };
  const { box, nonceKey } = await VenueKeys.open(own, database.sql, log);
  const theirs = keepsKeys ? (await VenueKeys.open(parent.config, parent.sql, log)).box : null;
  const issued = await transferKeys({
    from: { sql: parent.sql, box: theirs },
    to: { sql: database.sql, box, dataDir },
    state,
  });
  const snapshot = takeSnapshot(state);
  const name = nameOf(identity.name, seq);
  const content = {
    ...{ state, snapshot, name, epochMs: identity.epochMs, nonceKey, parent: identity.name },
    ancestors: [...identity.ancestors, { venue: identity.venue, seq, tsUs }],
  };
  await fillForkDatabase(parent.sql, database, content, log);
  return {
    ...{ venue: name, parent: identity.name, seq, tsUs, snapshotSeq },
    stateHash: snapshot.stateHash,
    accounts: customersOf(state),
    openOrders: state.orders.openCount,
    ...{ keys: issued.keys, keysFile: issued.file },
    frozen: frozenIn(state),
  };
}

/** A name that no other venue has; of a long one the parent's part is cut. */
function nameOf(parent: string, seq: number): string {
  const own = `-fork-${seq}-${randomBytes(2).toString("hex")}`;
  return parent.slice(0, nameLengthMax - own.length) + own;
}

function customersOf({ accounts }: VenueState): number {
  let count = 0;
  for (let slot = 1; slot < accounts.next; slot++)
    if (accounts.isCustomer(accounts.at(slot))) count += 1;
  return count;
}

/** The payments that were under way: what they hold stays held. */
function frozenIn({ withdrawals, swapHolds, unsettled, table }: VenueState): FrozenPayments {
  const named = (asset: number, amount: bigint) => {
    const { code, decimals } = table.asset(asset);
    return { asset: code, amount: formatScaled(amount, decimals) };
  };
  return {
    withdrawals: [...withdrawals.all()].map(({ withdrawalId, account, asset, amount, fee }) => ({
      ...{ withdrawal_id: withdrawalId, account, ...named(asset, amount) },
      fee: named(asset, fee).amount,
    })),
    swaps: swapHolds.all().map(({ swapNo, account, asset, amount }) => ({
      ...{ swap_no: swapNo, account, ...named(asset, amount) },
    })),
    unsettled: unsettled
      .all()
      .map(({ account, asset, amount }) => ({ account, ...named(asset, amount) })),
  };
}
