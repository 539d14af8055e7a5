// Random days of a small venue. fast-check draws the steps as plain numbers, so that failures shrink. Each step is
// interpreted against the venue's current state, so that most commands make sense. Every kind of command occurs,
// valid and invalid. Prices stay within a few ticks, so that orders match.

import fc from "fast-check";
import {
  AccountFlag,
  AccountType,
  everyAccountFlag,
  SystemAccount,
  Wallet,
} from "../../src/core/accounts.ts";
import { type Command, CommandKind, type PlaceOrder } from "../../src/core/generated/commands.ts";
import type { Reply } from "../../src/core/generated/messages.ts";
import { MarketStatus } from "../../src/core/markets.ts";
import { MatchLane } from "../../src/core/match-messages.ts";
import {
  type CancelCondition,
  derivedClientId,
  noOptions,
  OrderType,
  Peg,
  Side,
  type StpMode,
  TimeInForce,
  WorkingPrice,
} from "../../src/core/orders.ts";
import type { IndexOrigin } from "../../src/core/perpetuals/index-price.ts";
import { oneUsdc } from "../support/machine/test-markets.ts";
import type { Draft, TestVenue } from "../support/machine/test-venue.ts";
import { attachedTo, connectedTo, connectionCommandOf, connectionOf } from "./connection-steps.ts";
import { custodyOf } from "./custody-steps.ts";
import { keyChangeOf, registrationOf } from "./key-steps.ts";
import { listOf } from "./list-steps.ts";
import { loosenTerms } from "./loosened-terms.ts";
import { coveredOf, groupOf, quotesOf } from "./maker-steps.ts";
import { accountOf, anchorOf, clientIdOf, type Scene, type Step } from "./step-scene.ts";
import { moveOf, openSubAccounts, subAccountOf } from "./sub-account-steps.ts";

const roll = fc.nat({ max: 0xffff });

/** Generates streams of `length / 2` to `length` steps. */
export function streams(length: number): fc.Arbitrary<Step[]> {
  const step = fc.tuple(roll, roll, roll, roll, roll, roll);
  return fc.array(step, { minLength: length / 2, maxLength: length, size: "max" });
}

/**
 * Opens funded accounts, one of them house and one wallet-funded; three have a referrer. The last two are sub-accounts of
 * one that has.
 */
export function openAccounts(venue: TestVenue): void {
  const types = [
    AccountType.standard,
    AccountType.house,
    AccountType.wallet,
    AccountType.standard,
    AccountType.standard,
    AccountType.standard,
  ];
  venue.credit(SystemAccount.insurance, Wallet.perp, 0, 200_000n * oneUsdc);
  for (const type of types) {
    const account = venue.fund(40_000n * oneUsdc, type);
    for (const asset of [1, 2, 3]) venue.credit(account, 1, asset, 50n * 10n ** 8n);
    venue.credit(account, 1, 1, 200_000n * 10n ** 8n);
  }
  // Referrers are set now, because later in a stream almost every account has traded.
  for (const account of [1004, 1005, 1006]) {
    venue.done({ kind: CommandKind.setReferrer, account, referrer: account - 3 });
  }
  openSubAccounts(venue, 1004);
  loosenTerms(venue);
}

function commandOf(venue: TestVenue, step: Step): Command {
  const [kind] = step;
  if (kind % 97 === 0) venue.nowUs += 11 * 60_000_000;
  const command = venue.command(unstampedCommand(venue, step));
  if (kind % 41 === 0) command.atUs -= 5000;
  if (kind % 53 === 0) command.deadlineUs = command.atUs - 1;
  return command;
}

/**
 * Runs one step until the matchers have answered. `foretell` gets the command before the venue does, and returns a
 * function that then gets the venue's reply.
 */
export function driveAlone(
  venue: TestVenue,
  step: Step,
  foretell: (command: Command) => (reply: Reply) => void,
): void {
  const command = commandOf(venue, step);
  const judge = foretell(command);
  venue.machine.handle(command);
  if (command.kind !== CommandKind.tick) judge(venue.replyTo(command));
}

