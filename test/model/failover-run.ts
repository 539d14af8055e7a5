// A venue whose leader changes again and again, under load from two gateways. At any moment a leader may die: what it
// wrote after the last commit is lost, or is there although nobody heard of it. The next one continues from the journal,
// and the gateways send again what has no answer. At the end the journal must have each command's effects once, and each
// answer must be what the journal says.

import assert from "node:assert/strict";
import { OriginLane } from "../../src/core/command-identity.ts";
import { connectionOwnerReturnMs } from "../../src/core/connection-limits.ts";
import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import type { VenueEvent } from "../../src/core/generated/events.ts";
import { MatchLane } from "../../src/core/match-messages.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import { captureState, restoreState } from "../../src/engine/state/snapshot/venue-snapshot.ts";
import { CommandResults } from "../../src/engine/state/tables/command-results.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { TestVenue } from "../support/machine/test-venue.ts";
import { intervals } from "./clearing-runs.ts";
import { isCancel, openAccounts } from "./clearing-steps.ts";
import { auditCommands } from "./command-audit.ts";
import { drawnFlow, ModelGateway, type SentCommand } from "./model-gateway.ts";

/** Deliberate faults; a run with one of them must fail. */
export type FailoverCanary = "forgets-results" | "renumbers" | "loses-steps";

export interface FailoverOptions {
  readonly seed: number;
  readonly steps: number;
  readonly canary?: FailoverCanary;
}

export interface FailoverCounts {
  commands: number;
  changes: number;
  /** Changes of leader after which the journal had events of which nobody had heard. */
  landed: number;
  resent: number;
  restarts: number;
}

const matcherCount = 2;
const tickMs = 100;
const chances = {
  send: 500,
  answer: 300,
  commit: 120,
  tick: 40,
  resend: 15,
  change: 20,
  restart: 5,
};

export class FailoverRun {
  readonly counts: FailoverCounts = { commands: 0, changes: 0, landed: 0, resent: 0, restarts: 0 };
  readonly #random: SeededRandom;
  readonly #options: FailoverOptions;
  readonly #gateways = [new ModelGateway(1), new ModelGateway(2)];
  /** The journal as the database has it. */
  readonly #journal: VenueEvent[] = [];
  #leader: TestVenue;
  /** Events and replies of this leader that are committed and delivered. */
  #committed = 0;
  #delivered = 0;
  #correlation = 0;

