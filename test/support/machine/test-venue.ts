// A venue for tests on one thread: a machine with short names for commands, and copies of all its output. `send` also
// lets the matchers answer; `take` leaves the requests to the matchers pending.

import {
  AccountType,
  defaultKeyPermissions,
  everyAccountFlag,
  KeyType,
  RateTier,
  Wallet,
} from "../../../src/core/accounts.ts";
import { assert, present } from "../../../src/core/assert.ts";
import {
  type Command,
  CommandKind,
  type PlaceOrder,
} from "../../../src/core/generated/commands.ts";
import type { VenueEvent } from "../../../src/core/generated/events.ts";
import type { MatchReplySink, Reply } from "../../../src/core/generated/messages.ts";
import { noOptions, OrderType, Side, TimeInForce } from "../../../src/core/orders.ts";
import { IndexOrigin } from "../../../src/core/perpetuals/index-price.ts";
import { RejectReason } from "../../../src/core/reject-reason.ts";
import { VenueState } from "../../../src/engine/state/venue-state.ts";
import { VenueMachine } from "../../../src/engine/venue-machine.ts";
import { testMarkets } from "./test-markets.ts";

/** Start time of tests; any realistic time works. */
export const startUs = 1_767_225_600_000_000;

/** A command without the fields that the venue fills in: source, correlation and time. */
export type Draft<C extends Command = Command> = C extends Command
  ? Omit<C, "source" | "correlation" | "atUs" | "deadlineUs" | "account"> &
      Partial<Pick<C, "source" | "correlation" | "atUs" | "deadlineUs" | "account">>
  : never;

/** The order fields a test sets; by default a GTC limit order without a client id. */
export type TestOrder = Pick<PlaceOrder, "account" | "market" | "side" | "qty"> &
  Partial<PlaceOrder>;

export interface TestVenueParts {
  readonly state?: VenueState;
  readonly matcherCount?: number;
  readonly markIntervalUs?: number;
  /** Whether positions may open before the first index (default true, because most tests do not need an index). */
  readonly opensWithoutIndex?: boolean;
  readonly fundingIntervalUs?: number;
  readonly rewardIntervalUs?: number;
  readonly onEvent?: (event: VenueEvent) => void;
  readonly onReply?: (reply: Reply) => void;
  readonly onMatch?: MatchReplySink;
}

/** Enough orders for any test, yet a machine of this size is created quickly. */
const ordersMax = 1 << 14;

export class TestVenue {
  readonly state: VenueState;
  readonly machine: VenueMachine;
  readonly events: VenueEvent[] = [];
  readonly replies: Reply[] = [];
  /** Venue time in microseconds; each command advances it by one millisecond. */
  nowUs = startUs;
  #correlation = 0;

  constructor(parts: TestVenueParts = {}) {
    this.state = parts.state ?? new VenueState(testMarkets);
    this.nowUs = Math.max(this.nowUs, this.state.tsUs);
    this.machine = new VenueMachine({
      state: this.state,
      ordersMax,
      opensWithoutIndex: parts.opensWithoutIndex ?? true,
      onEvent: (event) => {
        this.events.push({ ...event });
        parts.onEvent?.(event);
      },
      onReply: (reply) => {
        this.replies.push({ ...reply });
        parts.onReply?.(reply);
      },
      ...(parts.matcherCount === undefined ? {} : { matcherCount: parts.matcherCount }),
      ...(parts.markIntervalUs === undefined ? {} : { markIntervalUs: parts.markIntervalUs }),
      ...(parts.fundingIntervalUs === undefined
        ? {}
        : { fundingIntervalUs: parts.fundingIntervalUs }),
      ...(parts.rewardIntervalUs === undefined ? {} : { rewardIntervalUs: parts.rewardIntervalUs }),
      ...(parts.onMatch === undefined ? {} : { onMatch: parts.onMatch }),
    });
  }

  /** Completes a command with source, correlation and the current time. */
  command(request: Draft): Command {
    this.nowUs += 1000;
    this.#correlation++;
    const stamp = {
      source: 0,
      correlation: this.#correlation,
      atUs: this.nowUs,
      deadlineUs: this.nowUs + 30_000_000,
      account: 0,
    };
    return { ...stamp, ...request };
  }

