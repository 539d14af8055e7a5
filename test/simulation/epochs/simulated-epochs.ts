// Epochs in the simulation: the venue's real sealer and committer work on simulated tables and the simulated ledger.
// Every call they make is a step of the schedule.

import assert from "node:assert/strict";
import type { EpochCommand, LedgerNetwork, Outcome } from "../../../src/ports/ledger/ledger.ts";
import { EpochCommitter } from "../../../src/services/epochs/epoch-committer.ts";
import { EpochSealer } from "../../../src/services/epochs/epoch-sealer.ts";
import { hashEntries, sealEpochs } from "../../../src/services/epochs/epoch-sealing.ts";
import { LeafHasher } from "../../../src/services/epochs/leaf-hasher.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { testMarkets } from "../../support/machine/test-markets.ts";
import type { SimulatedLedger } from "../ledger/simulated-ledger.ts";
import { breaksOff, drained, SimulatedCalls } from "../schedule/simulated-calls.ts";
import type { SimulatedStore } from "../venue/simulated-store.ts";
import { auditEpochRows } from "./epoch-audit.ts";
import { type EpochRowsCanary, SimulatedEpochRows } from "./simulated-epoch-rows.ts";

export type EpochCanary = EpochRowsCanary | "believes-in-silence";

export interface SimulatedEpochsParts {
  readonly random: SeededRandom;
  readonly nowMs: () => number;
  readonly store: SimulatedStore;
  readonly ledger: SimulatedLedger;
  readonly canary: EpochCanary | null;
}

/** What all epochs of the simulation share. All runs have one key, so that leaves depend only on the events. */
export const simulatedTerms = { venue: "simulation", nonceKey: new Uint8Array(32) } as const;

const epochMs = 60_000;
const hashEntriesMin = 300;
const callsPerStep = 30;
/** Most steps until all epochs are sealed and committed, once faults have ended. */
const stepsToRest = 1_000_000;
const leaves = new LeafHasher(testMarkets, simulatedTerms.nonceKey);

/** A worker that runs turn by turn; a failed turn is repeated. */
interface Worker {
  isBusy: boolean;
  readonly turn: () => Promise<void>;
}

export class SimulatedEpochs {
  readonly rows: SimulatedEpochRows;
  readonly #parts: SimulatedEpochsParts;
  #calls = new SimulatedCalls();
  #workers: readonly Worker[] = [];
  #isIll = false;
  /** The reason why the committer stopped and needs an operator; must stay empty. */
  #stopped = "";
  #ids = 0;

  constructor(parts: SimulatedEpochsParts) {
    const { store, canary } = parts;
    this.#parts = parts;
    const own = canary === "believes-in-silence" ? null : canary;
    this.rows = new SimulatedEpochRows(store, own);
  }

  start(): void {
    const { random, nowMs, store } = this.#parts;
    const calls = new SimulatedCalls();
    const breaks = breaksOff(random, () => this.#isIll);
    const stores = { journal: calls.through(store), epochs: calls.through(this.rows, breaks) };
    const sealer = new EpochSealer({
      ...{ venueName: simulatedTerms.venue, epochMs, hashEntriesMin, nonceKeyCheck: "", nowMs },
      committedSeq: () => store.committedSeq,
      startSeq: store.committedSeq,
      sealed: () => undefined,
      tasks: {
        begin: async (terms) => ({
          terms: await stores.epochs.agree(terms),
          newest: await stores.epochs.newest(),
        }),
        hash: (open, untilSeq) => hashEntries(stores, leaves, open, untilSeq),
        seal: (closing) => sealEpochs(stores, leaves, closing),
      },
    });
    const committer = new EpochCommitter({
      venue: simulatedTerms.venue,
      networkName: "simulated",
      network: this.#network(calls),
      anchors: stores.epochs,
      freshId: () => `epoch-${++this.#ids}`,
    });
    this.#calls = calls;
    this.#isIll = true;
    this.#workers = [
      { isBusy: false, turn: () => sealer.step().catch(() => sealer.forget()) },
      { isBusy: false, turn: () => this.#commit(committer) },
    ];
  }

  /** Lets the committer take one step; a failed step is repeated in the next turn. */
  async #commit(committer: EpochCommitter): Promise<void> {
    const step = await committer.step().catch(() => null);
    if (step?.kind === "stopped") this.#stopped = step.message;
  }

  #network(calls: SimulatedCalls): LedgerNetwork {
    const network = calls.through(this.#parts.ledger);
    if (this.#parts.canary !== "believes-in-silence") return network;
    const commitEpoch = async (command: EpochCommand): Promise<Outcome> => {
      const outcome = await network.commitEpoch(command);
      if (outcome.kind !== "unknown") return outcome;
      const unsaid = { recordTime: null, trafficCost: null, created: [] };
      return { kind: "committed", updateId: "heard of", offset: 1, ...unsaid };
    };
    return new Proxy(network, {
      get: (target, name) => (name === "commitEpoch" ? commitEpoch : Reflect.get(target, name)),
    });
  }

  die(): void {
    this.#calls.die();
    this.#workers = [];
  }

  /** Executes some of the pending calls of both workers. */
  async step(): Promise<void> {
    for (let left = 1 + this.#parts.random.below(callsPerStep); left > 0; left--)
      await this.#call();
  }

  async #call(): Promise<void> {
    for (const worker of this.#workers) this.#begin(worker);
    this.#calls.step(this.#parts.random);
    await drained();
  }

  #begin(worker: Worker): void {
    if (worker.isBusy) return;
    worker.isBusy = true;
    void worker.turn().finally(() => {
      worker.isBusy = false;
    });
  }

  /** Seals and commits everything. Call it once faults have ended and the journal is complete. */
  async rest(passMs: (ms: number) => void): Promise<void> {
    const { ledger, store } = this.#parts;
    this.#isIll = false;
    for (let steps = 0; steps < stepsToRest; steps++) {
      if (steps % 100 === 0) while (ledger.participant.deliver(0));
      await this.#call();
      const newest = this.rows.sealed.at(-1);
      assert.equal(this.#stopped, "", "the ledger's chain must equal the venue's");
      if (newest?.epoch !== this.#lastOver) continue;
      if (newest.lastSeq < store.committedSeq) passMs(epochMs);
      else if ((await this.rows.lastConfirmed())?.epoch === newest.epoch) return;
    }
    assert.fail("All epochs must be sealed and committed within the step limit");
  }

  get #lastOver(): number {
    return Math.floor(this.#parts.nowMs() / epochMs) - 1;
  }

  async judge(): Promise<void> {
    const { ledger, store, random } = this.#parts;
    await auditEpochRows({
      ...{ rows: this.rows, ledger, leaves, lastOver: this.#lastOver },
      lastSeq: store.committedSeq,
      below: (bound) => random.below(bound),
    });
  }
}
