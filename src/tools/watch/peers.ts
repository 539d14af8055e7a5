// Compares a watcher's heads with those of other watchers, which are read from their servers or from files that they
// publish. A peer is not trusted either: what it says counts only under the venue's own signature.

import { access } from "node:fs/promises";
import { isSigned, type SignedHead } from "../../services/access/signed-head.ts";
import { answerOf, NoAnswer } from "./bounded-answer.ts";
import type { Finding } from "./finding.ts";
import { type HeadFolder, headsBytesMax, headsIn, tailOf } from "./head-folder.ts";

/** Returns whether a peer is an address; otherwise it is the path of a file. */
function isAddress(peer: string): boolean {
  return /^https?:\/\//.test(peer);
}

/** Returns the heads of a peer; throws NoAnswer if it does not answer. */
async function headsOf(peer: string, signal: AbortSignal): Promise<readonly SignedHead[]> {
  if (!isAddress(peer)) return headsIn(await textOf(peer));
  const url = new URL(peer);
  if (url.pathname === "/") url.pathname = "/heads";
  const { status, text } = await answerOf(url, { bytesMax: headsBytesMax, signal });
  if (status !== 200) throw new NoAnswer(`${url.host} answered ${status}`);
  return headsIn(text);
}

async function textOf(path: string): Promise<string> {
  try {
    await access(path);
    return await tailOf(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new NoAnswer(`the file cannot be read (${code})`);
  }
}

/** Two heads that the same key signed for one epoch of one venue, with different roots. */
export function areTwoStories(one: SignedHead, other: SignedHead): boolean {
  const isSame = one.venue === other.venue && one.epoch === other.epoch && one.key === other.key;
  return isSame && one.root !== other.root;
}

/** Writes the proof that the venue signed two heads of one epoch, and returns where it is. */
export function keepProof(
  folder: HeadFolder,
  heads: readonly [SignedHead, SignedHead],
): Promise<string> {
  const [{ venue, epoch, key }] = heads;
  const says = "Both heads are signed by the venue's key: it told two stories of one epoch.";
  return folder.prove(`equivocation-${epoch}.json`, { says, venue, epoch, key, heads });
}

/** Compares the heads of a peer with the watcher's own (WCH-6). */
export async function comparePeer(
  peer: string,
  folder: HeadFolder,
  signal: AbortSignal,
): Promise<Finding> {
  const subject = `peer ${peer}`;
  const theirs = await headsOf(peer, signal).catch((error: unknown) => {
    if (error instanceof NoAnswer) return error.message;
    throw error;
  });
  if (typeof theirs === "string") return { subject, state: "unknown", message: theirs };
  const own = new Map(folder.heads.map((head) => [head.epoch, head]));
  const pairs = theirs.flatMap((head): [SignedHead, SignedHead][] => {
    const same = own.get(head.epoch);
    return same === undefined ? [] : [[same, head]];
  });
  // A line that nobody signed says nothing, whether it agrees or not.
  const odd = pairs.filter(([one, other]) => one.root !== other.root || one.key !== other.key);
  const signed = odd.filter((heads) => heads.every(isSigned));
  const two = signed.find(([one, other]) => areTwoStories(one, other));
  if (two !== undefined) {
    const path = await keepProof(folder, two);
    const message = `the venue signed two heads of epoch ${two[0].epoch}: the proof is in ${path}`;
    return { subject, state: "broken", message };
  }
  if (signed[0] !== undefined) {
    const [{ key }, other] = signed[0];
    const message =
      `its head of epoch ${other.epoch} is of ${other.venue} and signed by ${other.key}, ours by ${key}:` +
      " one of you sees another venue, or the peer is wrong";
    return { subject, state: "disputed", message };
  }
  const agreed = pairs.filter((pair) => !odd.includes(pair));
  const newest = agreed.at(-1)?.[0].epoch;
  if (newest === undefined) return { subject, state: "unknown", message: "no epoch in common yet" };
  return { subject, state: "ok", message: `${agreed.length} heads agree, up to epoch ${newest}` };
}