  constructor(options: FailoverOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.#leader = new TestVenue({ matcherCount, ...intervals });
    openAccounts(this.#leader);
    for (const gateway of this.#gateways) this.#register(gateway);
  }

  /** Runs to the end and checks everything; throws at the first violation. */
  run(): FailoverCounts {
    for (let step = 0; step < this.#options.steps; step++) this.#step();
    this.#endWaits();
    this.#leader.machine.settle();
    this.#commit(this.#leader.events.length);
    const unanswered = this.#gateways.map(({ waiting }) => waiting);
    assert.deepEqual(unanswered, [0, 0], "every command must be answered");
    auditCommands(this.#journal, this.#sent());
    const folded = this.#folded(this.#journal);
    assert.equal(stateHash(folded), stateHash(this.#leader.state), "replay must equal live");
    return this.counts;
  }

  #sent(): SentCommand[] {
    return this.#gateways.flatMap(({ sent }) => sent);
  }

  #step(): void {
    let chance = this.#random.below(1000);
    const [deed] =
      Object.entries(chances).find(([, share]) => {
        chance -= share;
        return chance < 0;
      }) ?? [];
    const gateway = this.#anyGateway();
    if (deed === "send") this.#send(gateway);
    else if (deed === "answer") this.#answerAny();
    else if (deed === "commit") this.#commit(this.#anyEnd());
    else if (deed === "tick") this.#tick();
    else if (deed === "resend") this.#resend(gateway);
    else if (deed === "change") this.#change();
    else if (deed === "restart") this.#restart(gateway);
  }

  #tick(): void {
    this.#giveSigns();
    this.#deliver(this.#leader.command({ kind: CommandKind.tick }));
  }

  /** Lets the leader give up gateways of before, and sends again what it refused until then. */
  #endWaits(): void {
    for (let ms = 0; ms < 2 * connectionOwnerReturnMs; ms += tickMs) {
      this.#leader.nowUs += tickMs * 1000;
      this.#tick();
    }
    for (const gateway of this.#gateways) this.#resend(gateway);
  }

  /** Both gateways live, so their connections are never lost by silence. */
  #giveSigns(): void {
    for (const { origin } of this.#gateways)
      this.#deliver(this.#leader.command({ kind: CommandKind.signOfLife, origin, front: 0 }));
  }

  #anyGateway(): ModelGateway {
    return this.#gateways[this.#random.below(this.#gateways.length)] as ModelGateway;
  }

  #stamped(draft: Parameters<TestVenue["command"]>[0]): Command {
    this.#correlation++;
    return { ...this.#leader.command(draft), correlation: this.#correlation };
  }

  #send(gateway: ModelGateway): void {
    const { state, nowUs } = this.#leader;
    const flow = drawnFlow({ state, nowUs }, this.#random, 1_000_000 + this.#correlation);
    for (const draft of flow) {
      const lane =
        isCancel(draft) && this.#random.below(2) === 0 ? OriginLane.cancels : OriginLane.orders;
      this.counts.commands++;
      this.#deliver(gateway.number(this.#stamped(draft), lane));
    }
  }

  /** Passes a command to the leader, after as many answers of matchers as it needs first. */
  #deliver(command: Command): void {
    const { machine } = this.#leader;
    while (!machine.canAccept()) this.#answerAny();
    machine.take(structuredClone(command));
  }

  #answerAny(): void {
    const { machine } = this.#leader;
    const lanes = Array.from({ length: matcherCount * 2 }, (_, at) => at).filter(
      (at) => machine.waiting(at >> 1, (at & 1) as MatchLane) > 0,
    );
    const at = lanes[this.#random.below(Math.max(lanes.length, 1))];
    if (at === undefined) return;
    machine.answerNext(at >> 1, at % 2 === 0 ? MatchLane.orders : MatchLane.cancels);
  }

  /** Number of events up to some transaction end that is not committed yet, or to the last commit. */
  #anyEnd(): number {
    const { events } = this.#leader;
    let end = this.#committed + this.#random.below(events.length - this.#committed + 1);
    while (end > this.#committed && events[end - 1]?.isTransactionEnd !== true) end--;
    return end;
  }

  /** Commits the leader's events up to this number, and delivers the replies that depend on nothing later. */
  #commit(end: number): void {
    const { events, replies } = this.#leader;
    this.#journal.push(...events.slice(this.#committed, end));
    this.#committed = end;
    const seq = this.#journal.length;
    for (let reply = replies[this.#delivered]; reply; reply = replies[this.#delivered]) {
      if (reply.lastSeq > seq) return;
      this.#delivered++;
      this.#gateways[reply.source - 1]?.hear(reply);
    }
  }

  #register(gateway: ModelGateway): void {
    const name = `gateway ${gateway.source}`;
    const command = this.#stamped({ kind: CommandKind.registerOrigin, name });
    this.#deliver(command);
    const { subject, reason } = this.#leader.replyTo(command);
    assert.equal(reason, RejectReason.none);
    this.#commit(this.#leader.events.length);
    gateway.start(subject);
  }

  #restart(gateway: ModelGateway): void {
    this.counts.restarts++;
    this.#register(gateway);
  }

  #resend(gateway: ModelGateway): void {
    for (const command of gateway.again(this.#leader.nowUs, false)) {
      this.counts.resent++;
      this.#deliver(command);
    }
  }

  #change(): void {
    this.counts.changes++;
    const { events, nowUs } = this.#leader;
    const end = this.#anyEnd();
    if (end > this.#committed) this.counts.landed++;
    this.#journal.push(...events.slice(this.#committed, end));
    const state = this.#folded(this.#journal);
    if (this.#options.canary === "forgets-results") forgetResults(state, () => false);
    if (this.#options.canary === "loses-steps") forgetResults(state, (isFinished) => isFinished);
    this.#leader = new TestVenue({ state, matcherCount, ...intervals });
    this.#leader.nowUs = nowUs;
    this.#committed = 0;
    this.#delivered = 0;
    this.#leader.machine.begin();
    this.#giveSigns();
    const renumbers = this.#options.canary === "renumbers";
    for (const gateway of this.#gateways) {
      for (const command of gateway.again(nowUs, renumbers)) {
        this.counts.resent++;
        this.#deliver(command);
      }
    }
  }

  /** The state of a journal; half of the time the last part is folded on a restored snapshot. */
  #folded(journal: readonly VenueEvent[]): VenueState {
    let state = new VenueState(testMarkets);
    const cut = this.#random.below(2 * journal.length);
    for (const event of journal) {
      apply(state, event);
      if (event.seq >= cut && event.isTransactionEnd && event.seq < cut + 10)
        state = restoreState(testMarkets, captureState(state));
    }
    return state;
  }
}

/** Removes the results of commands except those to keep. */
function forgetResults(state: VenueState, keeps: (isFinished: boolean) => boolean): void {
  const table = new CommandResults();
  table.issued = state.commandResults.issued;
  for (const row of state.commandResults.origins()) table.restore(row);
  for (const row of state.commandResults.results())
    if (keeps(row.isFinished)) table.restoreResult(row);
  Object.assign(state, { commandResults: table });
}
