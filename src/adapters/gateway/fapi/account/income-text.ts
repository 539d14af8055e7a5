// One row of income as JSON text (binance-compat 5.6). Fees, profit and the perpetual wallet's
// transfers are in the collateral asset, which compat calls by another name.

import { present } from "../../../../core/assert.ts";
import { isPerpetual, MarketKind, type MarketTable } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import { type IncomeRecord, IncomeType } from "../../../../ports/journal/history-store.ts";
import { msOf } from "../../orders/order-words.ts";
import type { SurfaceView } from "../../requests/surface-view.ts";
import { collateralName } from "../collateral-name.ts";

const typeWords: Readonly<Record<IncomeType, string>> = {
  [IncomeType.transfer]: "TRANSFER",
  [IncomeType.realisedPnl]: "REALIZED_PNL",
  [IncomeType.commission]: "COMMISSION",
  [IncomeType.funding]: "FUNDING_FEE",
  [IncomeType.insurance]: "INSURANCE_CLEAR",
  [IncomeType.rebate]: "COMMISSION_REBATE",
};

/** A row. */
export function incomeText(row: IncomeRecord, table: MarketTable, view: SurfaceView): string {
  const market = row.market === null ? null : table.market(row.market);
  const margin = market ?? present(table.markets.find(isPerpetual), "a perpetual market");
  const asset = row.asset === null ? margin.quote : table.asset(row.asset);
  const type = typeWords[row.type];
  const isOfTrade = row.type === IncomeType.realisedPnl || row.type === IncomeType.commission;
  const trade = isOfTrade ? String(row.id) : "";
  return (
    `{"symbol":"${market?.alias ?? ""}","incomeType":"${type}"` +
    `,"income":"${formatScaled(row.amount, asset.decimals)}","asset":"${nameOf(asset, table, view)}"` +
    `,"info":"${trade || type}","time":${msOf(row.tsUs)},"tranId":${row.id},"tradeId":"${trade}"}`
  );
}

function nameOf({ id, code }: { id: number; code: string }, table: MarketTable, view: SurfaceView) {
  const market = table.markets.find(
    ({ kind, quote }) => kind === MarketKind.perpetual && quote.id === id,
  );
  return market === undefined ? code : collateralName(market, view);
}
