// Events as canonical JSON: what a leaf commits to and what an owner is shown. Every field of an event
// is in its body, or in the leaf beside it (seq, time, kind), so that no byte of the journal can change
// without changing a hash. Names of codes are those of the code; prices and amounts are decimals.
//
// A new event kind is a new entry of the table below, one function for each field, and of the published
// names (test/vectors/body-names.json). Keys are sorted here, and `account`, `event` and `unit_end` are
// added to every kind.

import { present } from "../../core/assert.ts";
import { EventKind, type Traded, type VenueEvent } from "../../core/events.ts";
import { opposite } from "../../core/orders.ts";
import { type BodyWriter, codeNames, namePieces, namesOf } from "./body-writer.ts";
import { pieceOf } from "./text-writer.ts";

type EventOf<K extends EventKind> = Extract<VenueEvent, { kind: K }>;

/** A side of a trade as its owner sees it; to everybody else it is a hash in the trade's body. */
export type TradeSide = "maker" | "taker";

/** The hashes that stand for the bodies of a trade's sides, 32 bytes each. */
export type SideHashes = Readonly<Record<TradeSide, Uint8Array>>;

/** Writes the JSON text of one field; `sides` are those of a trade. */
type Field<E> = (event: E, body: BodyWriter, sides: SideHashes) => void;
type Fields<E> = Readonly<Record<string, Field<E>>>;

const sideNames = namePieces(codeNames.side);
const types = namePieces(codeNames.orderType);
const timesInForce = namePieces(codeNames.timeInForce);
const stpModes = namePieces(codeNames.stpMode);
const workingPrices = namePieces(codeNames.workingPrice);
const closeReasons = namePieces(codeNames.closeReason);
const accountTypes = namePieces(codeNames.accountType);
const keyTypes = namePieces(codeNames.keyType);
const rateTiers = namePieces(codeNames.rateTier);
const stages = namePieces(codeNames.liquidationStage);
const insuranceCauses = namePieces(codeNames.insuranceCause);
const indexOrigins = namePieces(codeNames.indexOrigin);
const riskTerms = namePieces(codeNames.riskTerm);
const moveCauses = namePieces(codeNames.moveCause);
const gates = namePieces(codeNames.tradingGate);
const marketStatuses = namePieces(codeNames.marketStatus);
const swapReasons = namePieces(codeNames.swapReason);
const swapStates = namePieces(codeNames.swapState);

type Placed = EventOf<typeof EventKind.orderAccepted> | EventOf<typeof EventKind.specialAccepted>;

const accepted: Fields<Placed> = {
  client_id: (event, body) => body.json(event.clientId),
  margin_price: (event, body) => body.price(event.market, event.marginPrice),
  margin_qty: (event, body) => body.qty(event.market, event.marginLots),
  market: (event, body) => body.symbol(event.market),
  order_id: (event, body) => body.order(event.orderId),
  price: (event, body) => body.price(event.market, event.price),
  qty: (event, body) => body.qty(event.market, event.qty),
  reduce_only: (event, body) => body.flag(event.isReduceOnly),
  side: (event, body) => body.name(sideNames, event.side),
  stp_mode: (event, body) => body.name(stpModes, event.stpMode),
  time_in_force: (event, body) => body.name(timesInForce, event.timeInForce),
  type: (event, body) => body.name(types, event.type),
};

type Changed = EventOf<typeof EventKind.orderTriggered> | EventOf<typeof EventKind.orderAmended>;

const changed: Fields<Changed> = {
  margin_price: (event, body) => body.price(event.market, event.marginPrice),
  market: (event, body) => body.symbol(event.market),
  order_id: (event, body) => body.order(event.orderId),
  price: (event, body) => body.price(event.market, event.price),
  qty: (event, body) => body.qty(event.market, event.qty),
};

/** What both sides of a trade may know. The sides themselves stand as hashes: see `traded`. */
const trade: Fields<Traded> = {
  maker_order_id: (event, body) => body.order(event.makerOrderId),
  market: (event, body) => body.symbol(event.market),
  price: (event, body) => body.price(event.market, event.price),
  qty: (event, body) => body.qty(event.market, event.qty),
  taker_order_id: (event, body) => body.order(event.takerOrderId),
  taker_side: (event, body) => body.name(sideNames, event.takerSide),
  trade_id: (event, body) => body.trade(event.tradeId),
};

/** Every kind but trades, whose bodies need hashes. */
type PlainKind = Exclude<EventKind, typeof EventKind.traded>;

