// What a campaign against settlement lets go wrong on the development ledger, and how often each of it
// struck.

import type { DevnetHands } from "../support/devnet.ts";

/** How often each strikes, of the settler's submissions or, for streams, of the readings. */
const shares: readonly (readonly [effect: string, share: number])[] = [
  ["locked", 0.05],
  ["inactive", 0.05],
  ["delay", 0.05],
  ["timeout_before_commit", 0.04],
  ["timeout_after_commit", 0.04],
  ["drop_after_commit", 0.04],
  ["unavailable", 0.02],
  ["backpressure", 0.04],
  ["no_traffic", 0.04],
  ["in_flight", 0.02],
  ["preapproval_missing", 0.05],
  ["token_expired", 0.04],
  ["stream_stall", 0.05],
  ["stream_duplicate", 0.05],
];
/** Asked for one at a time: the ledger dies of it and forgets that it struck. */
const crash = "crash_after_lock";
const delayMs = 30;
const settling = { commandIdPrefix: "stl:" };

export class SettlementFaults {
  readonly #seed: number;
  readonly #struck: Record<string, number> = {};

  constructor(seed: number) {
    this.#seed = seed;
  }

  get struck(): Readonly<Record<string, number>> {
    return this.#struck;
  }

  /** Those that have never struck. */
  get idle(): string[] {
    return [...shares.map(([effect]) => effect), crash].filter((name) => !this.#struck[name]);
  }

  /** Makes a ledger ill; each time, as `turn` counts them, in another order. */
  async begin(hands: DevnetHands, turn: number): Promise<void> {
    for (const [place, [effect, probability]] of shares.entries()) {
      const match = effect.startsWith("stream_") ? { endpoint: "updates" } : settling;
      const seed = this.#seed * 10_000 + turn * shares.length + place;
      await hands.fault({ id: effect, effect, match, probability, seed, ms: delayMs });
    }
  }

  async end(hands: DevnetHands): Promise<void> {
    for (const [effect] of shares) await hands.call("DELETE", `/devnet/v1/faults/${effect}`);
  }

  /** Has the ledger die of the next submission, while that holds its locks. */
  async crash(hands: DevnetHands): Promise<void> {
    await hands.fault({ id: crash, effect: crash, match: settling, count: 1 });
  }

  crashed(): void {
    this.#add(crash, 1);
  }

  /** Adds up what struck so far; before a ledger ends, which forgets it. */
  async count(hands: DevnetHands): Promise<void> {
    const { faults } = await hands.call<{
      readonly faults: readonly { readonly id: string; readonly struck: number }[];
    }>("GET", "/devnet/v1/faults");
    for (const { id, struck } of faults) if (id !== crash) this.#add(id, struck);
  }

  #add(effect: string, struck: number): void {
    this.#struck[effect] = (this.#struck[effect] ?? 0) + struck;
  }
}
