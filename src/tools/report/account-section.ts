// The part of the report's page about one account.

import { type Chart, chart, faultLane, type Span } from "./page-charts.ts";
import {
  type Column,
  clockTime,
  type Html,
  html,
  type Shown,
  type Tile,
  table,
  tiles,
} from "./page-parts.ts";
import type {
  AccountReport,
  BeliefDifference,
  ClientFigures,
  FillRow,
  LostOrder,
  MarketFigures,
  Reject,
  Spread,
  TakerRow,
  UntoldFill,
} from "./report-form.ts";

/** Room before and after what happened, as a share of the charts' span. */
const chartMargin = 0.04;

export function accountSection(report: AccountReport): Html {
  return html`<section><h2>Account ${report.account}</h2>
${tiles(accountTiles(report))}
${charts(report)}
${lostTable(report)}${untoldTable(report)}${beliefTable(report)}
${table({ title: "Markets" }, marketColumns, { rows: report.markets, more: 0 })}
${queueTable(report)}${slippageTable(report)}
${table({ title: "Rejects by reason", hint: "Of requests at the address with faults. Unseen: the answer was lost too." }, rejectColumns, report.rejects)}
${table({ title: "How orders ended" }, endColumns, { rows: report.ends, more: 0 })}
${table({ title: "Takers, most expensive first", hint: "In basis points; above 0 is a cost. Impact is how far the middle of the book moved with the order after 1 s and 10 s." }, takerColumns, report.takers)}
${table({ title: "Fills", hint: "Ahead: quantity and orders in the queue when the order came to rest." }, fillColumns, report.fills)}
</section>`;
}

function accountTiles({ equity, orders, markets, fees, client }: AccountReport): Tile[] {
  const isLoss = equity.result.startsWith("-");
  const fills = markets.reduce((sum, { maker, taker }) => sum + maker.fills + taker.fills, 0);
  const making = markets.reduce((sum, { maker }) => sum + maker.fills, 0);
  return [
    {
      ...{ name: "Result", value: `${equity.result} ${equity.asset}` },
      note: `equity ${equity.end}, fees paid`,
      tone: isLoss ? "loss" : "gain",
    },
    {
      name: "Orders",
      value: orders.accepted,
      note: `${orders.filled} filled, ${orders.open} open`,
    },
    { name: "Fills", value: fills, note: fills === 0 ? "none" : `${making} as maker` },
    {
      name: "Fees",
      value:
        fees.length === 0 ? "0" : fees.map(({ asset, amount }) => `${amount} ${asset}`).join(", "),
    },
    {
      ...{ name: "Lost answers", value: client.is_observed ? client.lost_answers : "unknown" },
      note: client.is_observed ? lostNote(client) : "did not use the address with faults",
    },
  ];
}

function lostNote({ requests, unanswered }: ClientFigures): string {
  return `of ${requests} requests${unanswered > 0 ? `; ${unanswered} more had no answer` : ""}`;
}

function charts(report: AccountReport): Html | null {
  const { markets, equity, faults } = report.charts;
  const span = spanOf(report);
  if (span === null) return null;
  const common = { span, faults: faults.rows };
  const drawn = markets.map(({ market, price, position, fills }) => {
    const own: Chart[] = [
      {
        ...common,
        title: market,
        unit: "price",
        points: price,
        isStep: false,
        hasZero: false,
        fills: fills.rows,
      },
      { ...common, title: "Position", unit: market, points: position, isStep: true, hasZero: true },
    ];
    return own.map(chart);
  });
  const money: Chart = {
    ...common,
    title: "Equity",
    unit: report.equity.asset,
    points: equity,
    isStep: true,
    hasZero: false,
  };
  const legend =
    "Triangles are fills: up bought, down sold, filled as taker, hollow as maker. Dotted lines are lost answers or requests.";
  return html`<div class="panel"><p class="legend">${legend}</p>${drawn}${chart(money)}${faultLane(faults.rows, span)}</div>`;
}

/** From the first to the last thing that happened; to the end of the report while a position is open. */
function spanOf({ charts: { markets, equity, faults } }: AccountReport): Span | null {
  const times = markets.flatMap(({ fills, position }) => [
    ...fills.rows.map(({ at }) => at),
    ...position.map(([at]) => at),
  ]);
  times.push(...faults.rows.map(({ at }) => at));
  const isOpen = markets.some(({ position }) => (position.at(-1)?.[3] ?? 0) !== 0);
  const ends = equity.map(([at]) => at);
  if (times.length === 0) times.push(...ends);
  if (isOpen) times.push(...ends.slice(-1));
  if (times.length === 0 || markets.length === 0) return null;
  const from = times.reduce((least, at) => Math.min(least, at));
  const to = times.reduce((most, at) => Math.max(most, at));
  const margin = Math.max(500, (to - from) * chartMargin);
  return { from: from - margin, to: to + margin };
}

