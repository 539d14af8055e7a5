// Follows a venue from outside, round by round: its chain of epochs, the heads that it signs, its statements of
// liabilities and the commitments on the ledger that it reports, and what it told to other watchers. Nothing that the
// venue answers is believed without a check that another answer, or a peer, could fail.

import * as z from "zod";
import { type SignedHead, signedHeadIn } from "../../services/access/signed-head.ts";
import { answerOf, jsonIn, NoAnswer } from "./bounded-answer.ts";
import { BrokenChain, type ListedEpoch, type Walk, walkBack } from "./chain-walk.ts";
import type { Finding } from "./finding.ts";
import type { HeadFolder } from "./head-folder.ts";
import { areTwoStories, comparePeer, keepProof } from "./peers.ts";
import {
  type CheckedStatement,
  checkStatement,
  epochsOf,
  isListed,
  readStatements,
  type Statement,
} from "./statement.ts";

export interface WatcherTerms {
  readonly venue: URL;
  readonly folder: HeadFolder;
  /** Addresses of other watchers, or paths of files of their heads. */
  readonly peers: readonly string[];
  /** The venue's key as standard base64; null: that of the first head that is seen. */
  readonly key: string | null;
  /** Roots by epoch that the reader has from elsewhere, such as a ledger node. */
  readonly roots: ReadonlyMap<string, string>;
  /** Epochs without a new one after which the venue is silent. */
  readonly staleEpochs: number;
  /**
   * Age of the newest statement, and of the newest commitment on the ledger, after which the venue is silent; also for how
   * long its statements may leave its holdings open.
   */
  readonly staleMs: number;
  readonly nowMs: () => number;
}

/** A page of 1,000 epochs has at most 1 MB. */
const bytesMax = 4 * 2 ** 20;
/** A round that reads a chain of years from its beginning may take minutes. */
const roundMsMax = 600_000;

/** How far a venue's clock may be ahead of the watcher's. */
const aheadMsMax = 60_000;

const chainStatus = z.object({
  last_confirmed_epoch: z.string().max(20).nullable(),
  lag_seconds: z.number().nullable(),
  network: z.string().max(200).nullable(),
});

type Read = (path: string) => Promise<unknown>;

export class Watcher {
  readonly #terms: WatcherTerms;
  /** The given roots that no round has seen in the chain yet. */
  readonly #roots: Map<string, string>;

  constructor(terms: WatcherTerms) {
    this.#terms = terms;
    this.#roots = new Map(terms.roots);
  }

