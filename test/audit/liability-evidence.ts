// Builds the statements of liabilities that an auditor gets, from events, and lets them lie in one place. Everything
// that depends on the lie (sums, roots, digest, seal) is recomputed, so that only recomputed books can tell it.

import { SystemAccount, Wallet } from "../../src/core/accounts.ts";
import {
  EventKind,
  type LiabilitiesStated,
  type VenueEvent,
} from "../../src/core/generated/events.ts";
import type { Asset } from "../../src/core/money/assets.ts";
import { digestWordsOf } from "../../src/engine/epochs/statement-digest.ts";
import { ownedAmounts } from "../../src/engine/risk/owned-amounts.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import {
  digestOfStatement,
  type StatedAsset,
  statementText,
} from "../../src/services/epochs/liability-statement.ts";
import {
  epochKeyOf,
  levelsOf,
  type NaiveLeaf,
  NaiveSumTree,
  type StatedAmount,
} from "../support/epochs/naive-liabilities.ts";
import { testMarkets } from "../support/machine/test-markets.ts";

const nonceKey = new Uint8Array(32).fill(7);
const nobody = new Uint8Array(32);
const venue = "audited";
/** Coins that custody of the made-up ledger has beyond what the venue owes, in units of 10^−10. */
const surplus = 50_000_000_000n;

/** A statement as the export has it. */
export interface StatementLine {
  readonly statement: string;
  readonly entry_seq: string;
  readonly epoch_key: string;
}

export interface StatementFile {
  readonly fingerprints: Readonly<Record<string, string>>;
  readonly lines: readonly StatementLine[];
}

/** Where a statement lies; each function gets the truth. */
export interface Lies {
  readonly fingerprint?: (fingerprint: Uint8Array, account: number) => Uint8Array;
  /** The epoch whose number and key the leaves have. */
  readonly epoch?: (epoch: number) => number;
  /** The amounts of the asset that has most accounts. */
  readonly amounts?: (amounts: readonly StatedAmount[]) => readonly StatedAmount[];
  /** The leaves of that asset's tree, padding included. */
  readonly leaves?: (leaves: readonly NaiveLeaf[]) => readonly NaiveLeaf[];
  /** The figures of that asset; null leaves the asset out. */
  readonly figures?: (figures: StatedAsset) => StatedAsset | null;
  readonly marks?: (marks: Float64Array) => Float64Array;
  /** The entry after which amounts are counted. */
  readonly seq?: (seq: number) => number;
  readonly text?: (text: string) => string;
  /** The entry with the digest; null leaves it out. */
  readonly entry?: (entry: LiabilitiesStated) => LiabilitiesStated | null;
}

interface StatedEpoch {
  readonly epoch: number;
  readonly lastSeq: number;
}

/** The fingerprint of a customer's wallet key, made up from the account. */
function fingerprintOf(account: number): Uint8Array {
  return account > 1000 ? new Uint8Array(32).fill(account & 255) : nobody;
}

/** The events and statements about these epochs, whose entries follow the events. Only the first statement lies. */
export function statedAfter(
  events: readonly VenueEvent[],
  epochs: readonly StatedEpoch[],
  lies: Lies = {},
): { readonly events: readonly VenueEvent[]; readonly statements: StatementFile } {
  const all = [...events];
  const lines: StatementLine[] = [];
  for (const [index, epoch] of epochs.entries()) {
    const told = index === 0 ? lies : {};
    const text = textOf(events, epoch, told);
    const last = all.at(-1) as VenueEvent;
    const entry = entryOf(last, epoch, text);
    const recorded = told.entry === undefined ? entry : told.entry(entry);
    if (recorded !== null) all.push(recorded);
    const key = Buffer.from(epochKeyOf(nonceKey, epoch.epoch)).toString("hex");
    lines.push({ statement: text, entry_seq: String(entry.seq), epoch_key: key });
  }
  return { events: all, statements: { fingerprints: fingerprintsOf(events), lines } };
}

function fingerprintsOf(events: readonly VenueEvent[]): Record<string, string> {
  const accounts = new Set(
    events.map(({ account }) => account).filter((account) => account > 1000),
  );
  return Object.fromEntries(
    [...accounts].map((account) => [account, Buffer.from(fingerprintOf(account)).toString("hex")]),
  );
}

function entryOf(
  last: VenueEvent,
  { epoch, lastSeq }: StatedEpoch,
  text: string,
): LiabilitiesStated {
  return {
    ...{ kind: EventKind.liabilitiesStated, seq: last.seq + 1, tsUs: last.tsUs + 1 },
    ...{ account: 0, isTransactionEnd: true, epoch, statedSeq: lastSeq },
    ...digestWordsOf(digestOfStatement(text)),
  };
}

function textOf(
  events: readonly VenueEvent[],
  { epoch, lastSeq }: StatedEpoch,
  lies: Lies,
): string {
  const seq = lies.seq?.(lastSeq) ?? lastSeq;
  const state = new VenueState(testMarkets);
  for (const event of events.slice(0, seq)) apply(state, event);
  const owned = ownedAmounts(state);
  const lists = owned.byAsset.map((column) =>
    Array.from(owned.accounts, (account, index) => {
      const fingerprint = fingerprintOf(state.accounts.ownerOf(account));
      return {
        ...{ account, amount: column[index] ?? 0n },
        fingerprint: lies.fingerprint?.(fingerprint, account) ?? fingerprint,
      };
    }),
  );
  const holders = lists.map((amounts) => amounts.filter(({ amount }) => amount !== 0n).length);
  const most = holders.indexOf(Math.max(...holders));
  const assets = testMarkets.assets.flatMap((asset) => {
    const told = asset.id === most ? lies : {};
    const treeEpoch = told.epoch?.(epoch) ?? epoch;
    const figures = figuresOf(state, asset, lists[asset.id] ?? [], {
      epoch: treeEpoch,
      lies: told,
    });
    return told.figures === undefined ? [figures] : [told.figures(figures) ?? []].flat();
  });
  const marks = lies.marks?.(owned.marks) ?? owned.marks;
  const parts = { venue, epoch, seq, assets, marks, table: testMarkets, ledgerOffset: 815 };
  const text = statementText(parts);
  return lies.text?.(text) ?? text;
}

function figuresOf(
  state: VenueState,
  asset: Asset,
  honest: readonly StatedAmount[],
  { epoch, lies }: { readonly epoch: number; readonly lies: Lies },
): StatedAsset {
  const amounts = lies.amounts?.(honest) ?? honest;
  const epochKey = epochKeyOf(nonceKey, epoch);
  const tree = new NaiveSumTree({ epoch, epochKey }, asset.id, amounts);
  const leaves = lies.leaves?.(tree.leaves) ?? tree.leaves;
  const root = levelsOf(leaves).at(-1)?.[0];
  const total = root?.sum ?? 0n;
  const owed = (total - tree.shortfall) * 10n ** BigInt(10 - asset.decimals);
  const held = { holdings: owed + surplus, inFlight: 0n, claims: 0n, surplus };
  const insurance =
    amounts.find(({ account }) => account === SystemAccount.insurance)?.amount ?? 0n;
  const wallets = Object.values(Wallet);
  const debts = wallets.map((wallet) =>
    state.balances.total(SystemAccount.faucet, wallet, asset.id),
  );
  const faucetDebt = debts.reduce((debt, units) => debt - units, 0n);
  return {
    ...{ asset, leaves: leaves.length, root: root?.hash ?? nobody, total },
    ...{ shortfall: tree.shortfall, insurance, faucetDebt, held },
  };
}