/** Runs one step: sends a command if possible, then lets matchers give as many answers as the step says. */
export function drive(venue: TestVenue, step: Step): void {
  const [, , , , , answers] = step;
  if (venue.machine.canAccept()) venue.machine.take(commandOf(venue, step));
  for (let count = answers % 5; count > 0; count--) answerAny(venue, answers >> 3);
}

/** Lets a matcher answer one request; `choice` selects among the lanes that have pending requests. */
function answerAny(venue: TestVenue, choice: number): void {
  const lanes: [number, MatchLane][] = [];
  for (let matcher = 0; matcher < venue.machine.matcherCount; matcher++) {
    for (const lane of [MatchLane.orders, MatchLane.cancels]) {
      if (venue.machine.waiting(matcher, lane) > 0) lanes.push([matcher, lane]);
    }
  }
  const [matcher, lane] = lanes[choice % lanes.length] ?? [-1, 0];
  if (matcher >= 0) venue.machine.answerNext(matcher, lane);
}

export function unstampedCommand(venue: Scene, step: Step): Draft<Command> {
  const chance = step[0] % 100;
  if (chance < 46) return placeOf(venue, step);
  if (chance < 54) return specialOf(venue, step);
  if (chance < 58) return listOf(venue, step);
  if (chance < 62) return amendOf(venue, step);
  if (chance < 64) return massQuoteOf(venue, step);
  if (chance < 80) return cancelOf(venue, step);
  return accountCommandOf(venue, step);
}

function placeOf(venue: Scene, [, who, where, how, much, name]: Step): Draft<Command> {
  // Markets 0 and 4 get half of all orders, so that their books fill. Market 3 is delisted, and 7 does not exist.
  const market = where % 2 === 0 ? (where % 4) * 2 : (where >> 1) % 8;
  const { price, qty } = anchorOf(venue, market);
  const offset = (how % 21) - 10;
  const isFar = how % 61 === 0;
  const type: OrderType =
    how % 8 === 0 ? OrderType.market : how % 9 === 0 ? OrderType.limitMaker : OrderType.limit;
  const timeInForce = (type === OrderType.limit ? Math.max((much % 11) - 7, 0) : 0) as TimeInForce;
  return {
    kind: CommandKind.placeOrder,
    account: accountOf(venue, who),
    market,
    side: ((how >> 8) % 2) as Side,
    type,
    timeInForce,
    price:
      type === OrderType.market ? 0 : isFar ? price * 7 : price + offset * Math.ceil(price / 2000),
    // Every third perpetual order is as large as its account's margin allows, or larger.
    qty: much % 67 === 0 ? 0 : 1 + (much % (3 * qty * (market > 3 && name % 3 === 0 ? 60 : 1))),
    ...noOptions,
    reusesClientId: false,
    clientId: clientIdOf(venue, name),
    attached: attachedTo(much, name) ?? connectedTo(venue, accountOf(venue, who), how),
  };
}

/** Adds options to an order: reduce-only, quote amount, GTD, self-trade prevention, TP/SL, a slice, or a trigger. */
function specialOf(venue: Scene, step: Step): Draft<Command> {
  const plain = placeOf(venue, step) as Draft<PlaceOrder>;
  const [, , , how, much, name] = step;
  const { price } = anchorOf(venue, plain.market);
  const stpMode = (name % 5) as StpMode;
  const near = price + ((how % 31) - 15) * Math.ceil(price / 2000);
  switch (name % 8) {
    case 0:
      return { ...plain, stpMode, ...tpSlOf(plain, near, how) };
    case 1:
      return { ...plain, isReduceOnly: true, stpMode };
    case 2:
      return {
        ...plain,
        type: OrderType.market,
        timeInForce: TimeInForce.gtc,
        price: 0,
        qty: 0,
        quoteQty: BigInt(much) * 100_000n,
      };
    case 3:
      return {
        ...plain,
        type: OrderType.limit,
        timeInForce: TimeInForce.gtd,
        price: near,
        goodTillUs: venue.nowUs + (much % 400) * 1000,
        stpMode,
      };
    case 4:
      return {
        ...plain,
        type: OrderType.trailingStopMarket,
        price: 0,
        trailingBps: 5 + (much % 60),
        activationPrice: how % 3 === 0 ? near : 0,
        workingPrice: (how % 2) as WorkingPrice,
        isReduceOnly: how % 5 === 0,
      };
    case 5:
      return icebergOf({ ...plain, stpMode, price: near }, how, much);
    default:
      return conditionalOf(plain, near, step);
  }
}

