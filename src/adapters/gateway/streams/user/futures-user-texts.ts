// Frames of the USD-M user data stream as JSON text, with Binance's field names. The venue's own field `seq` is the
// number of the frame in the account's sequence. These streams exist only in the compat view, so the collateral has its
// compat name. Spec STR-22.

import { Wallet } from "../../../../core/accounts.ts";
import { type Market, MarketKind, orderValue } from "../../../../core/markets.ts";
import { asPriceTicks, asQtyLots, formatScaled } from "../../../../core/money/amounts.ts";
import {
  isConditional,
  OrderStatus,
  OrderType,
  Side,
  tradedType,
} from "../../../../core/orders.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";
import { collateralName } from "../../fapi/collateral-name.ts";
import { algoStatus } from "../../fapi/orders/algo-text.ts";
import { meanPriceText, orderText, triggerTexts, typeNames } from "../../fapi/orders/order-text.ts";
import {
  msOf,
  sideNames,
  statusName,
  stpModeNames,
  timeInForceName,
} from "../../orders/order-format.ts";
import type { ReadModel } from "../../read-model.ts";
import type { LeverageUpdate, MoneyUpdate, OrderUpdate } from "./user-update.ts";

/** The current and the original type of an order. They differ for a triggered order, which trades as another type. */
function typeNamesOf({ order, execution }: OrderUpdate): { now?: string; original?: string } {
  if (execution === "CALCULATED") return { now: "LIQUIDATION", original: "LIQUIDATION" };
  const now = order.triggeredUs > 0 ? tradedType(order.type) : order.type;
  return { now: typeNames[now], original: typeNames[order.type] };
}

/** The execution type as futures name it: futures have no execution type for self-trade prevention. */
function executionName({ execution, order }: OrderUpdate): string {
  if (execution === "TRADE_PREVENTION") {
    return order.status === OrderStatus.open ? "AMENDMENT" : "EXPIRED";
  }
  return execution === "REPLACED" ? "AMENDMENT" : execution;
}

/** ORDER_TRADE_UPDATE: one event of an order. */
export function orderUpdateText(update: OrderUpdate, market: Market, nowMs: number): string {
  const { order, fill, seq, tsUs } = update;
  const { tickDecimals, lotDecimals, quote } = market;
  const price = (ticks: number) => formatScaled(ticks, tickDecimals);
  const qty = (lots: number) => formatScaled(lots, lotDecimals);
  const amount = (units: bigint) => formatScaled(units, quote.decimals);
  const resting = order.qty - order.filledQty;
  const value = amount(orderValue(market, asPriceTicks(order.price), asQtyLots(resting)));
  const isBuy = order.side === Side.buy;
  const timeMs = msOf(tsUs);
  const types = typeNamesOf(update);
  const { stopPrice, workingType } = triggerTexts(order, market);
  return (
    `{"e":"ORDER_TRADE_UPDATE","E":${nowMs},"T":${timeMs},"o":{"s":"${market.alias}"` +
    `,"c":"${order.clientId}","S":"${sideNames[order.side]}","o":"${types.now}"` +
    `,"f":"${timeInForceName(order)}","q":"${qty(order.qty)}"` +
    `,"p":"${price(order.type === OrderType.market ? 0 : order.price)}"` +
    `,"ap":"${meanPriceText(order.filledQuote, order.filledQty, market)}","sp":"${stopPrice}","x":"${executionName(update)}"` +
    `,"X":"${statusName(order)}","i":${order.orderId},"l":"${qty(fill?.qty ?? 0)}"` +
    `,"z":"${qty(order.filledQty)}","L":"${price(fill?.price ?? 0)}"` +
    `,"n":"${amount(fill?.fee ?? 0n)}","N":"${collateralName(market, "compat")}","T":${timeMs}` +
    `,"t":${fill?.tradeId ?? 0},"b":"${isBuy ? value : "0"}","a":"${isBuy ? "0" : value}"` +
    `,"m":${fill?.isMaker ?? false},"R":${order.isReduceOnly || order.closesPosition}` +
    `,"wt":"${workingType}","ot":"${types.original}"` +
    `,"ps":"BOTH","cp":${order.closesPosition},"rp":"${amount(fill?.pnl ?? 0n)}","pP":false,"si":0,"ss":0` +
    `,"V":"${stpModeNames[order.stpMode]}","pm":"NONE","gtd":${msOf(order.goodTillUs)}${trailingText(order, market)}}` +
    `,"seq":${seq}}`
  );
}

/**
 * ALGO_UPDATE: the new state of a conditional order. Binance's algo service sends this frame in addition to
 * ORDER_TRADE_UPDATE. Here it follows the ORDER_TRADE_UPDATE and has the same number. Empty for a partial fill, which
 * does not change the state, and for other types of order.
 */
