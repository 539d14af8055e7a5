// Has clearing free what confirmed batches have brought to either side of their fills. What is about to be asked for is
// written down first, one release an account and asset at a time; one whose answer was lost is looked for in
// the journal before anything else is freed, so each coin is freed once.

import type { CoinRelease, SettledCoinStore } from "../../../ports/ledger/settled-coins.ts";
import type { Log } from "../../../ports/log.ts";

/** What is asked of the venue; each answer means it is durable. */
export interface HoldingReleaseService {
  committedSeq(): number;
  /** False where clearing did not do it. */
  settleCoins(account: number, asset: number, amount: bigint): Promise<boolean>;
  /** Those of the releases, by number, that the journal has. */
  releasesDone(releases: readonly CoinRelease[]): Promise<ReadonlySet<number>>;
}

export interface CoinReleaseParts {
  readonly store: SettledCoinStore;
  readonly clearing: HoldingReleaseService;
  readonly log: Log;
}

export class CoinReleases {
  readonly #parts: CoinReleaseParts;

  constructor(parts: CoinReleaseParts) {
    this.#parts = parts;
  }

  /** Frees everything that is confirmed by now; what clearing did not do waits for the next time. */
  async work(): Promise<void> {
    await this.#finish();
    while (await this.#free());
  }

  /** Frees a part; false where nothing is left that could be freed now. */
  async #free(): Promise<boolean> {
    const { store, clearing, log } = this.#parts;
    const releases = await store.prepareReleases(clearing.committedSeq());
    if (releases.length === 0) return false;
    const answers = await Promise.allSettled(
      releases.map(({ account, asset, amount }) => clearing.settleCoins(account, asset, amount)),
    );
    const isDone = (index: number) => {
      const answer = answers[index];
      return answer?.status === "fulfilled" && answer.value;
    };
    const [done, notDone] = divided(releases, (_, index) => isDone(index));
    if (notDone.length > 0) log.warn({ count: notDone.length }, "coins wait to be freed");
    await store.finishReleases(done, notDone);
    return notDone.length === 0;
  }

  /** Releases of before a crash: in the journal or not, nothing else was freed meanwhile. */
  async #finish(): Promise<void> {
    const { store, clearing } = this.#parts;
    const open = await store.openReleases();
    if (open.length === 0) return;
    const found = await clearing.releasesDone(open);
    await store.finishReleases(...divided(open, ({ releaseId }) => found.has(releaseId)));
  }
}

/** Numbers of releases: those that are done, and the others. */
function divided(
  releases: readonly CoinRelease[],
  isDone: (release: CoinRelease, index: number) => boolean,
): [done: number[], notDone: number[]] {
  const [done, notDone]: [number[], number[]] = [[], []];
  for (const [index, release] of releases.entries()) {
    (isDone(release, index) ? done : notDone).push(release.releaseId);
  }
  return [done, notDone];
}
