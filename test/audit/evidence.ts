// Builds the files that an auditor gets, from events: the export, the sealed epochs with their openings, and the
// balances that the venue states. Encodings, digests and seals are recomputed from whatever events are given, so that
// only recomputed books can tell altered events from real ones.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { epochFields } from "../../src/adapters/gateway/native/money/chain-text.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { eventBytesMax } from "../../src/core/limits.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import type { EpochRecord } from "../../src/ports/journal/epoch-store.ts";
import { openingsOf } from "../../src/services/epochs/epoch-openings.ts";
import { LeafHasher } from "../../src/services/epochs/leaf-hasher.ts";
import { EntryHasher, emptyEpochs, openAfter } from "../../src/services/epochs/open-epoch.ts";
import {
  type BalanceStatement,
  balanceStatement,
} from "../../src/services/journal/balance-statement.ts";
import { JournalFileBytes, journalFileHeader } from "../../src/services/journal/journal-file.ts";
import { encodeEvent, eventBytes } from "../../src/wire/generated/event-codec.ts";
import { createRecordViews } from "../../src/wire/records/record-views.ts";
import { MemoryJournal } from "../support/journal/memory-journal.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import type { AuditFiles } from "./audit-kit.ts";
import type { StatementFile } from "./liability-evidence.ts";

const epochMs = 60_000;
const hashBytes = 32;
const nonceKey = new Uint8Array(32).fill(7);
const scratch = createRecordViews(new ArrayBuffer(eventBytesMax));

/** One epoch as the export states it. */
export type EpochLine = Readonly<Record<string, string>>;

/** The export of these events, which must be all from the first on. */
export function exportOf(events: readonly VenueEvent[]): Buffer {
  const file = new JournalFileBytes();
  const [first, last] = [events[0]?.tsUs ?? 0, events.at(-1)?.tsUs ?? 0];
  const range = { from: 1, to: events.length, firstUs: first, lastUs: last };
  const head = file.head(journalFileHeader(range, testMarkets, null));
  const lengths = Uint32Array.from(events, eventBytes);
  const offsets = new Uint32Array(events.length);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [index, event] of events.entries()) {
    const length = lengths[index] ?? 0;
    encodeEvent(scratch, 0, event);
    bytes.set(scratch.u8.subarray(0, length), at);
    offsets[index] = at;
    at += length;
  }
  const records = file.events({ firstSeq: 1, count: events.length, bytes, offsets, lengths });
  return Buffer.concat([head, records, file.trailer().bytes]);
}

/** Seals events into epochs, minute by minute of their own time, and opens their leaves. */
export async function sealed(events: readonly VenueEvent[]): Promise<EpochLine[]> {
  const epochOf = ({ tsUs }: VenueEvent) => Math.floor(tsUs / 1000 / epochMs);
  const firstEpoch = epochOf(events[0] as VenueEvent);
  const terms = { venue: "audited", epochMs, firstEpoch, nonceKeyCheck: "" };
  const hasher = new LeafHasher(testMarkets, nonceKey);
  const records: EpochRecord[] = [];
  let open = new EntryHasher(hasher, openAfter(null, firstEpoch));
  let epoch = firstEpoch;
  for (const event of events) {
    if (epochOf(event) > epoch) {
      const record = open.seal(terms, []);
      const empty = emptyEpochs(record, epochOf(event) - 1, terms, hasher);
      records.push(record, ...empty);
      open = new EntryHasher(hasher, openAfter(records.at(-1) ?? null, firstEpoch));
      epoch = epochOf(event);
    }
    open.add(event);
  }
  records.push(open.seal(terms, []));
  return Promise.all(records.map((record) => opened(record, events, { ...terms, nonceKey })));
}

/** A sealed epoch as the export states it; `events` are all events of the journal. */
export async function opened(
  record: EpochRecord,
  events: readonly VenueEvent[],
  { venue, nonceKey: key }: { readonly venue: string; readonly nonceKey: Uint8Array },
): Promise<EpochLine> {
  const own = events.slice(record.firstSeq - 1, record.lastSeq);
  const nonces = await openingsOf(new MemoryJournal(own), key, record);
  const fills = own.flatMap((event) => (event.kind === EventKind.traded ? [event] : []));
  const hasher = new LeafHasher(testMarkets, key);
  const leaves = Buffer.alloc((own.length + fills.length) * hashBytes);
  for (const [index, event] of own.entries()) hasher.hashJournal(event, leaves, index * hashBytes);
  for (const [index, event] of fills.entries()) {
    hasher.hashFill(event, leaves, (own.length + index) * hashBytes);
  }
  const openings = { nonces: nonces.toString("hex"), leaves: leaves.toString("hex") };
  return { ...(epochFields(record, venue) as EpochLine), ...openings };
}

/** What the venue's own books say after these events. */
export function statementOf(events: readonly VenueEvent[]): BalanceStatement {
  const state = new VenueState(testMarkets);
  for (const event of events) apply(state, event);
  return balanceStatement(state);
}

/** What an auditor is given. */
export interface Evidence {
  readonly journal: Buffer;
  readonly epochs?: readonly EpochLine[];
  readonly balances?: BalanceStatement;
  readonly statements?: StatementFile;
}

/** Writes the files to `folder`, under names that begin with `name`. */
export async function written(
  evidence: Evidence,
  folder: string,
  name: string,
): Promise<AuditFiles> {
  const { journal, epochs, balances, statements } = evidence;
  const at = (ending: string) => join(folder, `${name}.${ending}`);
  await writeFile(at("rialto"), journal);
  if (epochs !== undefined) await writeFile(at("epochs"), linesOf(epochs));
  if (balances !== undefined) await writeFile(at("balances"), JSON.stringify(balances));
  if (statements !== undefined) {
    const { fingerprints, lines } = statements;
    await writeFile(at("statements"), linesOf([{ fingerprints }, ...lines]));
  }
  return {
    journal: at("rialto"),
    ...(epochs === undefined ? {} : { epochs: at("epochs") }),
    ...(balances === undefined ? {} : { balances: at("balances") }),
    ...(statements === undefined ? {} : { statements: at("statements") }),
  };
}

function linesOf(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
