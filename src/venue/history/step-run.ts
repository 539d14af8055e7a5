// The steps of one replay on their way to clearing, in their order, without a wait for the commits between them. A fence (a
// barrier of the main thread) holds what follows until clearing has booked what came before: an account has one mass quote
// in flight, clearing decides an amend by the fills that it knows, and cancels overtake orders.

import type { PastFill } from "../../adapters/postgres/queries/history/house-fills.ts";
import { SystemAccount } from "../../core/accounts.ts";
import { present } from "../../core/assert.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import type { Reply } from "../../core/generated/messages.ts";
import { quoteSidesMax } from "../../core/limits.ts";
import type { Market } from "../../core/markets.ts";
import { noOptions, OrderType, quoteClientId, Side, TimeInForce } from "../../core/orders.ts";
import { quoteRefusal } from "../../core/quotes.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { ClearingClient, UnstampedCommand } from "../../ports/clearing-client.ts";
import type {
  HistoryStep,
  House,
  MakerStep,
  MemberTrade,
  StepRefusal,
} from "../../tools/replay/history-calls.ts";
import { OperatorRefusal } from "../operator/operator-commands.ts";

type TakeStep = Extract<HistoryStep, { readonly take: unknown }>;

interface StepRunParts {
  readonly clearing: ClearingClient;
  readonly market: Market;
  readonly house: House;
}

/** What the caller is told: trades of members, and the newest trade that needs not be read again. */
interface ToldTrades {
  readonly trades: readonly MemberTrade[];
  readonly lastTrade: number;
}

/** Commands that may be in flight: the ring to clearing and that of the replies have room for more. */
const inFlightMax = 500;

