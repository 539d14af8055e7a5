// Encodes a commit batch as the parameters of the SQL function commit_group. The order of the columns here must be the
// order of the subscripts in sql/0001_baseline.sql; contract tests write and read every column.

import type { CommitBatch } from "../../ports/journal/event-store.ts";
import { byteaArray, integerMatrix, textArray } from "./binary-arrays.ts";

/** Returns parameters 4 to 16 in binary form; null for a section without rows. */
export function batchParameters(batch: CommitBatch): (Buffer | null)[] {
  return [...journalParameters(batch), ...orderParameters(batch), ...stateParameters(batch)];
}

function journalParameters(batch: CommitBatch): (Buffer | null)[] {
  return [
    integerMatrix([batch.tsUs, batch.accounts, batch.kinds]),
    byteaArray(batch.bytes, batch.lengths),
  ];
}

function orderParameters({ orders, orderStates, fills, candles }: CommitBatch): (Buffer | null)[] {
  return [
    integerMatrix([
      orders.orderId,
      orders.account,
      orders.market,
      orders.side,
      orders.type,
      orders.timeInForce,
      orders.price,
      orders.qty,
      orders.createdUs,
      orders.filledQty,
      orders.filledQuote,
      orders.status,
      orders.updatedUs,
    ]),
    textArray(orders.clientId),
    integerMatrix([
      orderStates.orderId,
      orderStates.filledQty,
      orderStates.filledQuote,
      orderStates.status,
      orderStates.updatedUs,
    ]),
    integerMatrix([
      fills.tradeId,
      fills.tsUs,
      fills.market,
      fills.takerSide,
      fills.price,
      fills.qty,
      fills.quote,
      fills.takerOrderId,
      fills.makerOrderId,
      fills.takerAccount,
      fills.makerAccount,
      fills.takerFee,
      fills.makerFee,
      fills.takerPnl,
      fills.makerPnl,
    ]),
    integerMatrix([
      candles.market,
      candles.intervalMs,
      candles.openTimeMs,
      candles.open,
      candles.high,
      candles.low,
      candles.close,
      candles.volume,
      candles.quote,
      candles.count,
      candles.takerBuyVolume,
      candles.takerBuyQuote,
    ]),
  ];
}

function stateParameters(batch: CommitBatch): (Buffer | null)[] {
  const { accountRows, keyStates, marketStates, balances, positions, orderDetails } = batch;
  return [
    integerMatrix([accountRows.account, accountRows.type, accountRows.flags, accountRows.openedUs]),
    integerMatrix([keyStates.keyId, keyStates.tier, keyStates.permissions, keyStates.revokedUs]),
    integerMatrix([marketStates.market, marketStates.status]),
    integerMatrix([
      balances.account,
      balances.wallet,
      balances.asset,
      balances.total,
      balances.reserved,
    ]),
    integerMatrix([
      positions.account,
      positions.market,
      positions.qty,
      positions.entryValue,
      positions.realisedPnl,
      positions.leverage,
    ]),
    integerMatrix([
      orderDetails.orderId,
      orderDetails.price,
      orderDetails.qty,
      orderDetails.flags,
      orderDetails.stpMode,
      orderDetails.quoteQty,
      orderDetails.goodTillUs,
      orderDetails.triggerPrice,
      orderDetails.workingPrice,
      orderDetails.trailingBps,
      orderDetails.activationPrice,
      orderDetails.triggeredUs,
    ]),
  ];
}