  /** Sends a command, lets the matchers answer, and returns its reply. */
  send(request: Draft): Reply {
    const command = this.command(request);
    this.machine.handle(command);
    return this.replyTo(command);
  }

  /** Sends a command and leaves its matcher requests pending; returns the command's correlation. */
  take(request: Draft): number {
    const command = this.command(request);
    this.machine.take(command);
    return command.correlation;
  }

  /** Returns the last reply to a command, which is given as a whole or by its correlation. */
  replyTo(command: { correlation: number } | number): Reply {
    const correlation = typeof command === "number" ? command : command.correlation;
    const reply = this.replies.findLast((one) => one.correlation === correlation);
    return present(reply, "a reply to the command");
  }

  open(accountType: AccountType = AccountType.standard): number {
    return this.done({ kind: CommandKind.openAccount, accountType });
  }

  /** Opens an account with `amount` minor units of USDC in its spot wallet and in its perp wallet. */
  fund(amount: bigint, accountType: AccountType = AccountType.standard): number {
    const account = this.open(accountType);
    this.credit(account, Wallet.spot, 0, amount);
    this.credit(account, Wallet.perp, 0, amount);
    return account;
  }

  credit(account: number, wallet: Wallet, asset: number, amount: bigint): void {
    this.done({ kind: CommandKind.credit, account, wallet, asset, amount, isFromFaucet: false });
  }

  /** Sets an account's flags within `mask`; asserts success. */
  setFlags(account: number, flags: number, mask: number = everyAccountFlag): void {
    this.done({ kind: CommandKind.setAccountFlags, account, flags, mask });
  }

  setLeverage(account: number, market: number, leverage: number): Reply {
    return this.send({ kind: CommandKind.setLeverage, account, market, leverage });
  }

  registerKey(account: number, keyId: number): Reply {
    return this.send({
      kind: CommandKind.registerKey,
      account,
      keyId,
      keyType: KeyType.hmac,
      tier: RateTier.standard,
      permissions: defaultKeyPermissions,
    });
  }

  /** Places an order; returns the reply. */
  place(order: TestOrder): Reply {
    return this.send(orderCommand(order));
  }

  /** Places a buy and asserts success; returns its order id. */
  buy(account: number, market: number, price: number, qty: number, more: Partial<PlaceOrder> = {}) {
    return this.done(orderCommand({ account, market, side: Side.buy, price, qty, ...more }));
  }

  /** Places a sell and asserts success; returns its order id. */
  sell(
    account: number,
    market: number,
    price: number,
    qty: number,
    more: Partial<PlaceOrder> = {},
  ) {
    return this.done(orderCommand({ account, market, side: Side.sell, price, qty, ...more }));
  }

  cancel(account: number, market: number, orderId: number, clientId = ""): Reply {
    return this.send({ kind: CommandKind.cancelOrder, account, market, orderId, clientId });
  }

  /** Sends a command and asserts success; returns the reply's subject. */
  done(request: Draft): number {
    const reply = this.send(request);
    assert(reply.reason === RejectReason.none, `The command was refused with ${reply.reason}`);
    return reply.subject;
  }
}

/** Returns an order as a command. Without a type it is a LIMIT order if it has a price, otherwise a MARKET order. */
export function orderCommand(order: TestOrder): Draft<PlaceOrder> {
  return {
    kind: CommandKind.placeOrder,
    type: order.price === undefined ? OrderType.market : OrderType.limit,
    timeInForce: TimeInForce.gtc,
    price: 0,
    ...noOptions,
    reusesClientId: false,
    clientId: "",
    attached: null,
    ...order,
  };
}

/** Sets the perpetual's index to `ticks` for a day, as a price feed would. */
export function sayIndex(venue: TestVenue, market: number, ticks: number): void {
  venue.done({
    kind: CommandKind.setReference,
    market,
    origin: IndexOrigin.feed,
    price: ticks,
    untilUs: venue.nowUs + 86_400_000_000,
  });
}
