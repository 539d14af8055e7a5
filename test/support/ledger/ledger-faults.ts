// Faults that a campaign injects into the development ledger, with a count of each. They affect reads of the update
// stream, and submissions whose command ids have a given prefix, by default those of settlement.

import type { DevnetControl } from "./devnet.ts";

/** For each fault, the share of submissions, or of stream reads, that it affects. */
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
/** This fault is injected for one submission at a time, because it ends the ledger, which then loses its counts. */
const crash = "crash_after_lock";
const delayMs = 30;
/** Faults for settlement only: it alone submits payments without checking the preapproval first. */
const ofSettlement = new Set(["preapproval_missing"]);

export class LedgerFaults {
  readonly #seed: number;
  readonly #prefix: string;
  readonly #shares: typeof shares;
  readonly #struck: Record<string, number> = {};

  constructor(seed: number, prefix = "stl:") {
    this.#seed = seed;
    this.#prefix = prefix;
    this.#shares = shares.filter(([effect]) => prefix === "stl:" || !ofSettlement.has(effect));
  }

  get struck(): Readonly<Record<string, number>> {
    return this.#struck;
  }

  /** Faults that have not occurred yet. */
  get idle(): string[] {
    return [...this.#shares.map(([effect]) => effect), crash].filter((name) => !this.#struck[name]);
  }

  /** Enables the faults of a ledger. Each `turn` draws anew which calls they affect. */
  async begin(control: DevnetControl, turn: number): Promise<void> {
    for (const [index, [effect, probability]] of this.#shares.entries()) {
      const match = effect.startsWith("stream_") ? { endpoint: "updates" } : this.#struckOnes;
      const seed = this.#seed * 10_000 + turn * shares.length + index;
      await control.fault({ id: effect, effect, match, probability, seed, ms: delayMs });
    }
  }

  async end(control: DevnetControl): Promise<void> {
    for (const [effect] of this.#shares)
      await control.call("DELETE", `/devnet/v1/faults/${effect}`);
  }

  /** Makes the ledger die during the next submission, after the submission has locked its coins. */
  async crash(control: DevnetControl): Promise<void> {
    await control.fault({ id: crash, effect: crash, match: this.#struckOnes, count: 1 });
  }

  get #struckOnes() {
    return { commandIdPrefix: this.#prefix };
  }

  crashed(): void {
    this.#add(crash, 1);
  }

  /** Adds up the faults so far. Call it before a ledger ends and loses its counts. */
  async count(control: DevnetControl): Promise<void> {
    const { faults } = await control.call<{
      readonly faults: readonly { readonly id: string; readonly struck: number }[];
    }>("GET", "/devnet/v1/faults");
    for (const { id, struck } of faults) if (id !== crash) this.#add(id, struck);
  }

  #add(effect: string, struck: number): void {
    this.#struck[effect] = (this.#struck[effect] ?? 0) + struck;
  }
}
