// Ways to falsify sealed epochs, each with the check that must find it. Whatever depends on the falsified part, such as
// the root of a header or the link to the next epoch, is recomputed, unless it is what is falsified.

import { createHash } from "node:crypto";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { changed, firstOf } from "./altered-events.ts";
import { type EpochLine, type Evidence, exportOf } from "./evidence.ts";

export interface EpochManipulation {
  readonly name: string;
  /** Part of the rule of the check that finds it. */
  readonly rule: string;
  /** `epochs` has at least three epochs with entries in the first two. */
  readonly falsify: (events: readonly VenueEvent[], epochs: readonly EpochLine[]) => Evidence;
}

const hashDigits = 64;

function sha256(...parts: readonly Buffer[]): Buffer {
  return createHash("sha256").update(Buffer.concat(parts)).digest();
}

/** The root of RFC 6962 over leaf hashes, as the standard defines it: split at the largest power of two. */
function treeRoot(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return only;
  const split = 2 ** Math.floor(Math.log2(leaves.length - 1));
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return sha256(Buffer.of(1), treeRoot(left), treeRoot(right));
}

function leavesOf({ leaves = "" }: EpochLine): Buffer[] {
  const texts = leaves.match(new RegExp(`.{${hashDigits}}`, "g")) ?? [];
  return texts.map((text) => Buffer.from(text, "hex"));
}

/** The root that an epoch's fields give. */
function rootOf(line: EpochLine): string {
  const venue = Buffer.from(line["venue"] ?? "");
  const names = [
    "epoch",
    "start_ms",
    "end_ms",
    "first_seq",
    "last_seq",
    "journal_count",
    "fill_count",
  ];
  const numbers = names.map((name) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt(line[name] ?? 0));
    return bytes;
  });
  const roots = [line["merkle_root"], line["prev_root"]].map((root) =>
    Buffer.from(root ?? "", "hex"),
  );
  const head = [Buffer.of(2), Buffer.from("VEH1"), Buffer.of(venue.length), venue];
  return sha256(...head, ...numbers, ...roots).toString("hex");
}

/** Changes the first epoch, and gives it and all later ones the roots and links that follow. */
function rechained(epochs: readonly EpochLine[], change: EpochLine): EpochLine[] {
  let before: EpochLine | null = null;
  return epochs.map((line, index) => {
    const linked = { ...line, ...(before === null ? change : { prev_root: before["root"] ?? "" }) };
    before = index === 0 || before !== null ? { ...linked, root: rootOf(linked) } : null;
    return before ?? line;
  });
}

/** Falsifies fields of the first epoch. */
function ofFirst(change: (line: EpochLine) => EpochLine): EpochManipulation["falsify"] {
  return (events, epochs) => ({
    journal: exportOf(events),
    epochs: rechained(epochs, change(epochs[0] ?? {})),
  });
}

export const epochManipulations: readonly EpochManipulation[] = [
  {
    name: "an entry that moves no money is changed after it was sealed",
    rule: "sealed leaf",
    falsify: (events, epochs) => {
      const key = firstOf(events, EventKind.keyRegistered);
      const permissions = key.permissions ^ 1;
      return { journal: exportOf(changed(events, key, { permissions })), epochs };
    },
  },
  {
    name: "the same, and the list of leaves follows the journal",
    rule: "Merkle root of its leaves",
    falsify: (events, epochs) => {
      const key = firstOf(events, EventKind.keyRegistered);
      const altered = changed(events, key, { permissions: key.permissions ^ 1 });
      return { journal: exportOf(altered), epochs: epochs.map(({ leaves: _, ...line }) => line) };
    },
  },
  {
    name: "the last leaf of an epoch is in its tree twice",
    rule: "Merkle root of its leaves",
    falsify: ofFirst((line) => {
      const leaves = leavesOf(line);
      const doubled = [...leaves, leaves.at(-1) as Buffer];
      return { merkle_root: treeRoot(doubled).toString("hex") };
    }),
  },
  {
    name: "an epoch lacks its last leaf",
    rule: "Merkle root of its leaves",
    falsify: ofFirst((line) => ({
      merkle_root: treeRoot(leavesOf(line).slice(0, -1)).toString("hex"),
    })),
  },
  {
    name: "an epoch states a fill more than it has",
    rule: "counts its fills",
    falsify: ofFirst(({ fill_count: count = "0" }) => ({ fill_count: `${Number(count) + 1}` })),
  },
  {
    name: "an epoch states an entry more than it has",
    rule: "counts its entries",
    falsify: ofFirst(({ journal_count: count = "0" }) => ({
      journal_count: `${Number(count) + 1}`,
    })),
  },
  {
    name: "a root is not that of its header",
    rule: "has a header that hashes to its root",
    falsify: (events, epochs) => {
      const [first, ...rest] = epochs.slice(0, 1);
      return { journal: exportOf(events), epochs: [{ ...first, venue: "another" }, ...rest] };
    },
  },
  {
    name: "an epoch is left out",
    rule: "follows the one before it",
    falsify: (events, epochs) => ({ journal: exportOf(events), epochs: epochs.toSpliced(1, 1) }),
  },
  {
    name: "an epoch links to another one than the one before it",
    rule: "follows the one before it",
    falsify: (events, epochs) => {
      const [first = {}, second = {}] = epochs;
      const unlinked = { ...second, prev_root: first["merkle_root"] ?? "" };
      return {
        journal: exportOf(events),
        epochs: [first, { ...unlinked, root: rootOf(unlinked) }],
      };
    },
  },
  {
    name: "the first entry is in no epoch",
    rule: "follows the one before it",
    falsify: ofFirst(() => ({ first_seq: "2" })),
  },
];
