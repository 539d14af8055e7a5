// Clearing's agent, watched: what it refuses changes nothing. Looked at is a sample, where no answer of a
// matcher comes in between: that alone may give back what an order held and end in a refusal.

import assert from "node:assert/strict";
import {
  ClearingAgent,
  type ClearingAgentParts,
} from "../../../src/adapters/runtime/clearing-agent.ts";
import { Wallet } from "../../../src/core/accounts.ts";
import { EventKind, type VenueEvent } from "../../../src/core/generated/events.ts";
import type { MatchRequest, Reply } from "../../../src/core/generated/messages.ts";
import type { MatchLane } from "../../../src/core/match-messages.ts";
import { RejectReason } from "../../../src/core/reject-reason.ts";
import { stateHash } from "../../../src/engine/state-hash.ts";
import { SpscRing } from "../../../src/wire/spsc-ring.ts";

/** How clearing goes wrong without saying so in an event, to see whether it is noticed. */
export type ClearingCanary =
  | "leaves-a-trace"
  | "takes-cash-from-nothing"
  | "holds-too-much"
  | "changes-without-event";

export interface SimulatedClearingParts extends ClearingAgentParts {
  readonly canary: ClearingCanary | null;
  /** A refusal was looked at. */
  readonly onRefusal: () => void;
}

/** Whose money a canary touches: nobody's whose coins are on the ledger. */
const touched = 1002;
/** Of so many duty cycles one is looked at. */
const sampledOneIn = 8;

export class SimulatedClearing extends ClearingAgent {
  readonly #parts: SimulatedClearingParts;
  readonly #answers: readonly SpscRing[];
  #cycles = 0;
  /** Of the state before commands that have changed nothing so far; null where nobody looks. */
  #hash: string | null = null;

  constructor(parts: SimulatedClearingParts) {
    super(parts);
    this.#parts = parts;
    this.#answers = parts.memory.matchers.map(({ replies }) => new SpscRing(replies));
  }

  override doWork(): number {
    const isQuiet = this.hasWork() && this.#answers.every((ring) => ring.usedBytes === 0);
    const isLooked = isQuiet && ++this.#cycles % sampledOneIn === 0;
    this.#hash = isLooked ? stateHash(this.#parts.state) : null;
    return super.doWork();
  }

  override request(matcher: number, lane: MatchLane, request: MatchRequest): void {
    this.#hash = null;
    super.request(matcher, lane, request);
  }

  override event(event: VenueEvent): void {
    this.#hash = null;
    if (event.kind === EventKind.traded) this.#err();
    super.event(event);
  }

  override reply(reply: Reply): void {
    const { state, canary, onRefusal } = this.#parts;
    if (reply.reason !== RejectReason.none) {
      if (canary === "leaves-a-trace") state.feesPaid.add(touched, 1, 1n);
      if (this.#hash !== null) {
        assert.equal(stateHash(state), this.#hash, "a refusal changes nothing");
        onRefusal();
      }
    }
    super.reply(reply);
  }

  #err(): void {
    const { state, canary } = this.#parts;
    if (canary === "takes-cash-from-nothing") state.balances.add(touched, Wallet.spot, 1, 1n);
    if (canary === "holds-too-much") state.balances.reserve(touched, Wallet.spot, 1, 1n);
    if (canary === "changes-without-event") state.feesPaid.add(touched, 1, 1n);
  }
}
