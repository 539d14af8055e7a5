// Events as canonical JSON: what a leaf commits to and what an owner is shown. Every field of an event
// is in its body, or in the leaf beside it (seq, time, kind), so that no byte of the journal can change
// without changing a hash. Names of codes are those of the code; prices and amounts are decimals.
//
// A new event kind is a new entry of the table below: one function for each field. Keys are sorted
// here, and `account`, `event` and `unit_end` are added to every kind.

import * as accounts from "../../core/accounts.ts";
import { type Wallet, walletNames } from "../../core/accounts.ts";
import { present } from "../../core/assert.ts";
import { formatScaled } from "../../core/decimal.ts";
import { EventKind, type Traded, type VenueEvent } from "../../core/events.ts";
import * as liquidation from "../../core/liquidation.ts";
import { isPerpetual, MarketStatus, type MarketTable } from "../../core/markets.ts";
import * as orders from "../../core/orders.ts";

type EventOf<K extends EventKind> = Extract<VenueEvent, { kind: K }>;

/** The JSON text of one field. */
type Field<E> = (event: E, words: BodyWords) => string;
type Fields<E> = Readonly<Record<string, Field<E>>>;

/** `stopMarket` is STOP_MARKET: the names of a closed set of codes, as JSON texts by code. */
function namesOf(codes: Readonly<Record<string, number>>): readonly string[] {
  const names: string[] = [];
  for (const [name, code] of Object.entries(codes)) {
    names[code] = JSON.stringify(name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  }
  return names;
}

const sides = namesOf(orders.Side);
const types = namesOf(orders.OrderType);
const timesInForce = namesOf(orders.TimeInForce);
const stpModes = namesOf(orders.StpMode);
const workingPrices = namesOf(orders.WorkingPrice);
const closeReasons = namesOf(orders.CloseReason);
const accountTypes = namesOf(accounts.AccountType);
const keyTypes = namesOf(accounts.KeyType);
const rateTiers = namesOf(accounts.RateTier);
const stages = namesOf(liquidation.LiquidationStage);
const insuranceCauses = namesOf(liquidation.InsuranceCause);
const moveCauses = namesOf(liquidation.MoveCause);
const gates = namesOf(liquidation.TradingGate);
const marketStatuses = namesOf(MarketStatus);

function nameOf(names: readonly string[], code: number): string {
  return present(names[code], "a code has a name");
}

/** Prices, quantities and amounts in the decimals of their market or asset. */
class BodyWords {
  readonly #table: MarketTable;

  constructor(table: MarketTable) {
    this.#table = table;
  }

  symbol(market: number): string {
    return `"${this.#table.market(market).symbol}"`;
  }

  price(market: number, ticks: number): string {
    return `"${formatScaled(ticks, this.#table.market(market).tickDecimals)}"`;
  }

  qty(market: number, lots: number): string {
    return `"${formatScaled(lots, this.#table.market(market).lotDecimals)}"`;
  }

  asset(asset: number): string {
    return `"${this.#table.asset(asset).code}"`;
  }

  amount(asset: number, units: bigint): string {
    return `"${formatScaled(units, this.#table.asset(asset).decimals)}"`;
  }

  /** An amount of the margin asset of perpetuals. */
  margin(units: bigint): string {
    const { quote } = present(this.#table.markets.find(isPerpetual), "a perpetual market");
    return this.amount(quote.id, units);
  }

  /** An amount of the market's quote or margin asset. */
  quote(market: number, units: bigint): string {
    return this.amount(this.#table.market(market).quote.id, units);
  }

  /** A fee, in the asset its side received: what a spot buyer got is the base. */
  fee(market: number, side: orders.Side, units: bigint): string {
    const { kind, base, quote } = this.#table.market(market);
    const isBase = !isPerpetual({ kind }) && side === orders.Side.buy && base !== null;
    return this.amount(isBase ? base.id : quote.id, units);
  }
}

const wallet = (code: Wallet) => `"${walletNames[code]}"`;
const rate = (value: bigint) => `"${formatScaled(value, 8)}"`;
const orderRef = (orderId: number) => `"o-${orderId}"`;

/** 64 bits as 16 hexadecimal digits. */
const bits = (value: bigint) => BigInt.asUintN(64, value).toString(16).padStart(16, "0");

type Placed = EventOf<typeof EventKind.orderAccepted> | EventOf<typeof EventKind.specialAccepted>;

const accepted: Fields<Placed> = {
  client_id: (event) => JSON.stringify(event.clientId),
  margin_price: (event, words) => words.price(event.market, event.marginPrice),
  margin_qty: (event, words) => words.qty(event.market, event.marginLots),
  market: (event, words) => words.symbol(event.market),
  order_id: (event) => orderRef(event.orderId),
  price: (event, words) => words.price(event.market, event.price),
  qty: (event, words) => words.qty(event.market, event.qty),
  reduce_only: (event) => `${event.isReduceOnly}`,
  side: (event) => nameOf(sides, event.side),
  stp_mode: (event) => nameOf(stpModes, event.stpMode),
  time_in_force: (event) => nameOf(timesInForce, event.timeInForce),
  type: (event) => nameOf(types, event.type),
};

type Changed = EventOf<typeof EventKind.orderTriggered> | EventOf<typeof EventKind.orderAmended>;

const changed: Fields<Changed> = {
  margin_price: (event, words) => words.price(event.market, event.marginPrice),
  market: (event, words) => words.symbol(event.market),
  order_id: (event) => orderRef(event.orderId),
  price: (event, words) => words.price(event.market, event.price),
  qty: (event, words) => words.qty(event.market, event.qty),
};

/** What both sides of a trade may know. The sides themselves stand as hashes: see `traded`. */
const trade: Fields<Traded> = {
  maker_order_id: (event) => orderRef(event.makerOrderId),
  market: (event, words) => words.symbol(event.market),
  price: (event, words) => words.price(event.market, event.price),
  qty: (event, words) => words.qty(event.market, event.qty),
  taker_order_id: (event) => orderRef(event.takerOrderId),
  taker_side: (event) => nameOf(sides, event.takerSide),
  trade_id: (event) => `"t-${event.tradeId}"`,
};

/** Every kind but trades, whose bodies need hashes. */
type PlainKind = Exclude<EventKind, typeof EventKind.traded>;

const bodies: { readonly [K in PlainKind]: Fields<EventOf<K>> } = {
  [EventKind.accountOpened]: { account_type: (event) => nameOf(accountTypes, event.accountType) },
  [EventKind.credited]: {
    amount: (event, words) => words.amount(event.asset, event.amount),
    asset: (event, words) => words.asset(event.asset),
    wallet: (event) => wallet(event.wallet),
  },
  [EventKind.transferred]: {
    amount: (event, words) => words.amount(event.asset, event.amount),
    asset: (event, words) => words.asset(event.asset),
    from: (event) => wallet(event.from),
    to: (event) => wallet(event.to),
  },
  [EventKind.leverageSet]: {
    leverage: (event) => `${event.leverage}`,
    market: (event, words) => words.symbol(event.market),
  },
  [EventKind.accountFlagsSet]: { flags: (event) => `${event.flags}` },
  [EventKind.keyRegistered]: {
    key_id: (event) => `${event.keyId}`,
    key_type: (event) => nameOf(keyTypes, event.keyType),
    permissions: (event) => `${event.permissions}`,
    tier: (event) => nameOf(rateTiers, event.tier),
  },
  [EventKind.keyChanged]: {
    key_id: (event) => `${event.keyId}`,
    permissions: (event) => `${event.permissions}`,
    revoked: (event) => `${event.isRevoked}`,
    tier: (event) => nameOf(rateTiers, event.tier),
  },
  [EventKind.marketStatusSet]: {
    market: (event, words) => words.symbol(event.market),
    status: (event) => nameOf(marketStatuses, event.status),
  },
  [EventKind.sessionOpened]: {
    expires_us: (event) => `"${event.expiresUs}"`,
    session_id: (event) => `${event.sessionId}`,
  },
  [EventKind.sessionClosed]: {
    key_id: (event) => `${event.keyId}`,
    session_id: (event) => `${event.sessionId}`,
  },
  [EventKind.sessionKeySet]: {
    key_id: (event) => `${event.keyId}`,
    replaced_key_id: (event) => `${event.replacedKeyId}`,
    session_id: (event) => `${event.sessionId}`,
  },
  [EventKind.orderAccepted]: accepted,
  [EventKind.specialAccepted]: {
    ...accepted,
    activation_price: (event, words) => words.price(event.market, event.activationPrice),
    closes_position: (event) => `${event.closesPosition}`,
    good_till_us: (event) => `"${event.goodTillUs}"`,
    quote_qty: (event, words) => words.quote(event.market, event.quoteQty),
    trailing_bps: (event) => `${event.trailingBps}`,
    trigger_price: (event, words) => words.price(event.market, event.triggerPrice),
    working_price: (event) => nameOf(workingPrices, event.workingPrice),
  },
  [EventKind.orderTriggered]: changed,
  [EventKind.orderAmended]: { ...changed, requeued: (event) => `${event.isRequeued}` },
  [EventKind.orderReduced]: {
    market: (event, words) => words.symbol(event.market),
    order_id: (event) => orderRef(event.orderId),
    qty: (event, words) => words.qty(event.market, event.qty),
  },
  [EventKind.orderClosed]: {
    market: (event, words) => words.symbol(event.market),
    order_id: (event) => orderRef(event.orderId),
    reason: (event) => nameOf(closeReasons, event.reason),
  },
  [EventKind.countdownSet]: {
    cancel_at_us: (event) => `"${event.cancelAtUs}"`,
    market: (event, words) => words.symbol(event.market),
  },
  [EventKind.marked]: {
    index: (event, words) => words.price(event.market, event.index),
    mark: (event, words) => words.price(event.market, event.mark),
    market: (event, words) => words.symbol(event.market),
  },
  [EventKind.premiumSampled]: {
    market: (event, words) => words.symbol(event.market),
    premium: (event) => rate(event.premium),
  },
  [EventKind.fundingStarted]: {
    interval_us: (event) => `"${event.intervalUs}"`,
    mark: (event, words) => words.price(event.market, event.mark),
    market: (event, words) => words.symbol(event.market),
    rate: (event) => rate(event.rate),
  },
  [EventKind.requestKeyed]: {
    key: (event) => `"${bits(event.high)}${bits(event.low)}"`,
    payload: (event) => `"${bits(event.payload)}"`,
    subject: (event) => `"${event.subject}"`,
  },
  [EventKind.referred]: { referrer: (event) => `${event.referrer}` },
  [EventKind.rewarded]: {
    amount: (event, words) => words.margin(event.amount),
    wallet: (event) => wallet(event.wallet),
  },
  [EventKind.rewardClaimed]: { amount: (event, words) => words.margin(event.amount) },
  [EventKind.fundingPaid]: {
    amount: (event, words) => words.quote(event.market, event.amount),
    mark: (event, words) => words.price(event.market, event.mark),
    market: (event, words) => words.symbol(event.market),
    qty: (event, words) => words.qty(event.market, event.qty),
    rate: (event) => rate(event.rate),
  },
  [EventKind.liquidationStaged]: {
    dry_tries: (event) => `${event.dryTries}`,
    next_us: (event) => `"${event.nextUs}"`,
    stage: (event) => nameOf(stages, event.stage),
  },
  [EventKind.insuranceSettled]: {
    amount: (event, words) => words.quote(event.market, event.amount),
    cause: (event) => nameOf(insuranceCauses, event.cause),
    market: (event, words) => words.symbol(event.market),
  },
  [EventKind.positionMoved]: {
    cause: (event) => nameOf(moveCauses, event.cause),
    counterparty: (event) => `${event.counterparty}`,
    counterparty_pnl: (event, words) => words.quote(event.market, event.counterpartyPnl),
    market: (event, words) => words.symbol(event.market),
    pnl: (event, words) => words.quote(event.market, event.pnl),
    price: (event, words) => words.price(event.market, event.price),
    qty: (event, words) => words.qty(event.market, event.qty),
    value: (event, words) => words.quote(event.market, event.value),
  },
  [EventKind.tradingGateSet]: {
    fund_equity: (event, words) => words.margin(event.fundEquity),
    gate: (event) => nameOf(gates, event.gate),
  },
};

/** A side of a trade as its owner sees it; to everybody else it is a hash in the trade's body. */
export type TradeSide = "maker" | "taker";

/** The hash that stands for a side's body in the body of its trade: 64 hexadecimal digits. */
export type SideHash = (side: TradeSide, body: string) => string;

/** A field with what stands in front of it. */
interface Part {
  readonly key: string;
  readonly lead: string;
  readonly field: Field<VenueEvent>;
}

function partsOf(fields: Fields<never>): readonly Part[] {
  const sorted = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([key, field], place) => ({
    key,
    lead: `${place === 0 ? "{" : ","}"${key}":`,
    field: field as Field<VenueEvent>,
  }));
}

const kindNames = namesOf(EventKind);
const header: Fields<VenueEvent> = {
  account: (event) => `${event.account}`,
  event: (event) => nameOf(kindNames, event.kind),
  unit_end: (event) => `${event.isUnitEnd}`,
};

const plainParts: readonly (readonly Part[] | undefined)[] = (() => {
  const byKind: (readonly Part[])[] = [];
  for (const [kind, fields] of Object.entries(bodies)) {
    byKind[Number(kind)] = partsOf({ ...header, ...fields });
  }
  return byKind;
})();

const fillParts = partsOf(trade);
const tradedParts = partsOf({
  ...trade,
  event: header["event"],
  maker: () => "",
  taker: () => "",
  unit_end: header["unit_end"],
} as Fields<never>);

/** Bodies of events and fills on the markets of one table. */
export class EventBodies {
  readonly #words: BodyWords;

  constructor(table: MarketTable) {
    this.#words = new BodyWords(table);
  }

  /**
   * The body of a journal entry: canonical JSON, keys sorted. Asserts that markets, assets and codes
   * are known. A trade shows its two sides as the hashes that `hashOf` gives for their bodies, because
   * the other side's account, fee and profit are nobody's business.
   */
  journal(event: VenueEvent, hashOf: SideHash): string {
    if (event.kind === EventKind.traded) return this.#traded(event, hashOf);
    return this.#join(present(plainParts[event.kind], "every kind has a body"), event);
  }

  /** The body of a trade's fill record: what both sides know. */
  fill(event: Traded): string {
    return this.#join(fillParts, event);
  }

  /** One side of a trade, for its owner alone. */
  side(event: Traded, side: TradeSide): string {
    const isTaker = side === "taker";
    const { market, takerSide } = event;
    const own = isTaker ? takerSide : orders.opposite(takerSide);
    const fee = this.#words.fee(market, own, isTaker ? event.takerFee : event.makerFee);
    const pnl = this.#words.quote(market, isTaker ? event.takerPnl : event.makerPnl);
    return `{"account":${isTaker ? event.account : event.makerAccount},"fee":${fee},"pnl":${pnl}}`;
  }

  #traded(event: Traded, hashOf: SideHash): string {
    let body = "";
    for (const { lead, key, field } of tradedParts) {
      const isSide = key === "maker" || key === "taker";
      const value = isSide ? `"${hashOf(key, this.side(event, key))}"` : field(event, this.#words);
      body += lead + value;
    }
    return `${body}}`;
  }

  #join(parts: readonly Part[], event: VenueEvent): string {
    let body = "";
    for (const { lead, field } of parts) body += lead + field(event, this.#words);
    return `${body}}`;
  }
}

/** The reference a journal entry is found by besides its seq: its order or trade; else empty. */
export function refOf(event: VenueEvent): string {
  if (event.kind === EventKind.traded) return `t-${event.tradeId}`;
  return "orderId" in event ? `o-${event.orderId}` : "";
}
