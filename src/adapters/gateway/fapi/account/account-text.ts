// Account answers of the perpetual surface as JSON text: collateral, positions in each version, and maintenance
// brackets. Field names differ between routes as Binance's do. All inserted strings come from the venue, so none needs
// escaping.

import { LiquidationStage } from "../../../../core/liquidation.ts";
import { type Market, orderValue } from "../../../../core/markets.ts";
import { asPriceTicks, asQtyLots, formatScaled } from "../../../../core/money/amounts.ts";
import type { MarginBracket } from "../../../../engine/risk/maintenance.ts";
import { msOf } from "../../orders/order-format.ts";
import type { SurfaceView } from "../../requests/surface-view.ts";
import { collateralName } from "../collateral-name.ts";
import { meanPriceText } from "../orders/order-text.ts";
import type { CollateralFigures, PositionFigures } from "./account-figures.ts";

/** The largest value that an order of the market can have, in minor units of the quote asset. */
function wholeValue(market: Market): bigint {
  return orderValue(market, asPriceTicks(market.priceTicksMax), asQtyLots(market.qtyLotsMax));
}

/** The largest position value that `leverage` allows. */
export function notionalMaxText(market: Market, leverage: number): string {
  const allowed = market.marginTiers.filter((tier) => tier.leverageMax >= leverage);
  return formatScaled(allowed.at(-1)?.notionalMax ?? wholeValue(market), market.quote.decimals);
}

/** One row of v1 and v2/positionRisk. */
export function positionRiskV2Text(position: PositionFigures, view: SurfaceView): string {
  const { market, leverage } = position;
  return (
    `{"symbol":"${market.alias}",${riskFields(position)},"leverage":"${leverage}"` +
    `,"maxNotionalValue":"${notionalMaxText(market, leverage)}","marginType":"cross"` +
    `,"isolatedMargin":"0.00","isAutoAddMargin":"false","positionSide":"BOTH"` +
    `,"notional":"${amountText(position.value, market)}","isolatedWallet":"0"` +
    `${liquidationFields(position, view)},"updateTime":${position.updateMs}}`
  );
}

/** One row of v3/positionRisk: without leverage and margin type, with margins and `adl` (0 … 4). */
export function positionRiskV3Text(
  position: PositionFigures,
  adl: number,
  view: SurfaceView,
): string {
  const { market } = position;
  const amount = (units: bigint) => amountText(units, market);
  return (
    `{"symbol":"${market.alias}","positionSide":"BOTH",${riskFields(position)}` +
    `,"isolatedMargin":"0","notional":"${amount(position.value)}"` +
    `,"marginAsset":"${collateralName(market, view)}","isolatedWallet":"0",${marginFields(position)}` +
    `,"adl":${adl},"bidNotional":"${amount(position.bidValue)}","askNotional":"${amount(position.askValue)}"` +
    `${liquidationFields(position, view)},"updateTime":${position.updateMs}}`
  );
}

/** The stage and next step of the account's liquidation: only in the compat view, while a liquidation is running. */
function liquidationFields({ liquidation }: PositionFigures, view: SurfaceView): string {
  if (liquidation === undefined || view === "root") return "";
  const { stage, nextUs } = liquidation;
  return `,"liquidationStage":"${stageNames[stage]}","nextLiquidationTime":${msOf(nextUs)}`;
}

const stageNames: Readonly<Record<LiquidationStage, string>> = {
  [LiquidationStage.none]: "NONE",
  [LiquidationStage.cancelling]: "CANCELLING",
  [LiquidationStage.reducing]: "REDUCING",
  [LiquidationStage.takeover]: "TAKEOVER",
  [LiquidationStage.deleveraging]: "DELEVERAGING",
};

