// A varied run of the venue from a seed: spot and perpetuals, funding, liquidations, custody, swaps, sessions, accounts
// and markets that are added and closed, and matchers that answer in any order. The result depends only on the seed and
// the venue's decisions.

import { Draw } from "./drawn-values.ts";
import { type Drawn, eventBytes, Machine, type MatcherLane, replyRecord } from "./entry-points.ts";
import { accessMakers } from "./run-access.ts";
import { tradingMakers } from "./run-commands.ts";
import { type Fields, RunModel } from "./run-model.ts";

/** 1 January 2026, in microseconds. */
const startUs = 1_767_225_600_000_000;
const oneUsdc = 1_000_000n;
const oneCoin = 10n ** 8n;

const [spot, perp] = [1, 2];
const [insurance, usdc] = [2, 0];

/** After this many events, the venue finishes its pending work and its state is hashed. */
const eventsOfCheckpoint = 1_000;

/** Number of checkpoints between two restarts from a snapshot. */
const checkpointsOfLife = 4;

export interface Checkpoint {
  readonly seq: number;
  readonly stateHash: string;
  readonly booksHash: number;
}

/** The result of a run. */
export interface RunRecord {
  /** Bytes of each event, in order. */
  readonly events: readonly Uint8Array[];
  readonly replies: readonly Uint8Array[];
  readonly checkpoints: readonly Checkpoint[];
}

/** Types of the first accounts: the second is a house account and the third wallet-funded. */
const firstTypes = [0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0] as const;

/**
 * Risk terms of two perpetuals: market 4 has almost no protection, so that its mark moves as fast as its prices; market
 * 6 has less protection than by default and needs little depth.
 */
const loosened: readonly (readonly [market: number, term: number, value: number])[] = [
  ...[0, 2, 3, 4, 6, 7, 8, 10, 11].map((term) => [4, term, 0] as const),
  ...[2, 3, 4, 10, 11].map((term) => [6, term, 0] as const),
  [6, 0, 500],
  [6, 6, 500],
  [6, 8, 0],
  [4, 13, 3_000],
];

class VariedRun {
  readonly #draw: Draw;
  readonly #model = new RunModel(startUs);
  readonly #machine: Machine;
  readonly #events: Uint8Array[] = [];
  readonly #replies: Uint8Array[] = [];
  readonly #checkpoints: Checkpoint[] = [];
  readonly #makers = [...tradingMakers, ...accessMakers];
  readonly #weights = this.#makers.reduce((sum, [weight]) => sum + weight, 0);
  #correlation = 0;

  constructor(seed: string) {
    this.#draw = new Draw(seed);
    this.#machine = new Machine({
      onEvent: (event: Drawn) => {
        this.#model.learn(event);
        this.#events.push(eventBytes(event).slice());
      },
      onReply: (reply: Drawn) => this.#replies.push(replyRecord(reply).slice()),
    });
  }

  /** Opens the venue and runs it until it has written at least this many events. */
  run(events: number): RunRecord {
    this.#open();
    let next = eventsOfCheckpoint;
    while (this.#events.length < events) {
      this.#step();
      if (this.#events.length < next) continue;
      this.#rest();
      next = this.#events.length + eventsOfCheckpoint;
    }
    this.#rest();
    return { events: this.#events, replies: this.#replies, checkpoints: this.#checkpoints };
  }

  #open(): void {
    this.#send({
      kind: 7,
      account: insurance,
      wallet: perp,
      asset: usdc,
      ...money(13_000n * oneUsdc),
    });
    for (const accountType of firstTypes) {
      this.#send({ kind: 6, accountType });
      const account = this.#model.accounts.at(-1);
      for (const wallet of [spot, perp])
        this.#send({ kind: 7, account, wallet, asset: usdc, ...money(40_000n * oneUsdc) });
      for (const asset of [1, 2, 3])
        this.#send({ kind: 7, account, wallet: spot, asset, ...money(50n * oneCoin) });
      this.#send({ kind: 7, account, wallet: spot, asset: 1, ...money(200_000n * oneCoin) });
    }
    for (const account of [1001, 1005]) this.#send({ kind: 8, account, flags: 16, mask: 16 });
    for (const account of [1006, 1007, 1008])
      this.#send({ kind: 20, account, referrer: account - 2 });
    for (const [market, term, value] of loosened) this.#send({ kind: 32, market, term, value });
  }

  /** Sends one command if the venue accepts one, then processes a random number of answers. */
  #step(): void {
    const { machine, draw } = { machine: this.#machine, draw: this.#draw };
    if (machine.canAccept()) machine.take(this.#stamped(this.#drawn()));
    if (Math.floor(this.#events.length / 2_000) % 2 === 0) machine.settle();
    else for (let count = draw.below(4); count > 0; count--) this.#answerAny();
  }

  #drawn(): Fields {
    let index = this.#draw.below(this.#weights);
    for (const [weight, maker] of this.#makers) {
      index -= weight;
      if (index < 0) return maker(this.#draw, this.#model);
    }
    return { kind: 12 };
  }

  #answerAny(): void {
    const lanes = this.#machine.waitingLanes();
    if (lanes.length > 0) this.#machine.answerNext(this.#draw.of<MatcherLane>(lanes));
  }

  #send(command: Fields): void {
    this.#machine.take(this.#stamped(command));
    this.#machine.settle();
  }

  /**
   * Stamps a command as a source does. Time advances by milliseconds, sometimes by minutes; some commands have an
   * earlier time.
   */
  #stamped(command: Fields): Fields {
    const draw = this.#draw;
    const leap = draw.below(400);
    const ms =
      leap === 0 ? 60_000 * (1 + draw.below(9)) : leap < 20 ? draw.below(3_000) : draw.below(20);
    this.#model.nowUs += 1000 * ms + draw.below(1000);
    const atUs = this.#model.nowUs - (draw.below(40) === 0 ? 5_000 : 0);
    const isLate = draw.below(200) === 0 && command["kind"] !== 13;
    this.#correlation++;
    return {
      source: 1 + draw.below(2),
      correlation: this.#correlation,
      atUs,
      deadlineUs: command["kind"] === 13 ? atUs : isLate ? atUs - 1 : atUs + 30_000_000,
      account: 0,
      ...command,
    };
  }

  /** Processes all pending input and hashes the state. */
  #rest(): void {
    this.#machine.settle();
    this.#checkpoints.push({
      seq: this.#events.length,
      stateHash: this.#machine.stateHash(),
      booksHash: this.#machine.booksHash(),
    });
    if (this.#checkpoints.length % checkpointsOfLife === 0) this.#machine.restart();
  }
}

function money(amount: bigint): Fields {
  return { amount, isFromFaucet: false };
}

/** Runs the venue from a seed until it has written at least this many events. */
export function variedRun(seed: string, events: number): RunRecord {
  return new VariedRun(seed).run(events);
}