/** Makes an order an iceberg order; sometimes one with too many slices, too large a slice, or a trigger. */
function icebergOf(plain: Draft<PlaceOrder>, how: number, much: number): Draft<Command> {
  const isMaker = how % 4 === 0;
  const iceberg = {
    ...plain,
    type: isMaker ? OrderType.limitMaker : OrderType.limit,
    timeInForce: how % 9 === 0 ? TimeInForce.ioc : TimeInForce.gtc,
    qty: plain.qty * (1 + (how % 5)),
  };
  const icebergQty = Math.ceil(iceberg.qty / (1 + (much % 11)));
  if (isMaker || how % 5 > 0) return { ...iceberg, icebergQty };
  return { ...iceberg, icebergQty, type: OrderType.stop, triggerPrice: plain.price };
}

/** Returns a TP/SL for most perpetual orders, at valid or invalid distances from `near`; nothing for others. */
function tpSlOf({ market, side }: Draft<PlaceOrder>, near: number, how: number) {
  if (market < 4 || how % 4 === 0) return {};
  const away = (how % 9) * Math.ceil(near / 2000) * (side === Side.buy ? 1 : -1);
  return {
    activationPrice: how % 5 === 0 ? 0 : near + away,
    triggerPrice: how % 7 === 0 ? 0 : near - away,
    workingPrice: WorkingPrice.mark,
  };
}

function conditionalOf(plain: Draft<PlaceOrder>, near: number, step: Step): Draft<Command> {
  const [, , , how, much, name] = step;
  const type = (OrderType.stop + (much % 4)) as OrderType;
  const isLimit = type === OrderType.stop || type === OrderType.takeProfit;
  const closesPosition = !isLimit && name % 3 === 0;
  const isPegged = isLimit && name % 5 === 0;
  return {
    ...plain,
    type,
    timeInForce: ((how >> 3) % 4) as TimeInForce,
    price: isLimit && !(isPegged && how % 2 === 0) ? near + (how % 5) - 2 : 0,
    peg: isPegged ? ((1 + (much % 2)) as Peg) : Peg.none,
    pegOffset: isPegged ? (name >> 3) % 3 : 0,
    qty: closesPosition ? 0 : plain.qty,
    triggerPrice: near,
    workingPrice: (plain.market > 3 ? how % 2 : 0) as WorkingPrice,
    closesPosition,
    isReduceOnly: closesPosition || (plain.market > 3 && how % 3 === 0),
    stpMode: (name % 5) as StpMode,
  };
}

/** Returns mostly an amend of the account's own open order, with similar terms; sometimes of another order. */
function amendOf(venue: Scene, [, who, where, how, much]: Step): Draft<Command> {
  const account = accountOf(venue, who);
  const { orders } = venue.state;
  const slot = orders.firstOfAccount(account);
  const isOwn = slot >= 0 && how % 8 !== 0;
  const price = isOwn ? (orders.price[slot] ?? 0) : 1500;
  const qty = isOwn ? (orders.qty[slot] ?? 0) : 100;
  return {
    kind: CommandKind.amendOrder,
    account,
    market: isOwn ? (orders.market[slot] ?? 0) : where % 8,
    orderId: isOwn ? (orders.orderId[slot] ?? 0) : 1 + (much % venue.state.nextOrderId),
    clientId: "",
    price: how % 4 === 0 ? 0 : price + ((how % 9) - 4) * Math.ceil(price / 2000),
    qty: Math.max(qty + (much % 41) - 20, 0),
    side: much % 5 === 0 ? ((much % 2) as Side) : null,
    growsNot: much % 7 === 0,
    connection: how % 5 === 0 ? connectionOf(venue, account, much) : 0,
  };
}

