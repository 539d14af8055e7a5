// Ways to falsify statements of liabilities, each with the check that must find it.

import type { LiabilitiesStated } from "../../src/core/generated/events.ts";
import type { NaiveLeaf, StatedAmount } from "../support/epochs/naive-liabilities.ts";
import type { Lies } from "./liability-evidence.ts";

export interface LiabilityManipulation {
  readonly name: string;
  /** Part of the rule of the check that finds it. */
  readonly rule: string;
  readonly lies: Lies;
}

const asOwed = "states the {name} of the journal";
const asTree = "has the root of all accounts' leaves";
const recorded = "has its digest in the journal";

/** The amounts above zero, largest first. */
function ranked(amounts: readonly StatedAmount[]): StatedAmount[] {
  return [...amounts]
    .filter(({ amount, account }) => amount > 1n && account > 1000)
    .sort((one, other) => Number(other.amount - one.amount));
}

/** Adds to the amounts of the richest customers, in turn. */
function added(...changes: readonly ((amount: bigint) => bigint)[]): NonNullable<Lies["amounts"]> {
  return (amounts) => {
    const richest = ranked(amounts);
    return amounts.map((stated) => {
      const change = changes[richest.indexOf(stated)];
      return change === undefined ? stated : { ...stated, amount: change(stated.amount) };
    });
  };
}

function indexWhere(leaves: readonly NaiveLeaf[], isPadding: boolean): number {
  return leaves.findIndex(({ of, sum }) => (of === null) === isPadding && (isPadding || sum > 1n));
}

/** Puts another leaf in a place of the tree. */
function placed(
  isPadding: boolean,
  change: (leaf: NaiveLeaf, leaves: readonly NaiveLeaf[]) => NaiveLeaf,
): NonNullable<Lies["leaves"]> {
  return (leaves) => {
    const at = indexWhere(leaves, isPadding);
    return leaves.map((leaf, index) => (index === at ? change(leaf, leaves) : leaf));
  };
}

function entry(change: Partial<LiabilitiesStated>): NonNullable<Lies["entry"]> {
  return (stated) => ({ ...stated, ...change });
}

export const liabilityManipulations: readonly LiabilityManipulation[] = [
  {
    name: "a balance lowered in the tree",
    rule: asOwed,
    lies: { amounts: added((amount) => amount / 2n) },
  },
  {
    name: "a unit moved from one account to another",
    rule: asTree,
    lies: {
      amounts: added(
        (amount) => amount - 1n,
        (amount) => amount + 1n,
      ),
    },
  },
  { name: "an account left out of the tree", rule: asOwed, lies: { amounts: added(() => 0n) } },
  {
    name: "an account left out, and its amount given to another one",
    rule: asTree,
    lies: {
      amounts: (amounts) => {
        const [hidden, other] = ranked(amounts);
        return amounts.map((stated) => {
          if (stated === hidden) return { ...stated, amount: 0n };
          const more = stated === other ? (hidden?.amount ?? 0n) : 0n;
          return { ...stated, amount: stated.amount + more };
        });
      },
    },
  },
  {
    name: "an account counted twice",
    rule: asOwed,
    lies: { amounts: (amounts) => [...amounts, ...ranked(amounts).slice(0, 1)] },
  },
  {
    name: "a debt invented, and netted against what others own",
    rule: asOwed,
    lies: { amounts: added((amount) => -amount) },
  },
  {
    name: "a shortfall hidden",
    rule: asOwed,
    lies: { figures: (figures) => ({ ...figures, shortfall: figures.shortfall + 1n }) },
  },
  {
    name: "a total that is off by one",
    rule: asOwed,
    lies: { figures: (figures) => ({ ...figures, total: figures.total + 1n }) },
  },
  {
    name: "a leaf that stands in for two equal ones",
    rule: asTree,
    lies: {
      leaves: (leaves) => {
        const [one, other] = [...leaves].sort((a, b) => Number(b.sum - a.sum));
        return leaves.map((leaf) =>
          leaf === other && one !== undefined ? { ...one, sum: leaf.sum } : leaf,
        );
      },
    },
  },
  {
    name: "padding with an amount",
    rule: asOwed,
    lies: { leaves: placed(true, (leaf) => ({ ...leaf, sum: 1n })) },
  },
  {
    name: "padding that is another leaf than the epoch's key gives",
    rule: asTree,
    lies: { leaves: placed(true, (leaf) => ({ ...leaf, hash: Buffer.alloc(32, 1) })) },
  },
  {
    name: "leaves in another order",
    rule: asTree,
    lies: { leaves: (leaves) => [...leaves].reverse() },
  },
  {
    name: "a tree twice as large as it must be",
    rule: "has as many leaves as hide its accounts",
    lies: { leaves: (leaves) => [...leaves, ...leaves.map((leaf) => ({ ...leaf, sum: 0n }))] },
  },
  {
    name: "another fingerprint in a member's leaf",
    rule: asTree,
    lies: { fingerprint: (own, account) => (account === 1001 ? Buffer.alloc(32, 9) : own) },
  },
  { name: "leaves of another epoch", rule: asTree, lies: { epoch: (epoch) => epoch - 1 } },
  {
    name: "an insurance fund that looks larger",
    rule: asOwed,
    lies: { figures: (figures) => ({ ...figures, insurance: figures.insurance + 1n }) },
  },
  {
    name: "a faucet that looks as if it owed more",
    rule: asOwed,
    lies: { figures: (figures) => ({ ...figures, faucetDebt: figures.faucetDebt + 1n }) },
  },
  {
    name: "a surplus that does not follow from the holdings",
    rule: "has the surplus of its holdings over its liabilities",
    lies: {
      figures: ({ held, ...figures }) => ({
        ...figures,
        held: held === null ? null : { ...held, surplus: held.surplus + 1n },
      }),
    },
  },
  {
    name: "an asset left out",
    rule: "has all assets",
    lies: { figures: () => null },
  },
  {
    name: "a mark of another moment",
    rule: "has the marks of the journal",
    lies: { marks: (marks) => marks.map((ticks) => ticks + 1) },
  },
  {
    name: "a text that is not canonical",
    rule: "is canonical JSON",
    lies: { text: (text) => text.replace(",", ", ") },
  },
  {
    name: "amounts after another entry than the epoch's last one",
    rule: "is recorded with its epoch and entry",
    lies: { seq: (seq) => seq - 1 },
  },
  {
    name: "a statement that calls another entry the last of its epoch",
    rule: "is about the last entry of its epoch",
    lies: {
      seq: (seq) => seq - 1,
      entry: (stated) => ({ ...stated, statedSeq: stated.statedSeq - 1 }),
    },
  },
  {
    name: "another digest in the journal",
    rule: recorded,
    lies: { entry: entry({ digestFirst: 1n }) },
  },
  {
    name: "an entry that names another epoch",
    rule: "is recorded with its epoch and entry",
    lies: { entry: (stated) => ({ ...stated, epoch: stated.epoch + 1 }) },
  },
  { name: "a statement that is recorded nowhere", rule: recorded, lies: { entry: () => null } },
];