const bodies: { readonly [K in PlainKind]: Fields<EventOf<K>> } = {
  [EventKind.accountOpened]: {
    account_type: (event, body) => body.name(accountTypes, event.accountType),
  },
  [EventKind.granted]: {
    amount: (event, body) => body.amount(event.asset, event.amount),
    asset: (event, body) => body.asset(event.asset),
    wallet: (event, body) => body.wallet(event.wallet),
  },
  [EventKind.credited]: {
    amount: (event, body) => body.amount(event.asset, event.amount),
    asset: (event, body) => body.asset(event.asset),
    wallet: (event, body) => body.wallet(event.wallet),
  },
  [EventKind.transferred]: {
    amount: (event, body) => body.amount(event.asset, event.amount),
    asset: (event, body) => body.asset(event.asset),
    from: (event, body) => body.wallet(event.from),
    to: (event, body) => body.wallet(event.to),
  },
  [EventKind.leverageSet]: {
    leverage: (event, body) => body.whole(event.leverage),
    market: (event, body) => body.symbol(event.market),
  },
  [EventKind.accountFlagsSet]: { flags: (event, body) => body.whole(event.flags) },
  [EventKind.keyRegistered]: {
    key_id: (event, body) => body.whole(event.keyId),
    key_type: (event, body) => body.name(keyTypes, event.keyType),
    permissions: (event, body) => body.whole(event.permissions),
    tier: (event, body) => body.name(rateTiers, event.tier),
  },
  [EventKind.keyChanged]: {
    key_id: (event, body) => body.whole(event.keyId),
    permissions: (event, body) => body.whole(event.permissions),
    revoked: (event, body) => body.flag(event.isRevoked),
    tier: (event, body) => body.name(rateTiers, event.tier),
  },
  [EventKind.marketStatusSet]: {
    market: (event, body) => body.symbol(event.market),
    status: (event, body) => body.name(marketStatuses, event.status),
  },
  [EventKind.accountTypeSet]: {
    account_type: (event, body) => body.name(accountTypes, event.accountType),
  },
  // By number: whoever seals may not know the market yet.
  [EventKind.marketAdded]: {
    market_no: (event, body) => body.whole(event.market),
    status: (event, body) => body.name(marketStatuses, event.status),
    terms: (event, body) => body.bits(event.termsHigh, event.termsLow),
  },
  [EventKind.sessionOpened]: {
    expires_us: (event, body) => body.quoted(event.expiresUs),
    session_id: (event, body) => body.whole(event.sessionId),
  },
  [EventKind.sessionClosed]: {
    key_id: (event, body) => body.whole(event.keyId),
    session_id: (event, body) => body.whole(event.sessionId),
  },
  [EventKind.sessionKeySet]: {
    key_id: (event, body) => body.whole(event.keyId),
    replaced_key_id: (event, body) => body.whole(event.replacedKeyId),
    session_id: (event, body) => body.whole(event.sessionId),
  },
  [EventKind.orderAccepted]: accepted,
  [EventKind.specialAccepted]: {
    ...accepted,
    activation_price: (event, body) => body.price(event.market, event.activationPrice),
    closes_position: (event, body) => body.flag(event.closesPosition),
    good_till_us: (event, body) => body.quoted(event.goodTillUs),
    quote_qty: (event, body) => body.quoteAmount(event.market, event.quoteQty),
    trailing_bps: (event, body) => body.whole(event.trailingBps),
    trigger_price: (event, body) => body.price(event.market, event.triggerPrice),
    working_price: (event, body) => body.name(workingPrices, event.workingPrice),
  },
  [EventKind.orderTriggered]: changed,
  [EventKind.orderAmended]: { ...changed, requeued: (event, body) => body.flag(event.isRequeued) },
  [EventKind.orderReduced]: {
    market: (event, body) => body.symbol(event.market),
    order_id: (event, body) => body.order(event.orderId),
    qty: (event, body) => body.qty(event.market, event.qty),
  },
  [EventKind.matchPrevented]: {
    maker_order_id: (event, body) => body.order(event.makerOrderId),
    maker_qty: (event, body) => body.qty(event.market, event.makerQty),
    market: (event, body) => body.symbol(event.market),
    price: (event, body) => body.price(event.market, event.price),
    stp_mode: (event, body) => body.name(stpModes, event.stpMode),
    taker_order_id: (event, body) => body.order(event.takerOrderId),
    taker_qty: (event, body) => body.qty(event.market, event.takerQty),
  },
  [EventKind.orderClosed]: {
    market: (event, body) => body.symbol(event.market),
    order_id: (event, body) => body.order(event.orderId),
    reason: (event, body) => body.name(closeReasons, event.reason),
  },
  [EventKind.countdownSet]: {
    cancel_at_us: (event, body) => body.quoted(event.cancelAtUs),
    market: (event, body) => body.symbol(event.market),
  },
  [EventKind.marked]: {
    index: (event, body) => body.price(event.market, event.index),
    mark: (event, body) => body.price(event.market, event.mark),
    market: (event, body) => body.symbol(event.market),
  },
  [EventKind.premiumSampled]: {
    market: (event, body) => body.symbol(event.market),
    premium: (event, body) => body.rate(event.premium),
  },
  [EventKind.fundingStarted]: {
    interval_us: (event, body) => body.quoted(event.intervalUs),
    mark: (event, body) => body.price(event.market, event.mark),
    market: (event, body) => body.symbol(event.market),
    rate: (event, body) => body.rate(event.rate),
  },
  [EventKind.requestKeyed]: {
    key: (event, body) => body.bits(event.high, event.low),
    payload: (event, body) => body.bits(event.payload),
    subject: (event, body) => body.quoted(event.subject),
  },
  [EventKind.referred]: { referrer: (event, body) => body.whole(event.referrer) },
  [EventKind.rewarded]: {
    amount: (event, body) => body.margin(event.amount),
    wallet: (event, body) => body.wallet(event.wallet),
  },
  [EventKind.rewardClaimed]: { amount: (event, body) => body.margin(event.amount) },
  [EventKind.fundingPaid]: {
    amount: (event, body) => body.quoteAmount(event.market, event.amount),
    mark: (event, body) => body.price(event.market, event.mark),
    market: (event, body) => body.symbol(event.market),
    qty: (event, body) => body.qty(event.market, event.qty),
    rate: (event, body) => body.rate(event.rate),
  },
  [EventKind.liquidationStaged]: {
    dry_tries: (event, body) => body.whole(event.dryTries),
    next_us: (event, body) => body.quoted(event.nextUs),
    stage: (event, body) => body.name(stages, event.stage),
  },
  [EventKind.insuranceSettled]: {
    amount: (event, body) => body.quoteAmount(event.market, event.amount),
    cause: (event, body) => body.name(insuranceCauses, event.cause),
    market: (event, body) => body.symbol(event.market),
  },
  [EventKind.positionMoved]: {
    cause: (event, body) => body.name(moveCauses, event.cause),
    counterparty: (event, body) => body.whole(event.counterparty),
    counterparty_pnl: (event, body) => body.quoteAmount(event.market, event.counterpartyPnl),
    market: (event, body) => body.symbol(event.market),
    pnl: (event, body) => body.quoteAmount(event.market, event.pnl),
    price: (event, body) => body.price(event.market, event.price),
    qty: (event, body) => body.qty(event.market, event.qty),
    value: (event, body) => body.quoteAmount(event.market, event.value),
  },
  [EventKind.referenceSet]: {
    market: (event, body) => body.symbol(event.market),
    origin: (event, body) => body.name(indexOrigins, event.origin),
    price: (event, body) => body.price(event.market, event.price),
    until_us: (event, body) => body.quoted(event.untilUs),
  },
  [EventKind.basisAveraged]: {
    basis: (event, body) => body.basis(event.market, event.basis),
    market: (event, body) => body.symbol(event.market),
  },
  [EventKind.riskTermSet]: {
    market: (event, body) => body.symbol(event.market),
    term: (event, body) => body.name(riskTerms, event.term),
    value: (event, body) => body.quoted(event.value),
  },
  [EventKind.indexMeasured]: {
    believed: (event, body) => body.basis(event.market, event.believed),
    fresh: (event, body) => body.flag(event.isFresh),
    leap: (event, body) => body.basis(event.market, event.leap),
    level: (event, body) => body.basis(event.market, event.level),
    market: (event, body) => body.symbol(event.market),
    witnesses: (event, body) => body.whole(event.witnesses),
  },
  [EventKind.tradingGateSet]: {
    fund_equity: (event, body) => body.margin(event.fundEquity),
    gate: (event, body) => body.name(gates, event.gate),
  },
  [EventKind.fundHourSet]: {
    market: (event, body) => body.symbol(event.market),
    paused: (event, body) => body.flag(event.isPaused),
    since_us: (event, body) => body.quoted(event.sinceUs),
    worth: (event, body) => body.quoteAmount(event.market, event.worth),
  },
  [EventKind.walletBound]: { flags: (event, body) => body.whole(event.flags) },
  [EventKind.withdrawalRequested]: {
    amount: (event, body) => body.amount(event.asset, event.amount),
    asset: (event, body) => body.asset(event.asset),
    destination: (event, body) => body.bits(event.destinationHigh, event.destinationLow),
    fee: (event, body) => body.amount(event.asset, event.fee),
    withdrawal_id: (event, body) => body.quoted(event.withdrawalId),
  },
  [EventKind.withdrawalEnded]: {
    amount: (event, body) => body.amount(event.asset, event.amount),
    asset: (event, body) => body.asset(event.asset),
    completed: (event, body) => body.flag(event.isCompleted),
    fee: (event, body) => body.amount(event.asset, event.fee),
    withdrawal_id: (event, body) => body.quoted(event.withdrawalId),
  },
  [EventKind.coinsSettled]: {
    amount: (event, body) => body.amount(event.asset, event.amount),
    asset: (event, body) => body.asset(event.asset),
  },
  [EventKind.swapMoved]: {
    details: (event, body) => body.bits(event.digestHigh, event.digestLow),
    from: (event, body) => body.name(swapStates, event.from),
    market: (event, body) => body.symbol(event.market),
    move_no: (event, body) => body.quoted(event.moveNo),
    price: (event, body) => body.price(event.market, event.price),
    qty: (event, body) => body.qty(event.market, event.lots),
    reason: (event, body) => body.name(swapReasons, event.reason),
    side: (event, body) => body.name(sideNames, event.side),
    swap_no: (event, body) => body.quoted(event.swapNo),
    to: (event, body) => body.name(swapStates, event.to),
  },
};