/** Returns a mass quote in the account's market of the moment, so that later ones amend it. */
function massQuoteOf(venue: Scene, [, who, where, how, much]: Step): Draft<Command> {
  const account = accountOf(venue, who);
  const market = where % 5 === 0 ? where % 8 : account % 7;
  const connection = who % 3 === 0 ? connectionOf(venue, account, much) : 0;
  const scene = { account, market, price: anchorOf(venue, market).price };
  return { ...quotesOf(scene, how, much), connection };
}

/** Whether a command may go on the lane of cancels. */
export function isCancel({ kind }: Pick<Command, "kind">): boolean {
  return (
    kind === CommandKind.cancelOrder ||
    kind === CommandKind.cancelAllOrders ||
    kind === CommandKind.cancelOrders
  );
}

function cancelOf(venue: Scene, [kind, who, where, how, much, name]: Step): Draft<Command> {
  const account = accountOf(venue, who);
  const market = where % 7;
  if (kind % 7 === 0) return { kind: CommandKind.cancelAllOrders, account, market };
  if (kind % 11 === 0) {
    return coveredOf({ account, market, price: anchorOf(venue, market).price }, how);
  }
  const { orders } = venue.state;
  const slot = orders.firstOfAccount(account);
  const isOwn = slot >= 0 && how % 4 !== 0;
  const orderId = isOwn ? (orders.orderId[slot] ?? 0) : 1 + (much % venue.state.nextOrderId);
  return {
    kind: CommandKind.cancelOrder,
    account,
    market: isOwn ? (orders.market[slot] ?? 0) : market,
    orderId: how % 3 === 0 ? 0 : orderId,
    clientId: how % 6 === 0 ? derivedClientId(orderId) : `c-${(name >> 2) % 300}`,
    onlyIf: (much % 5 > 2 ? 0 : much % 5) as CancelCondition,
  };
}

function accountCommandOf(venue: Scene, [, who, where, how, much]: Step): Draft<Command> {
  const account = accountOf(venue, who);
  const market = how % 8;
  switch (where % 17) {
    case 0:
    case 1:
      return { kind: CommandKind.setLeverage, account, market, leverage: much % 103 };
    case 2:
      return moveOf(venue, { account, other: accountOf(venue, much) }, how, much);
    case 3:
      return {
        kind: CommandKind.transfer,
        key: how % 3 > 0 ? null : { high: BigInt(much % 40), low: 1n, payload: 0n },
        account,
        from: (how % 3) as Wallet,
        to: ((how >> 4) % 3) as Wallet,
        asset: much % 5,
        amount: BigInt(much - 100) * 1_000_000n,
      };
    case 4:
      return {
        kind: CommandKind.credit,
        account,
        wallet: (how % 3) as Wallet,
        asset: much % 5,
        amount: BigInt(much - 10) * 100_000n,
        isFromFaucet: how % 2 === 0,
      };
    case 5:
      return flagsCommand(how, account);
    case 6:
      return { kind: CommandKind.setMarketStatus, market, status: statusOf(how) };
    case 7:
      return registrationOf(account, much);
    case 8:
      return keyChangeOf(venue, how, much);
    case 9:
      return guardOf(venue, account, how, much);
    case 10:
      if (how % 3 > 0) return groupOf({ account, market }, how, much);
      return { kind: CommandKind.tick };
    case 11:
      if (how % 11 === 0) return { kind: CommandKind.settleFunding };
      return { kind: how % 5 === 0 ? CommandKind.barrier : CommandKind.tick };
    case 12:
      return sessionOf(venue, account, how, much);
    case 13:
      if (how % 3 > 0) return { kind: CommandKind.claimReward, account };
      return { kind: CommandKind.setReferrer, account, referrer: accountOf(venue, much) };
    case 14:
      return referenceOf(venue, how, much);
    case 15:
      return { kind: CommandKind.refillFund, account, amount: BigInt(much - 100) * 1_000_000n };
    default:
      if (how % 4 > 0) return custodyOf(venue, account, how, much);
      return rareOf(account, how >> 2, much);
  }
}