export class StepRun {
  readonly #parts: StepRunParts;
  readonly #inFlight = new Set<Promise<unknown>>();
  #refusals: StepRefusal[] = [];
  #fault: unknown = null;
  /** The step of each order of the taker whose trades have not been told. */
  readonly #stepOf = new Map<number, number>();
  /** Prices and lots of mass quotes, taken in turn: typed arrays of this size are slow to make. */
  readonly #levels = Array.from(
    { length: inFlightMax + 1 },
    () => new Uint32Array(2 * quoteSidesMax),
  );
  #levelsTaken = 0;
  /** The accounts that also take. */
  crowd: readonly number[] = [];
  #isEnded = false;

  constructor(parts: StepRunParts) {
    this.#parts = parts;
  }

  /** Sends the step; waits only for room. */
  async send(number: number, step: HistoryStep): Promise<void> {
    if ("take" in step) await this.#take(number, step);
    else await this.#quote(number, step.quotes);
  }

  /** Refuses further steps; resolves once everything sent so far has been answered, with a fault or not. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all(this.#inFlight);
  }

  /** Resolves once everything sent so far has been answered; throws the first fault since the last call. */
  async settle(): Promise<void> {
    await Promise.all(this.#inFlight);
    const fault = this.#fault;
    this.#fault = null;
    if (fault !== null) throw fault;
  }

  /** Takes the refusals heard since the last call. */
  takeRefusals(): readonly StepRefusal[] {
    const heard = this.#refusals;
    this.#refusals = [];
    return heard;
  }

  /**
   * The fills as the replay needs them. It ends before an order of the taker whose answer has not been heard: its fills are
   * told with the next call.
   */
  told(fills: readonly PastFill[], lastTrade: number): ToldTrades {
    const { makers, taker } = this.#parts.house;
    const forcible = new Set([...this.crowd, SystemAccount.insurance]);
    const trades: MemberTrade[] = [];
    for (const { tradeId, takerOrder, takerAccount, makerAccount, ...figures } of fills) {
      const step = this.#stepOf.get(takerOrder) ?? -1;
      if (step < 0 && takerAccount === taker) return { trades, lastTrade: tradeId - 1 };
      const forced = step < 0 && forcible.has(takerAccount) ? takerAccount : 0;
      const { price, qty, isBuy } = figures;
      trades.push({ price, qty, isBuy, step, isMaker: makers.includes(makerAccount), forced });
    }
    return { trades, lastTrade };
  }

  /** Forgets the orders of steps before `number`, whose trades have been told. */
  forgetBefore(number: number): void {
    for (const [order, step] of this.#stepOf) {
      if (step >= number) break;
      this.#stepOf.delete(order);
    }
  }

  async #take(number: number, { take: [isBuy, price, qty], by }: TakeStep): Promise<void> {
    const { market, house } = this.#parts;
    const account = by === undefined ? house.taker : this.crowd[by];
    if (account === undefined) throw new OperatorRefusal(`no account ${by} of the crowd`);
    const order = {
      kind: CommandKind.placeOrder,
      account,
      market: market.id,
      side: isBuy === 1 ? Side.buy : Side.sell,
      type: OrderType.limit,
      timeInForce: TimeInForce.ioc,
      price,
      qty,
      ...noOptions,
      reusesClientId: false,
      clientId: "",
      attached: null,
    } as const;
    await this.#send(order, (reply) => {
      if (reply.reason === RejectReason.none) this.#stepOf.set(reply.subject, number);
      else this.#refuse(number, -1, -1, reply.reason);
    });
  }

  async #quote(number: number, quotes: readonly MakerStep[]): Promise<void> {
    await this.#fence();
    for (const step of quotes) await this.#cancel(step);
    if (quotes.some(({ cancel }) => cancel.length > 0)) await this.#fence();
    for (const step of quotes) await this.#set(number, step);
  }

  async #fence(): Promise<void> {
    await this.#send({ kind: CommandKind.barrier, account: 0 }, () => undefined);
  }

  async #cancel({ maker, cancel }: MakerStep): Promise<void> {
    const { market } = this.#parts;
    const account = this.#account(maker);
    for (const side of cancel) {
      const clientId = quoteClientId(market.alias, (side >> 1) + 1, (side % 2) as Side);
      const named = { account, market: market.id, orderId: 0, clientId };
      // One that has traded meanwhile is not open any more, which is what a cancel wants.
      await this.#send({ kind: CommandKind.cancelOrder, ...named }, () => undefined);
    }
  }

  async #set(number: number, { maker, set }: MakerStep): Promise<void> {
    if (set.length === 0) return;
    const quotes = this.#freeLevels();
    let sides = 0;
    for (let at = 0; at + 2 < set.length; at += 3) {
      const side = set[at] ?? 0;
      sides |= 1 << side;
      quotes[2 * side] = set[at + 1] ?? 0;
      quotes[2 * side + 1] = set[at + 2] ?? 0;
    }
    const market = this.#parts.market.id;
    const command = { account: this.#account(maker), market, sides, quotes };
    await this.#send({ kind: CommandKind.massQuote, ...command }, ({ reason, subject }) => {
      if (reason !== RejectReason.none) this.#refuse(number, maker, -1, reason);
      else if (subject !== 0) this.#refuseSides({ step: number, maker }, sides, subject);
    });
  }

  /** The command that had them last is answered: more have been sent since than may be in flight. */
  #freeLevels(): Uint32Array {
    const at = this.#levelsTaken++ % this.#levels.length;
    return present(this.#levels[at], "the levels of a command").fill(0);
  }

  #refuseSides(of: Pick<StepRefusal, "step" | "maker">, sides: number, outcomes: number): void {
    for (let side = 0; side < quoteSidesMax; side++) {
      if (((sides >>> side) & 1) === 0) continue;
      const reason = quoteRefusal(outcomes, side);
      if (reason !== RejectReason.none) this.#refuse(of.step, of.maker, side, reason);
    }
  }

  #refuse(step: number, maker: number, side: number, code: RejectReason): void {
    const [reason = "refused"] = Object.entries(RejectReason).find(([, one]) => one === code) ?? [];
    this.#refusals.push({ step, maker, side, reason });
  }

  #account(maker: number): number {
    const account = this.#parts.house.makers[maker];
    if (account === undefined) throw new OperatorRefusal(`no maker ${maker}`);
    return account;
  }

  /** Sends a command once there is room; its reply is heard later, and a fault is thrown by `settle`. */
  async #send(command: UnstampedCommand, hear: (reply: Reply) => void): Promise<void> {
    while (this.#inFlight.size >= inFlightMax) {
      // Replies come in the order of the commands.
      const [oldest] = this.#inFlight;
      await oldest;
    }
    if (this.#isEnded) throw new OperatorRefusal("the replay has ended");
    const heard = this.#parts.clearing
      .send(command)
      .then(hear)
      .catch((fault: unknown) => {
        this.#fault ??= fault;
      })
      .finally(() => this.#inFlight.delete(heard));
    this.#inFlight.add(heard);
  }
}
