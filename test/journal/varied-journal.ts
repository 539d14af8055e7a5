// An export file of a varied run, with the balances that the venue's own state has at its end. The run has trades of
// all kinds, funding, liquidations, rewards and withdrawals.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { type Wallet, Wallet as wallets } from "../../src/core/accounts.ts";
import type { VenueEvent } from "../../src/core/generated/events.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { JournalFileBytes, journalFileHeader } from "../../src/services/journal/journal-file.ts";
import { decodeEventBytes } from "../../src/wire/records/event-bytes.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const journal = join(projectRoot, "test/vectors/varied-run.journal.br");

/** Byte offset of the length field in an event. */
const lengthAt = 22;

export interface VariedJournal {
  readonly file: Buffer;
  readonly events: readonly VenueEvent[];
  /** Length of the file's header in bytes, which is the offset of the first event. */
  readonly headBytes: number;
  /** Balances in the format of the guide's programs, sorted. */
  readonly balances: readonly string[];
  /** Number of events of each kind. */
  readonly kinds: ReadonlyMap<number, number>;
}

/** Builds the export file of the run's first `count` events, by default of all. */
export function variedJournal(count = Number.POSITIVE_INFINITY): VariedJournal {
  const bytes = brotliDecompressSync(readFileSync(journal));
  const state = new VenueState(testMarkets);
  const kinds = new Map<number, number>();
  const decoded: VenueEvent[] = [];
  const [offsets, lengths, times] = [[] as number[], [] as number[], [] as number[]];
  let end = 0;
  while (end < bytes.length && offsets.length < count) {
    const length = bytes.readUInt16LE(end + lengthAt);
    const event = decodeEventBytes(bytes, end, length);
    apply(state, event);
    decoded.push(event);
    kinds.set(event.kind, (kinds.get(event.kind) ?? 0) + 1);
    offsets.push(end);
    lengths.push(length);
    times.push(event.tsUs);
    end += length;
  }
  const made = new JournalFileBytes();
  const range = { from: 1, to: offsets.length, firstUs: times[0] ?? 0, lastUs: times.at(-1) ?? 0 };
  const head = made.head(journalFileHeader(range, testMarkets, null));
  const events = made.events({
    ...{ firstSeq: 1, count: offsets.length, bytes: bytes.subarray(0, end) },
    ...{ offsets: Uint32Array.from(offsets), lengths: Uint32Array.from(lengths) },
  });
  const file = Buffer.concat([head, events, made.trailer().bytes]);
  const balances = balancesOf(state).sort();
  return { file, events: decoded, headBytes: head.length, balances, kinds };
}

function balancesOf({ accounts, balances }: VenueState): string[] {
  const lines: string[] = [];
  for (let slot = 1; slot < accounts.next; slot++) {
    const account = accounts.at(slot);
    for (const [name, wallet] of Object.entries(wallets)) {
      for (const { id, code, decimals } of testMarkets.assets) {
        const units = account === 0 ? 0n : balances.total(account, wallet as Wallet, id);
        if (units !== 0n) lines.push(`${account} ${name} ${code} ${decimal(units, decimals)}`);
      }
    }
  }
  return lines;
}

function decimal(units: bigint, decimals: number): string {
  const digits = `${units < 0n ? -units : units}`.padStart(decimals + 1, "0");
  return `${units < 0n ? "-" : ""}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