function riskFields(position: PositionFigures): string {
  const { market, qty, entryValue, mark, unrealised, liquidationPrice } = position;
  const liquidation =
    liquidationPrice === 0 ? "0" : formatScaled(liquidationPrice, market.tickDecimals);
  const entry = meanPriceText(entryValue, qty, market);
  return (
    `"positionAmt":"${formatScaled(qty, market.lotDecimals)}","entryPrice":"${entry}"` +
    `,"breakEvenPrice":"${entry}","markPrice":"${formatScaled(mark, market.tickDecimals)}"` +
    `,"unRealizedProfit":"${amountText(unrealised, market)}","liquidationPrice":"${liquidation}"`
  );
}

function amountText(units: bigint, { quote }: Market): string {
  return formatScaled(units, quote.decimals);
}

/** The margins of a position or of a whole account; `market` gives the asset's scale. */
function marginFields(
  figures: Pick<PositionFigures, "positionMargin" | "orderMargin" | "maintenance" | "market">,
): string {
  const { positionMargin, orderMargin, maintenance, market } = figures;
  return (
    `"initialMargin":"${amountText(positionMargin + orderMargin, market)}"` +
    `,"maintMargin":"${amountText(maintenance, market)}"` +
    `,"positionInitialMargin":"${amountText(positionMargin, market)}"` +
    `,"openOrderInitialMargin":"${amountText(orderMargin, market)}"`
  );
}

/** One row of v2 and v3/balance. */
export function balanceText(figures: CollateralFigures, market: Market, view: SurfaceView): string {
  const amount = (units: bigint) => amountText(units, market);
  return (
    `{"accountAlias":"${figures.account}","asset":"${collateralName(market, view)}"` +
    `,"balance":"${amount(figures.wallet)}","crossWalletBalance":"${amount(figures.wallet)}"` +
    `,"crossUnPnl":"${amount(figures.unrealised)}","availableBalance":"${amount(figures.available)}"` +
    `,"maxWithdrawAmount":"${amount(figures.available)}","marginAvailable":true` +
    `,"updateTime":${figures.updateMs}}`
  );
}

/** The rights of an account. */
export interface AccountRights {
  readonly canTrade: boolean;
  readonly canWithdraw: boolean;
}

/** Rights and modes, as v2/account and accountConfig list them. */
export function rightsFields({ canTrade, canWithdraw }: AccountRights): string {
  return (
    `"feeTier":0,"canTrade":${canTrade},"canDeposit":true,"canWithdraw":${canWithdraw}` +
    `,"multiAssetsMargin":false,"tradeGroupId":-1`
  );
}

/** An account with its one collateral asset. */
export interface AccountFace {
  readonly collateral: CollateralFigures;
  /** Any perpetual market: all share the margin asset. */
  readonly market: Market;
  readonly view: SurfaceView;
}

/** The answer of v2/account: the account's rights first, then one row per market. */
export function accountV2Text(
  face: AccountFace,
  rights: AccountRights,
  positions: readonly PositionFigures[],
): string {
  const rows = positions.map(accountPositionV2Text).join(",");
  return (
    `{${rightsFields(rights)},"feeBurn":false,"updateTime":0,${totalFields(face)}` +
    `,"assets":[${assetText(face, ',"marginAvailable":true')}],"positions":[${rows}]}`
  );
}

/** The answer of v3/account: totals, assets, and only the markets with a position or an order. */
export function accountV3Text(face: AccountFace, positions: readonly PositionFigures[]): string {
  const rows = positions.filter(isInUse).map(accountPositionV3Text).join(",");
  return `{${totalFields(face)},"assets":[${assetText(face, "")}],"positions":[${rows}]}`;
}

/** Returns whether version 3 of the answer has a row for this position. */
export function isInUse({ qty, hasOrders }: PositionFigures): boolean {
  return qty !== 0 || hasOrders;
}