/** A field with what stands in front of it. */
interface Part {
  readonly key: string;
  readonly lead: Uint8Array;
  readonly field: Field<VenueEvent>;
}

function partsOf(fields: Fields<never>): readonly Part[] {
  const sorted = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([key, field], place) => ({
    key,
    lead: pieceOf(`${place === 0 ? "{" : ","}"${key}":`),
    field: field as Field<VenueEvent>,
  }));
}

const end = pieceOf("}");
const kindNames = namesOf(EventKind);
const kindPieces = namePieces(kindNames);
const header: Fields<VenueEvent> = {
  account: (event, body) => body.whole(event.account),
  event: (event, body) => body.name(kindPieces, event.kind),
  unit_end: (event, body) => body.flag(event.isUnitEnd),
};

const fillParts = partsOf(trade);
const sideParts: Readonly<Record<TradeSide, readonly Part[]>> = {
  taker: partsOf({
    account: (event: Traded, body) => body.whole(event.account),
    fee: (event: Traded, body) => body.fee(event.market, event.takerSide, event.takerFee),
    pnl: (event: Traded, body) => body.quoteAmount(event.market, event.takerPnl),
  } satisfies Fields<Traded>),
  maker: partsOf({
    account: (event: Traded, body) => body.whole(event.makerAccount),
    fee: (event: Traded, body) => body.fee(event.market, opposite(event.takerSide), event.makerFee),
    pnl: (event: Traded, body) => body.quoteAmount(event.market, event.makerPnl),
  } satisfies Fields<Traded>),
};
/** Without `account`, which stands in the taker's side. */
const { account: _hidden, ...shownHeader } = header;
const traded: Fields<Traded> = {
  ...trade,
  ...shownHeader,
  maker: (_event, body, hashes) => body.hash(hashes.maker),
  taker: (_event, body, hashes) => body.hash(hashes.taker),
};