function lostTable({ lost_orders: lost }: AccountReport): Html | null {
  const hint =
    "The venue accepted these orders. Their answers were lost, and nothing told the program of them later.";
  const columns: Column<LostOrder>[] = [
    { name: "Order", of: (row) => row.order_id },
    { name: "Client order id", of: (row) => row.client_order_id },
    { name: "Market", of: (row) => row.market },
    { name: "Terms", of: (row) => `${row.side} ${row.type}` },
    { name: "Price", of: (row) => row.price, isFigure: true },
    { name: "Quantity", of: (row) => row.qty, isFigure: true },
    { name: "Filled", of: (row) => row.filled_qty, isFigure: true },
    { name: "Now", of: (row) => row.status },
    { name: "Sent", of: (row) => clockTime(row.at) },
    { name: "Fault", of: (row) => row.fault },
  ];
  return table({ title: "Orders the program lost track of", hint }, columns, lost);
}

function untoldTable({ untold_fills: untold }: AccountReport): Html | null {
  const hint =
    "What answers and events said of these orders is less than what was filled. The last column is missing in the program's position.";
  const columns: Column<UntoldFill>[] = [
    { name: "Order", of: (row) => row.order_id },
    { name: "Client order id", of: (row) => row.client_order_id },
    { name: "Market", of: (row) => row.market },
    { name: "Side", of: (row) => row.side },
    { name: "Filled", of: (row) => row.filled_qty, isFigure: true },
    { name: "Told", of: (row) => row.told_qty, isFigure: true },
    { name: "Not told", of: (row) => row.untold_qty, isFigure: true },
  ];
  return table({ title: "Fills the program was never told", hint }, columns, untold);
}

function beliefTable({ beliefs }: AccountReport): Html | null {
  if (beliefs === null) return null;
  const title = "Believed and true";
  if (beliefs.length === 0)
    return html`<section class="table"><h3>${title}</h3><p class="hint">What the program believes is true.</p></section>`;
  const told = (value: unknown): Shown => (value === null ? "nothing" : String(value));
  const columns: Column<BeliefDifference>[] = [
    { name: "Of", of: (row) => row.what },
    { name: "Name", of: (row) => row.name },
    { name: "Believed", of: (row) => told(row.believed), isFigure: true },
    { name: "True", of: (row) => told(row.true), isFigure: true },
  ];
  return table({ title }, columns, { rows: beliefs, more: 0 });
}

function queueTable({ markets }: AccountReport): Html | null {
  const columns: Column<MarketFigures>[] = [
    { name: "Market", of: (row) => row.market },
    { name: "Rested", of: (row) => row.queue_ahead.count, isFigure: true },
    { name: "Ahead, median", of: (row) => row.queue_ahead.p50, isFigure: true },
    { name: "90 %", of: (row) => row.queue_ahead.p90, isFigure: true },
    { name: "Orders ahead, median", of: (row) => row.orders_ahead.p50, isFigure: true },
    { name: "Filled later", of: (row) => row.time_to_fill_ms.count, isFigure: true },
    { name: "Time to fill, median ms", of: (row) => row.time_to_fill_ms.p50, isFigure: true },
    { name: "90 %", of: (row) => row.time_to_fill_ms.p90, isFigure: true },
  ];
  const rows = markets.filter(({ queue_ahead: ahead }) => ahead.count > 0);
  const hint =
    "Quantity and orders ahead at the order's price when it came to rest; time of the market until its first fill.";
  return table({ title: "Queues", hint }, columns, { rows, more: 0 });
}