/** Returns a command for the case that a client is gone: of an order connection, or a countdown. */
function guardOf(venue: Scene, account: number, how: number, much: number): Draft<Command> {
  if (how % 2 === 0) return connectionCommandOf(venue, account, much);
  const cancelAtUs = how % 5 === 0 ? 0 : venue.nowUs + (how % 300) * 1000;
  return { kind: CommandKind.setCountdown, account, market: much % 8, cancelAtUs };
}

/** Returns an operator command that is rare: a new market, a new account or another account type. */
function rareOf(account: number, how: number, much: number): Draft<Command> {
  if (how % 4 === 0) {
    const digest = { termsHigh: BigInt(how), termsLow: -BigInt(much) };
    const status = how % 8 === 0 ? MarketStatus.halted : MarketStatus.trading;
    return { kind: CommandKind.addMarket, market: 7 + (much % 10), status, ...digest };
  }
  if (how % 4 === 3) return subAccountOf(account, much);
  if (how % 4 === 2) return { kind: CommandKind.openAccount, accountType: AccountType.standard };
  const accountType = much % 3 === 0 ? AccountType.standard : AccountType.house;
  return { kind: CommandKind.setAccountType, account, accountType };
}

/** Returns an external price: usually near the market's and valid for a short time, else none or an invalid one. */
function referenceOf(venue: Scene, how: number, much: number): Draft<Command> {
  const market = 4 + (how % 4);
  const { price } = anchorOf(venue, market);
  return {
    kind: CommandKind.setReference,
    market,
    origin: (much % 2) as IndexOrigin,
    price: how % 5 === 0 ? 0 : price + ((much % 41) - 20) * Math.ceil(price / 2000),
    untilUs: venue.nowUs + ((much % 400) - 20) * 1000,
  };
}

/** Opens a session, sets the key of an open one, or closes one; sometimes in the name of another account. */
function sessionOf(venue: Scene, account: number, how: number, much: number): Draft<Command> {
  const { sessions, seq } = venue.state;
  const open = sessions.all();
  const sessionId = open[much % Math.max(1, open.length)]?.sessionId ?? 0;
  const owner = how % 7 === 0 ? account : (sessions.get(sessionId)?.account ?? account);
  if (how % 3 === 0) {
    const expiresUs = venue.nowUs + (much % 300) * 1000;
    return { kind: CommandKind.openSession, account, sessionId: 1000 + seq, expiresUs };
  }
  if (how % 3 === 1) {
    return { kind: CommandKind.setSessionKey, account: owner, sessionId, keyId: 1000 + seq };
  }
  return { kind: CommandKind.closeSession, account: owner, sessionId };
}

/** Sets flags: sometimes a freeze, mostly the right to withdraw and the enrolment that wallet-funded accounts need to trade. */
function flagsCommand(choice: number, account: number): Draft<Command> {
  const frozen = choice % 5 === 0 ? AccountFlag.frozen : 0;
  const stopped = choice % 7 === 0 ? AccountFlag.frozenBySettlement : 0;
  const enrolled = account % 4 === 0 || choice % 3 > 0 ? AccountFlag.enrolled : 0;
  const withdraws = choice % 4 > 0 ? AccountFlag.canWithdraw : 0;
  const mask = choice % 2 === 0 ? everyAccountFlag : everyAccountFlag & ~AccountFlag.frozen;
  const flags = (frozen | stopped | enrolled | withdraws) & mask;
  return { kind: CommandKind.setAccountFlags, account, flags, mask };
}

/** Returns a market status: usually trading, also for the delisted market, which refuses it. */
function statusOf(choice: number): MarketStatus {
  return choice % 7 === 0 ? MarketStatus.halted : MarketStatus.trading;
}
