// Clearing's agent, with a check that a refused command changes no state. Duty cycles with answers of matchers are not
// checked, because such an answer may rightly change the state (it releases a hold) and still end in a refusal. Of all
// other duty cycles with work, some are checked.

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

/** Deliberate faults of clearing that no event shows; a simulation run with one of them must fail. */
export type ClearingCanary =
  | "leaves-a-trace"
  | "takes-cash-from-nothing"
  | "holds-too-much"
  | "changes-without-event";

export interface SimulatedClearingParts extends ClearingAgentParts {
  readonly canary: ClearingCanary | null;
  /** Called when a refusal was checked. */
  readonly onRefusal: () => void;
}

/** The account whose money a deliberate fault changes; its coins are not on the ledger. */
const touched = 1002;
/** One of this many duty cycles is checked. */
const sampledOneIn = 8;

export class SimulatedClearing extends ClearingAgent {
  readonly #parts: SimulatedClearingParts;
  readonly #answers: readonly SpscRing[];
  #cycles = 0;
  /**
   * State hash taken before the commands of this duty cycle; null if it is not checked or a command changed the state.
   */
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
        assert.equal(stateHash(state), this.#hash, "A refused command must change no state");
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
