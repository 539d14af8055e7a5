// A gateway as clearing sees it: it numbers its commands by lane, keeps what has no answer, and sends it again, in order,
// after a change of leader. Orders and cancels of the flow include batches, cancel-replaces and mass cancels.

import assert from "node:assert/strict";
import { type CommandIdentity, OriginLane } from "../../src/core/command-identity.ts";
import { isFromGateway } from "../../src/core/gateway-commands.ts";
import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import type { Reply } from "../../src/core/generated/messages.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import type { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import type { Draft } from "../support/machine/test-venue.ts";
import { unstampedCommand } from "./clearing-steps.ts";
import type { Scene, Step } from "./step-scene.ts";

const roll = 2 ** 16;

/** Batches have at most this many orders. */
const batchMax = 5;

/** A client's command, with every identity under which it was sent, and its answer. */
export interface SentCommand {
  readonly command: Command;
  readonly identities: CommandIdentity[];
  answer: Reply | null;
}

/** Draws what clients of a gateway ask for next: one command, a batch, or a cancel with its replacement. */
export function drawnFlow(scene: Scene, random: SeededRandom, uniqueId: number): Draft<Command>[] {
  const dice = () => random.below(roll);
  const draw = (): Draft<Command> => {
    const step: Step = [dice(), dice(), dice(), dice(), dice(), dice()];
    return withOwnId(unstampedCommand(scene, step), uniqueId);
  };
  const first = draw();
  const identity = { origin: 1, lane: OriginLane.orders, number: 1, confirmedUpTo: 0 } as const;
  const sample = { ...first, identity } as unknown as Command;
  if (!isFromGateway(sample, { hasDevelopmentTools: true })) return [];
  const { account } = first;
  if (random.below(8) === 0) return massCancelOf(scene, random);
  const ofAccount = (draft: Draft<Command>) =>
    draft.kind === CommandKind.placeOrder ? [{ ...draft, account: account ?? 0 }] : [];
  if (first.kind === CommandKind.cancelOrder) return [first, ...ofAccount(draw())];
  if (first.kind !== CommandKind.placeOrder || random.below(4) > 0) return [first];
  return [first, ...Array.from({ length: batchMax - 1 }, draw).flatMap(ofAccount)];
}

/** A mass cancel of some account that has orders; nothing if no order is open. */
function massCancelOf({ state: { orders } }: Scene, random: SeededRandom): Draft<Command>[] {
  const open = [...orders.openSlots()];
  const slot = open[random.below(Math.max(open.length, 1))];
  if (slot === undefined) return [];
  const [account = 0, market = 0] = [orders.account[slot], orders.market[slot]];
  return [{ kind: CommandKind.cancelAllOrders, account, market }];
}

/** Gives a session, key or withdrawal a unique id, as gateways do. */
function withOwnId(request: Draft<Command>, id: number): Draft<Command> {
  if (request.kind === CommandKind.openSession) return { ...request, sessionId: id };
  if (request.kind === CommandKind.setSessionKey) return { ...request, keyId: id };
  if (request.kind === CommandKind.registerKey) return { ...request, keyId: id };
  if (request.kind === CommandKind.requestWithdrawal) return { ...request, withdrawalId: id };
  return request;
}

export class ModelGateway {
  readonly source: number;
  /** Everything sent, in order. */
  readonly sent: SentCommand[] = [];
  #origin = 0;
  #numbers = [0, 0];
  /** Commands without an answer, by correlation, in the order of sending. */
  #waiting = new Map<number, SentCommand>();

  constructor(source: number) {
    this.source = source;
  }

  /** Starts as a new incarnation. Clients of the earlier one get no answers any more. */
  start(origin: number): void {
    this.#origin = origin;
    this.#numbers = [0, 0];
    this.#waiting = new Map();
  }

  get origin(): number {
    return this.#origin;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Numbers a stamped command; the caller sends it. */
  number(stamped: Command, lane: OriginLane): Command {
    const number = (this.#numbers[lane] ?? 0) + 1;
    this.#numbers[lane] = number;
    const identity = this.#identity(lane, number);
    const command = { ...stamped, source: this.source, identity };
    const sent = { command, identities: [identity], answer: null };
    this.sent.push(sent);
    this.#waiting.set(command.correlation, sent);
    return command;
  }

  #identity(lane: OriginLane, number: number): CommandIdentity {
    const unanswered = [...this.#waiting.values()].flatMap(({ identities }) => {
      const last = identities.at(-1);
      return last?.lane === lane ? [last.number] : [];
    });
    const confirmedUpTo = Math.min(number, ...unanswered) - 1;
    return { origin: this.#origin, lane, number, confirmedUpTo };
  }

  /**
   * The commands without an answer, to be sent again at `nowUs`. With `renumbers`, a deliberate fault, they get new
   * numbers.
   */
  *again(nowUs: number, renumbers: boolean): Generator<Command> {
    for (const sent of [...this.#waiting.values()]) {
      const { command, identities } = sent;
      let { identity } = command;
      if (renumbers && identity !== null && identity !== undefined) {
        const number = (this.#numbers[identity.lane] ?? 0) + 1;
        this.#numbers[identity.lane] = number;
        identity = { ...identity, number };
        identities.push(identity);
      }
      // The remaining duration, as the leader stamps it on arrival.
      const deadlineUs = nowUs + (command.deadlineUs - command.atUs);
      yield { ...command, identity: identity ?? null, atUs: nowUs, deadlineUs };
    }
  }

  /** Takes an answer. A second one, to a command sent again meanwhile, must be equal. */
  hear(reply: Reply): void {
    // A leader that waits for gateways takes no orders yet. The command is sent again.
    if (reply.reason === RejectReason.stopping) return;
    const sent = this.#waiting.get(reply.correlation);
    if (sent !== undefined) {
      this.#waiting.delete(reply.correlation);
      sent.answer = { ...reply };
      return;
    }
    const before = this.sent.find(({ command }) => command.correlation === reply.correlation);
    if (before === undefined || before.answer === null || reply.isRepeated) return;
    assert.deepEqual(reply, before.answer, "a command must have one answer");
  }
}