function totalFields({ collateral, market }: AccountFace): string {
  const amount = (units: bigint) => amountText(units, market);
  const { wallet, unrealised, positionMargin, orderMargin } = collateral;
  return (
    `"totalInitialMargin":"${amount(positionMargin + orderMargin)}"` +
    `,"totalMaintMargin":"${amount(collateral.maintenance)}","totalWalletBalance":"${amount(wallet)}"` +
    `,"totalUnrealizedProfit":"${amount(unrealised)}","totalMarginBalance":"${amount(wallet + unrealised)}"` +
    `,"totalPositionInitialMargin":"${amount(positionMargin)}"` +
    `,"totalOpenOrderInitialMargin":"${amount(orderMargin)}","totalCrossWalletBalance":"${amount(wallet)}"` +
    `,"totalCrossUnPnl":"${amount(unrealised)}","availableBalance":"${amount(collateral.available)}"` +
    `,"maxWithdrawAmount":"${amount(collateral.available)}"`
  );
}

function assetText({ collateral, market, view }: AccountFace, more: string): string {
  const amount = (units: bigint) => amountText(units, market);
  const { wallet, unrealised } = collateral;
  return (
    `{"asset":"${collateralName(market, view)}","walletBalance":"${amount(wallet)}"` +
    `,"unrealizedProfit":"${amount(unrealised)}","marginBalance":"${amount(wallet + unrealised)}"` +
    `,${marginFields({ ...collateral, market })},"crossWalletBalance":"${amount(wallet)}"` +
    `,"crossUnPnl":"${amount(unrealised)}","availableBalance":"${amount(collateral.available)}"` +
    `,"maxWithdrawAmount":"${amount(collateral.available)}"${more},"updateTime":${collateral.updateMs}}`
  );
}

function accountPositionV2Text(position: PositionFigures): string {
  const { market, qty, entryValue, leverage } = position;
  const amount = (units: bigint) => amountText(units, market);
  const entry = meanPriceText(entryValue, qty, market);
  return (
    `{"symbol":"${market.alias}",${marginFields(position)}` +
    `,"unrealizedProfit":"${amount(position.unrealised)}","leverage":"${leverage}","isolated":false` +
    `,"entryPrice":"${entry}","breakEvenPrice":"${entry}"` +
    `,"maxNotional":"${notionalMaxText(market, leverage)}"` +
    `,"bidNotional":"${amount(position.bidValue)}","askNotional":"${amount(position.askValue)}"` +
    `,"positionSide":"BOTH","positionAmt":"${formatScaled(qty, market.lotDecimals)}"` +
    `,"notional":"${amount(position.value)}","isolatedWallet":"0","updateTime":${position.updateMs}}`
  );
}

function accountPositionV3Text(position: PositionFigures): string {
  const { market, qty } = position;
  const amount = (units: bigint) => amountText(units, market);
  return (
    `{"symbol":"${market.alias}","positionSide":"BOTH"` +
    `,"positionAmt":"${formatScaled(qty, market.lotDecimals)}"` +
    `,"unrealizedProfit":"${amount(position.unrealised)}","isolatedMargin":"0"` +
    `,"notional":"${amount(position.value)}","isolatedWallet":"0",${marginFields(position)}` +
    `,"updateTime":${position.updateMs}}`
  );
}

/** One symbol of leverageBracket. The figures are JSON numbers, like Binance's. */
export function bracketsText(market: Market, brackets: readonly MarginBracket[]): string {
  const figure = (units: bigint) => String(Number(amountText(units, market)));
  const rows = brackets.map(
    ({ floor, cap, maintenancePpm, leverageMax, offset }, index) =>
      `{"bracket":${index + 1},"initialLeverage":${leverageMax}` +
      `,"notionalCap":${figure(cap ?? wholeValue(market))},"notionalFloor":${figure(floor)}` +
      `,"maintMarginRatio":${maintenancePpm / 1_000_000},"cum":${figure(offset)}}`,
  );
  return `{"symbol":"${market.alias}","brackets":[${rows.join(",")}]}`;
}