const partsByKind: readonly (readonly Part[] | undefined)[] = (() => {
  const byKind: (readonly Part[])[] = [];
  for (const [kind, fields] of Object.entries(bodies)) {
    byKind[Number(kind)] = partsOf({ ...header, ...fields });
  }
  byKind[EventKind.traded] = partsOf(traded);
  return byKind;
})();

/** What kinds and their keys are called in bodies, by kind: fixed, since they are in sealed leaves. */
export function bodyKeys(): { kind: number; name: string; keys: readonly string[] }[] {
  return Object.values(EventKind).map((kind) => ({
    kind,
    name: present(kindNames[kind], "every kind has a name"),
    keys: present(partsByKind[kind], "every kind has a body").map(({ key }) => key),
  }));
}

/**
 * Writes the body of a journal entry: canonical JSON, keys sorted. Asserts that markets, assets and
 * codes are known. A trade shows its two sides as the hashes of their bodies, because the other side's
 * account, fee and profit are nobody's business; of other kinds the hashes are ignored.
 */
export function writeJournalBody(event: VenueEvent, sides: SideHashes, body: BodyWriter): void {
  writeParts(present(partsByKind[event.kind], "every kind has a body"), event, sides, body);
}

const noHash = new Uint8Array();
const noSides: SideHashes = { maker: noHash, taker: noHash };

/** Writes the body of a trade's fill record: what both sides know. */
export function writeFillBody(event: Traded, body: BodyWriter): void {
  writeParts(fillParts, event, noSides, body);
}

/** Writes one side of a trade, for its owner alone. */
export function writeSideBody(event: Traded, side: TradeSide, body: BodyWriter): void {
  writeParts(sideParts[side], event, noSides, body);
}

function writeParts(
  parts: readonly Part[],
  event: VenueEvent,
  sides: SideHashes,
  body: BodyWriter,
): void {
  for (let place = 0; place < parts.length; place++) {
    const { lead, field } = parts[place] as Part;
    body.piece(lead);
    field(event, body, sides);
  }
  body.piece(end);
}
