// The form of a report, as `rialto report --json` prints it; the page shows the same figures. Decimals are text, times ISO 8601
// in UTC of the market's time. docs/guides/report-a-run.md documents it.

export const reportFormat = 1;

/** `error`: the program is wrong, or does not know what it has. `warning`: look at it. `note`: good to know. */
export type Severity = "error" | "warning" | "note";

export interface Finding {
  readonly severity: Severity;
  /** Such as `sent-again`. */
  readonly kind: string;
  readonly account: number;
  readonly market: string | null;
  readonly text: string;
  /** The orders that it is about, at most `rowsMax`. */
  readonly orders: readonly number[];
}

/** Rows of a table, cut at a number that the page states. */
export interface Rows<Row> {
  readonly rows: readonly Row[];
  /** Rows that are left out. */
  readonly more: number;
}

export interface Report {
  readonly format: number;
  readonly made_at: string;
  readonly venue: { readonly version: string; readonly markets: number };
  readonly window: {
    readonly from_seq: number;
    readonly to_seq: number;
    readonly events: number;
    readonly from: string | null;
    readonly to: string | null;
  };
  readonly log: {
    readonly lines: number;
    readonly unread: number;
    readonly is_cut: boolean;
  };
  /** Members that acted, beyond those that have a part in the report. */
  readonly more_accounts: number;
  readonly findings: readonly Finding[];
  readonly accounts: readonly AccountReport[];
}

export interface AccountReport {
  readonly account: number;
  readonly orders: OrderCounts;
  readonly equity: EquityFigures;
  readonly markets: readonly MarketFigures[];
  readonly fees: readonly { readonly asset: string; readonly amount: string }[];
  readonly client: ClientFigures;
  readonly lost_orders: Rows<LostOrder>;
  readonly untold_fills: Rows<UntoldFill>;
  readonly rejects: Rows<Reject>;
  readonly ends: readonly { readonly reason: string; readonly count: number }[];
  /** Null if nothing was said to be believed. */
  readonly beliefs: readonly BeliefDifference[] | null;
  readonly takers: Rows<TakerRow>;
  readonly fills: Rows<FillRow>;
  readonly charts: AccountCharts;
}

export interface OrderCounts {
  readonly accepted: number;
  readonly filled: number;
  readonly partly_filled: number;
  readonly open: number;
  /** Orders that are not counted, because a report keeps a limited number. */
  readonly not_counted: number;
}

export interface EquityFigures {
  readonly asset: string;
  readonly start: string;
  readonly end: string;
  /** Value of what came in less what left, otherwise than by trading. */
  readonly deposits: string;
  /** End less start less deposits. */
  readonly result: string;
  /** Coins that count as nothing, because no market has priced them. */
  readonly unpriced: readonly string[];
}

export interface ShareFigures {
  readonly fills: number;
  readonly notional: string;
  /** Percent of all fills, and of all notional; null without fills. */
  readonly share_of_fills: string | null;
  readonly share_of_notional: string | null;
}

/** Percentiles; null without values. */
export interface Spread {
  readonly count: number;
  readonly min: string | null;
  readonly p50: string | null;
  readonly p90: string | null;
  readonly max: string | null;
}

export interface MarketFigures {
  readonly market: string;
  readonly alias: string;
  readonly quote: string;
  readonly orders: number;
  readonly maker: ShareFigures;
  readonly taker: ShareFigures;
  /** Of a perpetual: before fees. Null on spot, where the venue knows no cost of a coin. */
  readonly realized_pnl: string | null;
  readonly funding: string | null;
  readonly fees: string;
  /** At the end: the position of a perpetual; on spot what was bought less what was sold. */
  readonly position: string;
  /** Quantity ahead at arrival, of the orders that came to rest. */
  readonly queue_ahead: Spread;
  readonly orders_ahead: Spread;
  /** Milliseconds of market time from coming to rest until the first fill. */
  readonly time_to_fill_ms: Spread;
  /** Basis points against the middle of the book at arrival; above 0 is a cost. */
  readonly slippage_bps: Spread;
  /** Basis points against the best price that was there. */
  readonly against_best_bps: Spread;
  /** What takers paid beyond the middle at arrival, in the quote asset. */
  readonly slippage_cost: string;
  /** Basis points by which the middle moved in the taker's direction after 1 s and 10 s of market time. */
  readonly impact_1s_bps: Spread;
  readonly impact_10s_bps: Spread;
}

export interface ClientFigures {
  /** Whether the program used the address with faults: else nothing is known of what it was told. */
  readonly is_observed: boolean;
  readonly requests: number;
  readonly lost_answers: number;
  readonly unanswered: number;
  /** Orders whose answer was lost and of which the program heard later. */
  readonly found_out: number;
  readonly fill_events: {
    readonly arrived: number;
    readonly twice: number;
    readonly out_of_order: number;
    readonly dropped: number;
  };
}

export interface LostOrder {
  readonly order_id: number;
  readonly client_order_id: string;
  readonly market: string;
  readonly side: string;
  readonly type: string;
  readonly price: string | null;
  readonly qty: string;
  readonly filled_qty: string;
  readonly status: string;
  readonly at: string;
  readonly fault: string | null;
}

export interface UntoldFill {
  readonly order_id: number;
  readonly client_order_id: string;
  readonly market: string;
  readonly side: string;
  readonly filled_qty: string;
  readonly told_qty: string;
  /** Signed: by how much the position differs from what the program was told. */
  readonly untold_qty: string;
}

export interface Reject {
  readonly status: number;
  readonly code: number | null;
  readonly message: string | null;
  /** The profile that refused; null for the venue. */
  readonly fault: string | null;
  readonly count: number;
  readonly unseen: number;
}

export interface BeliefDifference {
  readonly what: string;
  readonly name: string | number;
  readonly believed: unknown;
  readonly true: unknown;
}

export interface TakerRow {
  readonly order_id: number;
  readonly market: string;
  readonly side: string;
  readonly at: string;
  readonly qty: string;
  readonly avg_price: string;
  readonly mid: string | null;
  readonly best: string | null;
  readonly slippage_bps: string | null;
  readonly against_best_bps: string | null;
  readonly impact_1s_bps: string | null;
  readonly impact_10s_bps: string | null;
}

export interface FillRow {
  readonly trade_id: number;
  readonly order_id: number;
  readonly client_order_id: string;
  readonly market: string;
  readonly at: string;
  readonly role: "maker" | "taker";
  readonly side: string;
  readonly price: string;
  readonly qty: string;
  readonly fee: string;
  readonly fee_asset: string;
  readonly realized_pnl: string | null;
  /** Of a maker: quantity and orders that were ahead when it came to rest. */
  readonly ahead_qty: string | null;
  readonly ahead_orders: number | null;
  readonly waited_ms: number | null;
}

/** Times are Unix ms of the market; figures are numbers, for drawing only. */
export interface AccountCharts {
  readonly markets: readonly MarketChart[];
  readonly equity: readonly ChartPoint[];
  readonly faults: Rows<ChartFault>;
}

/** Time, low, high, last. */
export type ChartPoint = readonly [atMs: number, low: number, high: number, last: number];

export interface MarketChart {
  readonly market: string;
  readonly price: readonly ChartPoint[];
  readonly position: readonly ChartPoint[];
  readonly fills: Rows<ChartFill>;
}

export interface ChartFill {
  readonly at: number;
  readonly price: number;
  readonly side: "BUY" | "SELL";
  readonly is_maker: boolean;
}

export interface ChartFault {
  readonly at: number;
  readonly kind: string;
  readonly profile: string;
  readonly what: string;
}
