// Reads a venue's list of epochs from the newest back to one that is known, or to the first of all, and checks every
// header and link on the way.

import { createHash } from "node:crypto";
import * as z from "zod";
import { verifyChain } from "../../services/epochs/proof-verifier.ts";
import { NoAnswer } from "./bounded-answer.ts";

export const sha256 = (data: Uint8Array): Uint8Array => createHash("sha256").update(data).digest();

/** The chain is not what it must be. `evidence` is what the venue said. */
export class BrokenChain extends Error {
  override name = "BrokenChain";
  readonly evidence: object;

  constructor(message: string, evidence: object) {
    super(message);
    this.evidence = evidence;
  }
}

export const digits = z.string().regex(/^(0|[1-9]\d{0,15})$/);
export const hash = z.string().regex(/^[0-9a-f]{64}$/);

const listedEpoch = z.looseObject({
  venue: z.string().max(255),
  epoch: digits,
  start_ms: digits,
  end_ms: digits,
  last_seq: digits,
  root: hash,
  prev_root: hash,
});
export type ListedEpoch = z.output<typeof listedEpoch>;

/** A page when the venue is followed, and when its whole chain is read. */
const usualPage = 100;
const wholePage = 1_000;
const listed = z.object({ items: z.array(listedEpoch).max(wholePage) });

/** A venue that seals each second for half a year, or each minute for 38 years. */
const pagesMax = 20_000;
const noRoot = "0".repeat(64);

export interface Walk {
  readonly newest: ListedEpoch;
  /** The last that was checked, which is the first of the chain if it `isWhole`. */
  readonly oldest: ListedEpoch;
  /** Those of `wanted` that were passed. */
  readonly found: ReadonlyMap<string, ListedEpoch>;
  /** How many epochs were checked, both of these included. */
  readonly count: number;
  readonly isWhole: boolean;
}

export interface WalkTerms {
  /** Returns the venue's answer to a path. */
  readonly read: (path: string) => Promise<unknown>;
  /** An epoch that was checked before. */
  readonly known: { readonly epoch: string; readonly root: string } | null;
  /** Epochs that the caller needs, checked; the walk goes back to the oldest of them. */
  readonly wanted: readonly string[];
}

/**
 * Returns null if the venue has sealed nothing, or has not come to the known epoch, as an answer from a cache may say.
 * Throws BrokenChain, or NoAnswer if what is answered is no list of epochs.
 */
export async function walkBack({ read, known, wanted }: WalkTerms): Promise<Walk | null> {
  const until = known === null ? null : oldest([known.epoch, ...wanted]);
  const found = new Map<string, ListedEpoch>();
  let newest: ListedEpoch | undefined;
  let last: ListedEpoch | undefined;
  let count = 0;
  for await (const item of checkedEpochs(read, known === null ? wholePage : usualPage)) {
    newest ??= item;
    if (isBefore(newest, known)) return null;
    checkKnown(item, known);
    if (wanted.includes(item.epoch)) found.set(item.epoch, item);
    [last, count] = [item, count + 1];
    if (until !== null && BigInt(item.epoch) <= until)
      return { newest, oldest: item, found, count, isWhole: false };
  }
  if (newest === undefined || last === undefined) return null;
  checkEnd(last, known);
  return { newest, oldest: last, found, count, isWhole: true };
}

/** The venue's epochs from the newest to the end of its list, in pages; each page is checked before its first is given. */
async function* checkedEpochs(read: WalkTerms["read"], limit: number): AsyncGenerator<ListedEpoch> {
  let before: readonly ListedEpoch[] = [];
  for (let page = 0; page < pagesMax; page++) {
    const cursor = before[0] === undefined ? "" : `&cursor=${before[0].epoch}`;
    const items = itemsOf(await read(`/v1/chain/epochs?limit=${limit}${cursor}`));
    if (items.length === 0) return;
    await checkPage([...before, ...items]);
    yield* items;
    before = items.slice(-1);
  }
  throw new NoAnswer(`the list of epochs does not end after ${pagesMax} pages`);
}

function isBefore(newest: ListedEpoch, known: WalkTerms["known"]): boolean {
  return known !== null && BigInt(newest.epoch) < BigInt(known.epoch);
}

/** Checks that the list may end with `first`, without having come to the known epoch. */
function checkEnd(first: ListedEpoch, known: WalkTerms["known"]): void {
  if (first.prev_root !== noRoot) {
    const message = `the list ends with epoch ${first.epoch}, which has an epoch before it`;
    throw new BrokenChain(message, { first });
  }
  if (known !== null && BigInt(first.epoch) > BigInt(known.epoch)) {
    const message = `epoch ${known.epoch} is gone: the chain now begins with ${first.epoch}`;
    throw new BrokenChain(message, { known, first });
  }
}

function itemsOf(document: unknown): readonly ListedEpoch[] {
  const read = listed.safeParse(document);
  if (!read.success) throw new NoAnswer("the venue did not answer with a list of epochs");
  return read.data.items;
}

/** Checks headers and links of a page, after the last epoch of the page before. */
async function checkPage(epochs: readonly ListedEpoch[]): Promise<void> {
  const evidence = { epochs };
  const { isValid, steps } = await verifyChain(epochs, { sha256 });
  if (!isValid) throw new BrokenChain(steps.at(-1)?.message ?? "", evidence);
  // The verifier also takes a list in ascending order, from which no walk goes back.
  const [first, last] = [epochs.at(0)?.epoch ?? "0", epochs.at(-1)?.epoch ?? "0"];
  if (BigInt(first) < BigInt(last))
    throw new BrokenChain("epochs are not listed newest first", evidence);
  const other = epochs.find(({ venue }) => venue !== epochs[0]?.venue);
  if (other !== undefined)
    throw new BrokenChain(`epoch ${other.epoch} is of a venue called ${other.venue}`, evidence);
}

function checkKnown(item: ListedEpoch, known: WalkTerms["known"]): void {
  if (item.epoch !== known?.epoch || item.root === known.root) return;
  const message = `epoch ${item.epoch} had root ${known.root} and now has ${item.root}`;
  throw new BrokenChain(message, { known, now: item });
}

function oldest(epochs: readonly string[]): bigint {
  const [first = 0n] = epochs.map(BigInt).sort((one, other) => (one < other ? -1 : 1));
  return first;
}