export function algoUpdateText(update: OrderUpdate, market: Market, nowMs: number): string {
  const { order, execution, seq, tsUs } = update;
  const isPart = execution === "TRADE" && order.status === OrderStatus.open;
  if (!isConditional(order.type) || isPart) return "";
  const price = (ticks: number) => formatScaled(ticks, market.tickDecimals);
  const qty = (lots: number) => formatScaled(lots, market.lotDecimals);
  const hasTriggered = order.triggeredUs > 0;
  const isAtMarket = tradedType(order.type) === OrderType.market;
  const { stopPrice, workingType } = triggerTexts(order, market);
  return (
    `{"e":"ALGO_UPDATE","T":${msOf(tsUs)},"E":${nowMs},"o":{"caid":"${order.clientId}"` +
    `,"aid":${order.orderId},"at":"CONDITIONAL","o":"${typeNames[order.type]}","s":"${market.alias}"` +
    `,"S":"${sideNames[order.side]}","ps":"BOTH","f":"${timeInForceName(order)}","q":"${qty(order.qty)}"` +
    `,"X":"${algoStatus(order)}","ai":"${hasTriggered ? order.orderId : ""}"` +
    `,"ap":"${meanPriceText(order.filledQuote, order.filledQty, market)}","aq":"${qty(order.filledQty)}"` +
    `,"act":"${hasTriggered ? typeNames[tradedType(order.type)] : "0"}","tp":"${stopPrice}"` +
    `,"p":"${price(isAtMarket ? 0 : order.price)}","V":"${stpModeNames[order.stpMode]}"` +
    `,"wt":"${workingType}","pm":"NONE","cp":${order.closesPosition},"pP":false` +
    `,"R":${order.isReduceOnly || order.closesPosition},"tt":${msOf(order.triggeredUs)}` +
    `,"gtd":${msOf(order.goodTillUs)},"rm":""${trailingText(order, market)}},"seq":${seq}}`
  );
}

/** The extra fields of a trailing order. */
function trailingText({ trailingBps, activationPrice }: OrderRecord, market: Market): string {
  if (trailingBps === 0) return "";
  const activation = formatScaled(activationPrice, market.tickDecimals);
  return `,"AP":"${activation}","cr":"${formatScaled(trailingBps, 2)}"`;
}

/** The collateral row. `change` is the change by deposits, withdrawals and transfers, without profit and fees. */
function collateralRow(account: number, change: bigint, model: ReadModel): string {
  const market = model.state.table.markets.find(({ kind }) => kind === MarketKind.perpetual);
  if (market === undefined) return "";
  const { id, decimals } = market.quote;
  const wallet = formatScaled(model.state.balances.total(account, Wallet.perp, id), decimals);
  return (
    `{"a":"${collateralName(market, "compat")}","wb":"${wallet}","cw":"${wallet}"` +
    `,"bc":"${formatScaled(change, decimals)}"}`
  );
}

function positionRows(account: number, markets: Iterable<number>, model: ReadModel): string {
  const { positions, table } = model.state;
  return [...markets]
    .map((id) => {
      const market = table.market(id);
      const amount = (units: bigint) => formatScaled(units, market.quote.decimals);
      const lots = positions.qty(account, id);
      const entry = positions.entryValue(account, id);
      const mark = orderValue(market, asPriceTicks(model.mark(market)), asQtyLots(lots));
      const mean = meanPriceText(entry, lots, market);
      return (
        `{"s":"${market.alias}","pa":"${formatScaled(lots, market.lotDecimals)}","ep":"${mean}"` +
        `,"bep":"${mean}","cr":"${amount(positions.realisedPnl(account, id))}"` +
        `,"up":"${amount(lots === 0 ? 0n : mark - entry)}","mt":"cross","iw":"0","ps":"BOTH","ma":"${collateralName(market, "compat")}"}`
      );
    })
    .join(",");
}

/** ACCOUNT_UPDATE after trades: the current collateral and the positions that changed. */
export function accountUpdateText(
  query: { account: number; markets: Iterable<number>; seq: number; tsUs: number },
  model: ReadModel,
  nowMs: number,
): string {
  const { account, markets, seq, tsUs } = query;
  return (
    `{"e":"ACCOUNT_UPDATE","E":${nowMs},"T":${msOf(tsUs)},"a":{"m":"ORDER"` +
    `,"B":[${collateralRow(account, 0n, model)}],"P":[${positionRows(account, markets, model)}]}` +
    `,"seq":${seq}}`
  );
}

/** ACCOUNT_UPDATE after money moved into or out of the wallet. */
export function moneyUpdateText(
  account: number,
  update: MoneyUpdate,
  model: ReadModel,
  nowMs: number,
): string {
  const moved = update.reason === "TRANSFER" && update.change < 0n ? "WITHDRAW" : "DEPOSIT";
  const isOfVenue = update.reason === "FUNDING_FEE" || update.reason === "INSURANCE_CLEAR";
  const reason = isOfVenue ? update.reason : moved;
  return (
    `{"e":"ACCOUNT_UPDATE","E":${nowMs},"T":${msOf(update.tsUs)},"a":{"m":"${reason}"` +
    `,"B":[${collateralRow(account, update.change, model)}],"P":[]},"seq":${update.seq}}`
  );
}

/** ACCOUNT_CONFIG_UPDATE: the account's leverage in a market. */
export function leverageUpdateText(
  update: LeverageUpdate,
  model: ReadModel,
  nowMs: number,
): string {
  const { alias } = model.state.table.market(update.market);
  return (
    `{"e":"ACCOUNT_CONFIG_UPDATE","E":${nowMs},"T":${msOf(update.tsUs)}` +
    `,"ac":{"s":"${alias}","l":${update.leverage}},"seq":${update.seq}}`
  );
}

/** The full account state that a client needs if the frames it missed are not stored any more. */
export function futuresSnapshotText(
  { account, seq, after }: { account: number; seq: number; after: number },
  model: ReadModel,
  nowMs: number,
): string {
  const { positions, table } = model.state;
  const touched = table.markets.filter(
    ({ kind, id }) => kind === MarketKind.perpetual && positions.isTouched(account, id),
  );
  const rows = positionRows(
    account,
    touched.map(({ id }) => id),
    model,
  );
  const kind = MarketKind.perpetual;
  const orders = model.openOrders.list(account, { kind, market: null, view: "compat" }, orderText);
  return (
    `{"e":"accountSnapshot","E":${nowMs},"seq":${seq},"after":${after}` +
    `,"B":[${collateralRow(account, 0n, model)}],"P":[${rows}],"orders":${orders}}`
  );
}