  /** Looks at the venue and the peers once; `signal` ends the round early. */
  async round(signal: AbortSignal): Promise<readonly Finding[]> {
    const { folder, peers, venue } = this.#terms;
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(roundMsMax)]);
    const read = async (path: string) => {
      const url = new URL(path, venue);
      return jsonIn(await answerOf(url, { bytesMax, signal: bounded }), url);
    };
    const ofVenue = await this.#ofVenue(read);
    const ofPeers = await Promise.all(peers.map((peer) => comparePeer(peer, folder, bounded)));
    return [...ofVenue, ...ofPeers];
  }

  async #ofVenue(read: Read): Promise<readonly Finding[]> {
    try {
      const { folder } = this.#terms;
      const statements = await readStatements(read, folder.memory.statement);
      const wanted = [...epochsOf(statements), ...this.#roots.keys()];
      const walk = await walkBack({ read, known: folder.newest, wanted });
      return await this.#checked(read, walk, statements);
    } catch (error) {
      if (error instanceof NoAnswer) return [silent("venue", error)];
      if (error instanceof BrokenChain) return [await this.#broken(read, error)];
      throw error;
    }
  }

  async #checked(
    read: Read,
    walk: Walk | null,
    statements: readonly Statement[],
  ): Promise<readonly Finding[]> {
    const chain = this.#chain(walk);
    if (walk === null) return [this.#venue(null), chain];
    const head = await this.#head(read, walk.newest);
    const stated = await this.#stated(statements, walk);
    const ledger = await this.#ledger(read);
    return [this.#venue(walk.newest), chain, ...this.#given(walk), head, ...stated, ledger];
  }

  /** Whether new epochs come; times are compared by this machine's clock. */
  #venue(newest: ListedEpoch | null): Finding {
    const { folder, nowMs, staleEpochs } = this.#terms;
    const subject = "venue";
    const endMs = Number(newest?.end_ms ?? folder.newest?.time ?? nowMs());
    const lateMs = nowMs() - endMs;
    // Without a newer epoch nothing says how long one is, and this round cannot tell a cache from a venue that stands.
    const periodMs = newest === null ? 60_000 : Number(newest.end_ms) - Number(newest.start_ms);
    if (lateMs > staleEpochs * periodMs) {
      const message = `no epoch for ${Math.round(lateMs / 1000)} s, by this machine's clock`;
      return { subject, state: "silent", message };
    }
    // An epoch is sealed after its end. One that ends in the future would hide for so long that the venue stands still.
    if (-lateMs > aheadMsMax) {
      const message = `the newest epoch ends ${Math.round(-lateMs / 1000)} s ahead of this machine's clock`;
      return { subject, state: "silent", message };
    }
    return { subject, state: "ok", message: `${this.#terms.venue.origin} answers` };
  }

  #chain(walk: Walk | null): Finding {
    const subject = "chain";
    const known = this.#terms.folder.newest;
    if (walk === null && known === null)
      return { subject, state: "unknown", message: "nothing is sealed yet" };
    if (walk === null)
      return { subject, state: "ok", message: `nothing newer than epoch ${known?.epoch}` };
    const { count, newest, oldest, isWhole } = walk;
    const epochs = count === 1 ? "1 epoch is" : `${count} epochs are`;
    const from = isWhole ? "the first of all" : oldest.epoch;
    const message = `${epochs} one chain, from ${from} to ${newest.epoch}, root ${newest.root}`;
    return { subject, state: "ok", message };
  }

  /** Compares the chain with the roots that were given; each is looked for until it was seen once. */
  #given({ found }: Walk): readonly Finding[] {
    return [...this.#roots].map(([epoch, root]) => {
      const subject = `root ${epoch}`;
      const own = found.get(epoch)?.root;
      if (own === undefined)
        return { subject, state: "unknown", message: "the chain has no such epoch" };
      if (own !== root)
        return { subject, state: "broken", message: `the chain has ${own}, you gave ${root}` };
      this.#roots.delete(epoch);
      return { subject, state: "ok", message: "the chain has the root that you gave" };
    });
  }

  /** Gets the signed head of the newest epoch, compares it with the list, and keeps it. */
  async #head(read: Read, newest: ListedEpoch): Promise<Finding> {
    const { folder } = this.#terms;
    const subject = "head";
    const { epoch } = newest;
    try {
      const answer = await read(`/v1/chain/head?epoch=${epoch}`);
      const key = this.#terms.key ?? folder.newest?.key ?? null;
      const head = headOf(answer, newest, key);
      if (typeof head === "string") {
        const evidence = { says: head, listed: newest, key, answer };
        const path = await folder.prove(`wrong-head-${epoch}.json`, evidence);
        return { subject, state: "broken", message: `${head}: the evidence is in ${path}` };
      }
      if (folder.newest?.epoch !== epoch) await folder.keep(head);
      return { subject, state: "ok", message: `epoch ${epoch} is signed by ${head.key}` };
    } catch (error) {
      if (error instanceof NoAnswer) return silent(subject, error);
      throw error;
    }
  }

  /** The chain is broken: asks the venue to sign what it says now, and keeps the evidence. */
  async #broken(read: Read, { message, evidence }: BrokenChain): Promise<Finding> {
    const { folder } = this.#terms;
    const kept = folder.newest;
    const now = kept === null ? null : await headNow(read, kept.epoch);
    if (kept !== null && now !== null && areTwoStories(kept, now)) {
      const path = await keepProof(folder, [kept, now]);
      const says = `the venue signed two heads of epoch ${kept.epoch}: the proof is in ${path}`;
      return { subject: "chain", state: "broken", message: says };
    }
    const name = `broken-chain-${kept?.epoch ?? "first"}.json`;
    const path = await folder.prove(name, { says: message, kept, evidence });
    return { subject: "chain", state: "broken", message: `${message}: the evidence is in ${path}` };
  }

  /** Checks the statements that are new, and tells the age of the newest and what they say of assets. */
  async #stated(statements: readonly Statement[], walk: Walk): Promise<readonly Finding[]> {
    const subject = "statement";
    const { folder } = this.#terms;
    const checked: CheckedStatement[] = [];
    for (const statement of statements.filter(({ epoch }) => isListed(epoch, walk))) {
      const result = await checkStatement(statement, walk, folder.memory.statement);
      if ("fault" in result) {
        const { epoch, answer } = statement;
        const path = await folder.prove(`statement-${epoch}.json`, answer);
        const message = `the statement of epoch ${epoch} is wrong: ${result.fault}; it is in ${path}`;
        return [{ subject, state: "broken", message }];
      }
      // A statement whose entry is not sealed yet is checked again in the next round.
      if (result.isWhole) await folder.remember({ statement: result.remembered });
      checked.push(result.remembered);
    }
    const newest = checked.at(-1) ?? folder.memory.statement;
    if (newest === null) {
      const message = "the venue has made no statement of its liabilities";
      return [{ subject, state: "unknown", message }];
    }
    const deficit = checked.find(({ assets }) => assets.state === "deficit");
    return [this.#aged(newest), this.#assets(deficit ?? newest)];
  }

  /** A venue that does not say for long what it holds could hide a deficit so: it is silent. */
  #assets({ assets, atMs, knownMs }: CheckedStatement): Finding {
    const unknownMs = atMs - knownMs;
    if (unknownMs <= this.#terms.staleMs) return assets;
    const message = `${assets.message}, nor in the ${Math.round(unknownMs / 1000)} s before`;
    return { ...assets, state: "silent", message };
  }

  #aged({ epoch, atMs }: CheckedStatement): Finding {
    const subject = "statement";
    const { nowMs, staleMs } = this.#terms;
    const ageMs = nowMs() - atMs;
    const message = `the newest is of epoch ${epoch}, ${Math.round(ageMs / 1000)} s ago`;
    return { subject, state: ageMs > staleMs ? "silent" : "ok", message };
  }

  /** What the venue reports of its commitments; a reader compares it with a ledger node. */
  async #ledger(read: Read): Promise<Finding> {
    const subject = "ledger";
    try {
      const status = chainStatus.safeParse(await read("/v1/chain/status"));
      if (!status.success) throw new NoAnswer("the status of the chain has another form");
      const { last_confirmed_epoch: epoch, lag_seconds: lag, network } = status.data;
      if (epoch === null || lag === null)
        return { subject, state: "unknown", message: "no epoch is confirmed on a ledger" };
      const message = `the venue reports epoch ${epoch} confirmed on ${network}, ${lag} s ago`;
      return { subject, state: lag * 1000 > this.#terms.staleMs ? "silent" : "ok", message };
    } catch (error) {
      if (error instanceof NoAnswer) return silent(subject, error);
      throw error;
    }
  }
}

/** Returns the head in the venue's answer for this epoch, or why there is none. `key` is null before the first head. */
function headOf(
  answer: unknown,
  { epoch, root, venue }: ListedEpoch,
  key: string | null,
): SignedHead | string {
  const head = signedHeadIn(answer);
  if (head === null || head.epoch !== epoch || head.venue !== venue)
    return `epoch ${epoch} has no head with a signature that is valid`;
  if (key !== null && head.key !== key)
    return `epoch ${epoch} is signed by ${head.key}, not by ${key}`;
  if (head.root !== root) return `the venue lists another root of epoch ${epoch} than it signs`;
  return head;
}

/** Returns the head that the venue signs now for an epoch; null if it signs none. */
async function headNow(read: Read, epoch: string): Promise<SignedHead | null> {
  try {
    return signedHeadIn(await read(`/v1/chain/head?epoch=${epoch}`));
  } catch (error) {
    if (error instanceof NoAnswer) return null;
    throw error;
  }
}

function silent(subject: string, { message }: NoAnswer): Finding {
  return { subject, state: "silent", message };
}
