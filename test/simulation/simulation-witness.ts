// Checks a simulation run independently of the simulated database. The witness, as this checker is called, gets each
// event when the event becomes durable; an auditor checks the event, and a separate state applies it. Every answer must
// rest on durable events, and every recovered state must be the state of the durable events. At the end, each command
// must have one answer, and live state, journal and rows must be equal.

import assert from "node:assert/strict";
import type { Wallet } from "../../src/core/accounts.ts";
import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import type { Reply } from "../../src/core/generated/messages.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { foldChunk } from "../../src/wire/records/event-bytes.ts";
import { ClearingAuditor } from "../model/clearing-auditor.ts";
import { assertConserved, assertSound } from "../model/conservation.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import type { SimulationCounts } from "./simulation-counts.ts";
import type { SimulatedStore } from "./venue/simulated-store.ts";

/** Deliberate faults in the answers and events that the witness sees; a run with one of them must fail. */
export type WitnessCanary = "answers-twice" | "hides-an-answer" | "skips-an-event";

export interface WitnessParts {
  readonly fronts: number;
  readonly counts: SimulationCounts;
  readonly canary: WitnessCanary | null;
  /**
   * Maximum number of microseconds by which an event's time may be later than that of its command; see
   * `SimulationClock.slackUs`.
   */
  readonly slackUs: number;
  readonly committedSeq: () => number;
}

export class SimulationWitness {
  /** The state after all durable events. */
  readonly state = new VenueState(testMarkets);
  readonly #parts: WitnessParts;
  readonly #auditor: ClearingAuditor;
  readonly #accountOf = new Map<number, number>();
  /** Unanswered commands, by correlation. */
  readonly #waiting = new Map<number, Command>();
  readonly #foldedSeq: number[];

  constructor(parts: WitnessParts) {
    this.#parts = parts;
    this.#auditor = new ClearingAuditor(testMarkets, parts.slackUs);
    this.#foldedSeq = new Array<number>(parts.fronts).fill(0);
  }

  /** Asserts that a recovered venue has the durable state. */
  recovered(state: VenueState): void {
    assert.equal(state.seq, this.state.seq, "A recovered state must include every durable event");
    assert.equal(
      stateHash(state),
      stateHash(this.state),
      "A recovered state must be the durable state",
    );
    this.#foldedSeq.fill(state.seq);
  }

  /** Drops the unanswered commands, because the venue is dead and its last commit is durable or lost. */
  died(): void {
    this.#auditor.checkWhole();
    this.#parts.counts.unknown += this.#waiting.size;
    this.#waiting.clear();
  }

  sent(command: Command): void {
    this.#waiting.set(command.correlation, command);
  }

  durable(event: VenueEvent): void {
    const { counts } = this.#parts;
    this.#auditor.take(event);
    apply(this.state, event);
    counts.events++;
    if (event.kind === EventKind.traded) counts.trades++;
    if (
      event.kind === EventKind.orderAccepted ||
      event.kind === EventKind.specialAccepted ||
      event.kind === EventKind.icebergAccepted
    )
      this.#accountOf.set(event.orderId, event.account);
  }

  folded(front: number, event: VenueEvent): void {
    if (this.#parts.canary === "skips-an-event" && event.seq % 997 === 0) return;
    assert.equal(event.seq, (this.#foldedSeq[front] ?? 0) + 1, "A front must see every event once");
    assert(event.seq <= this.#parts.committedSeq(), "A front may see only durable events");
    this.#foldedSeq[front] = event.seq;
  }

  heard(reply: Reply): void {
    const { canary } = this.#parts;
    const isStruck = reply.correlation % 97 === 0;
    if (canary === "hides-an-answer" && isStruck) return;
    this.#answered(reply);
    if (canary === "answers-twice" && isStruck) this.#answered(reply);
  }

  #answered({ correlation, lastSeq, reason, subject }: Reply): void {
    const command = this.#waiting.get(correlation);
    assert(command !== undefined, "A command must be answered once");
    this.#waiting.delete(correlation);
    assert(lastSeq <= this.#parts.committedSeq(), "The events behind an answer must be durable");
    this.#parts.counts.answers++;
    if (command.kind !== CommandKind.placeOrder || reason !== RejectReason.none) return;
    const owner = this.#accountOf.get(subject);
    assert.equal(owner, command.account, "An acknowledged order must be in the journal");
  }

  /** Checks that every command was answered. Call it when nothing is in flight. */
  checkAnswered(): void {
    assert.deepEqual([...this.#waiting.keys()], [], "Every command must have an answer");
  }

  async judge(live: VenueState, store: SimulatedStore): Promise<void> {
    this.#auditor.checkWhole();
    assertConserved(live);
    assertSound(live, this.#auditor);
    const hash = stateHash(this.state);
    assert.equal(stateHash(live), hash, "The live state must equal the state of the journal");
    const folded = new VenueState(testMarkets);
    await store.readEvents(0, null, (chunk) => foldChunk(chunk, (event) => apply(folded, event)));
    assert.equal(stateHash(folded), hash, "The journal must replay to the same state");
    const seen = this.#foldedSeq.map(() => live.seq);
    assert.deepEqual(this.#foldedSeq, seen, "Fronts must have seen every event");
    for (const [key, { total, reserved }] of store.balances) {
      const [account = 0, wallet = 0, asset = 0] = key.split("/").map(Number);
      const place = [account, wallet as Wallet, asset] as const;
      assert.equal(
        total,
        live.balances.total(...place),
        `The total in balance row ${key} must equal the state`,
      );
      assert.equal(
        reserved,
        live.balances.reserved(...place),
        `The reserved amount in balance row ${key} must equal the state`,
      );
    }
  }
}