function slippageTable({ markets }: AccountReport): Html | null {
  const range = (spread: Spread) => (spread.count === 0 ? null : `${spread.p50} (${spread.max})`);
  const columns: Column<MarketFigures>[] = [
    { name: "Market", of: (row) => row.market },
    { name: "Taker orders", of: (row) => row.slippage_bps.count, isFigure: true },
    { name: "Against middle", of: (row) => range(row.slippage_bps), isFigure: true },
    { name: "Against best", of: (row) => range(row.against_best_bps), isFigure: true },
    { name: "Impact 1 s", of: (row) => range(row.impact_1s_bps), isFigure: true },
    { name: "Impact 10 s", of: (row) => range(row.impact_10s_bps), isFigure: true },
    { name: "Cost", of: (row) => `${row.slippage_cost} ${row.quote}`, isFigure: true },
  ];
  const rows = markets.filter(({ taker }) => taker.fills > 0);
  const hint =
    "Median (worst) in basis points, against the book that the order met. Cost is what was paid beyond the middle.";
  return table({ title: "Slippage and impact", hint }, columns, { rows, more: 0 });
}

const marketColumns: readonly Column<MarketFigures>[] = [
  { name: "Market", of: (row) => row.market },
  { name: "Orders", of: (row) => row.orders, isFigure: true },
  {
    name: "Maker fills",
    of: ({ maker }) => shareText(maker.fills, maker.share_of_fills),
    isFigure: true,
  },
  {
    name: "Taker fills",
    of: ({ taker }) => shareText(taker.fills, taker.share_of_fills),
    isFigure: true,
  },
  {
    name: "Maker notional",
    of: ({ maker }) => shareText(maker.notional, maker.share_of_notional),
    isFigure: true,
  },
  {
    name: "Taker notional",
    of: ({ taker }) => shareText(taker.notional, taker.share_of_notional),
    isFigure: true,
  },
  { name: "Fees", of: (row) => row.fees, isFigure: true },
  { name: "Realized PnL", of: (row) => row.realized_pnl, isFigure: true },
  { name: "Funding", of: (row) => row.funding, isFigure: true },
  { name: "Position", of: (row) => row.position, isFigure: true },
];

const rejectColumns: readonly Column<Reject>[] = [
  { name: "Status", of: (row) => row.status },
  { name: "Code", of: (row) => row.code },
  { name: "Message", of: (row) => html`<span class="wide">${row.message}</span>` },
  { name: "By", of: (row) => row.fault ?? "the venue" },
  { name: "Count", of: (row) => row.count, isFigure: true },
  { name: "Unseen", of: (row) => row.unseen, isFigure: true },
];

const endColumns: readonly Column<{ readonly reason: string; readonly count: number }>[] = [
  { name: "State and reason", of: (row) => row.reason },
  { name: "Orders", of: (row) => row.count, isFigure: true },
];

const takerColumns: readonly Column<TakerRow>[] = [
  { name: "Order", of: (row) => row.order_id },
  { name: "Market", of: (row) => row.market },
  { name: "Time", of: (row) => clockTime(row.at) },
  { name: "Side", of: (row) => row.side },
  { name: "Quantity", of: (row) => row.qty, isFigure: true },
  { name: "Average price", of: (row) => row.avg_price, isFigure: true },
  { name: "Middle", of: (row) => row.mid, isFigure: true },
  { name: "Best", of: (row) => row.best, isFigure: true },
  { name: "Slippage", of: (row) => row.slippage_bps, isFigure: true },
  { name: "Against best", of: (row) => row.against_best_bps, isFigure: true },
  { name: "Impact 1 s", of: (row) => row.impact_1s_bps, isFigure: true },
  { name: "Impact 10 s", of: (row) => row.impact_10s_bps, isFigure: true },
];

const fillColumns: readonly Column<FillRow>[] = [
  { name: "Trade", of: (row) => row.trade_id },
  { name: "Order", of: (row) => row.order_id },
  { name: "Market", of: (row) => row.market },
  { name: "Time", of: (row) => clockTime(row.at) },
  { name: "Role", of: (row) => row.role },
  { name: "Side", of: (row) => row.side },
  { name: "Price", of: (row) => row.price, isFigure: true },
  { name: "Quantity", of: (row) => row.qty, isFigure: true },
  { name: "Fee", of: (row) => `${row.fee} ${row.fee_asset}`, isFigure: true },
  { name: "Realized PnL", of: (row) => row.realized_pnl, isFigure: true },
  { name: "Ahead", of: (row) => row.ahead_qty, isFigure: true },
  { name: "Orders ahead", of: (row) => row.ahead_orders, isFigure: true },
  { name: "Waited, ms", of: (row) => row.waited_ms, isFigure: true },
];

function shareText(figure: string | number, share: string | null): string {
  return share === null ? String(figure) : `${figure} (${share} %)`;
}
