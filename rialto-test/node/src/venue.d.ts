// Types and contracts of rialto-test for Node. The package for Python has the same names in snake_case.

import type { TestContext } from "node:test";

/** A figure of the venue: a decimal as text, or a number. */
export type Decimal = string | number;
/** Such as `250ms`, `5s`, `2m`, `1h` or `1d`. */
export type Duration = string;

export interface VenueOptions {
  /** Settings of a venue (docs/reference/config.md); those of its place, such as PORT, are refused. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/**
 * Opens a venue with empty books and without other accounts. Starts a test bed if none runs. Throws an error whose name
 * is `RialtoTestError` and whose message says what to do, if the venue cannot be opened.
 */
export function openVenue(options?: VenueOptions): Promise<Venue>;

/** Opens a venue that is closed when the test, or the suite, of this context ends. */
export function useVenue(t: Pick<TestContext, "after">, options?: VenueOptions): Promise<Venue>;

export interface AccountOptions {
  /** Amounts in the spot wallet, by asset. */
  readonly funds?: Readonly<Record<string, Decimal>>;
  /** Amounts in the perp wallet, by asset. */
  readonly perp?: Readonly<Record<string, Decimal>>;
  /** Rate limits of the key; `standard` if not given. */
  readonly tier?: "standard" | "ext-mm" | "house";
  /** `READ,TRADE` if not given. */
  readonly permissions?: string;
}

/** Options of `rialto replay-market`, or with `script` of `rialto synthetic-market`, in camelCase. */
export interface MarketOptions {
  readonly market: string;
  /** Recorded files. */
  readonly source?: string | readonly string[];
  /** Name of a made market. */
  readonly script?: string;
  readonly [option: string]: string | number | boolean | readonly string[] | undefined;
}

/** A command of the venue's command line that runs beside the test. */
export interface RunningCommand {
  /** What it printed as JSON, once it has ended; rejects with its complaint if it failed. */
  result(): Promise<unknown>;
  /** Lets it end as on Ctrl-C, and returns its result. */
  stop(): Promise<unknown>;
}

/** Whom a fault profile happens to: an account's key, an address, or with neither everybody. */
export interface FaultTarget {
  readonly account?: Account;
  readonly key?: string;
  readonly address?: string;
}

export interface Venue {
  readonly id: string;
  /** Without faults, such as `http://127.0.0.1:40249`. */
  readonly address: string;
  /** The address at which faults happen; null if the venue has none. */
  readonly faultAddress: string | null;
  /** Path of the control socket. */
  readonly control: string;
  readonly dataDir: string;

  /** Creates an account with money and an HMAC key. */
  account(options?: AccountOptions): Promise<Account>;
  /** Plays a market to its end; returns what the command reports. */
  loadMarket(options: MarketOptions): Promise<unknown>;
  /** Plays a market beside the test. */
  playMarket(options: MarketOptions): RunningCommand;
  readonly faults: {
    /** The ready profiles. */
    list(): Promise<unknown>;
    show(): Promise<unknown>;
    /** Applies a ready profile by name, one in a file by path, or one as an object. */
    apply(
      profile: string | object,
      options?: FaultTarget & { readonly seed?: number; readonly for?: Duration },
    ): Promise<unknown>;
    /** Ends the profile of this target, or all. */
    clear(target?: FaultTarget): Promise<unknown>;
  };
  readonly time: {
    show(): Promise<unknown>;
    pause(): Promise<unknown>;
    resume(): Promise<unknown>;
    /** 0.1 to 1000 times as fast as real time. */
    speed(factor: number): Promise<unknown>;
    /** Moves the market's time on by a duration, or until so many events have happened. */
    step(by: { readonly by?: Duration; readonly events?: number }): Promise<unknown>;
    /** Moves it on to the next thing that is due, such as `funding`. */
    jump(to?: string): Promise<unknown>;
    /** Moves it on to this time; it never goes back. */
    set(time: Date | string): Promise<unknown>;
  };
  /** What the venue knows about an account. */
  truth(account: Account | number): Promise<Truth>;
  /**
   * Writes the report of the run so far as a page in HTML at `path`, in place of an earlier one, and returns its figures:
   * docs/guides/report-a-run.md. `believed` needs an account. `from` and `to` are numbers of events, or times.
   */
  report(
    path: string,
    options?: {
      readonly account?: Account | number;
      readonly believed?: Belief;
      readonly from?: string | number;
      readonly to?: string | number;
    },
  ): Promise<RunReport>;
  /** Calls a verb of the control socket that has no method here. */
  call(name: string, parameters?: object): Promise<unknown>;
  /** Runs another command of the venue's command line. */
  run(words: readonly (string | number)[]): RunningCommand;
  /** Ends the venue and drops its data. */
  close(): Promise<void>;
}

/** What `rialto report --json` prints; docs/guides/report-a-run.md describes all fields. */
export interface RunReport {
  readonly findings: readonly {
    readonly severity: "error" | "warning" | "note";
    readonly kind: string;
    readonly account: number;
    readonly market: string | null;
    readonly text: string;
    readonly orders: readonly number[];
  }[];
  readonly accounts: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}

export interface Account {
  readonly number: number;
  /** The API key and its HMAC secret, for the program under test. */
  readonly key: string;
  readonly secret: string;
  /** Makes a signed request; `address` may be the venue's `faultAddress`. */
  request(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    parameters?: Readonly<Record<string, string | number>>,
    options?: { readonly address?: string },
  ): Promise<unknown>;
  truth(): Promise<Truth>;
  /** Compares what the program believes with the truth; an empty list means that it is right. */
  believe(belief: Belief): Promise<Difference[]>;
}

/** Only the parts that are given are compared. */
export interface Belief {
  /** All open orders: by order id, client order id, or as an object with `id` and fields of `OrderTruth`. */
  readonly openOrders?: readonly (
    | string
    | number
    | ({ readonly id: string | number } & Readonly<Record<string, unknown>>)
  )[];
  /** All positions: signed quantity by symbol or alias. */
  readonly positions?: Readonly<Record<string, Decimal>>;
  /** Totals by wallet and asset; others are not compared. */
  readonly balances?: Readonly<Record<string, Readonly<Record<string, Decimal>>>>;
}

export interface Difference {
  readonly what: "open order" | "position" | "balance";
  readonly name: string | number;
  /** Null if the program does not know of it. */
  readonly believed: unknown;
  /** Null if the venue does not know of it. */
  readonly true: unknown;
}

export interface Truth {
  readonly account: number;
  readonly balances: readonly {
    readonly wallet: "funding" | "spot" | "perp";
    readonly asset: string;
    readonly total: string;
    readonly locked: string;
    readonly free: string;
  }[];
  readonly positions: readonly {
    readonly market: string;
    readonly alias: string;
    readonly qty: string;
    readonly entry_price: string;
  }[];
  /** All orders that the venue accepted, oldest first. */
  readonly orders: readonly OrderTruth[];
  readonly openOrders: readonly OrderTruth[];
  readonly fills: readonly FillTruth[];
  /** The order with this id or client order id; the newest if the latter was used again. */
  order(id: string | number): OrderTruth | undefined;
  /** Signed quantity; "0" without a position. */
  position(symbol: string): string;
  /** Total in a wallet, `spot` if not given; "0" without any. */
  balance(asset: string, wallet?: "funding" | "spot" | "perp"): string;
}

export interface OrderTruth {
  readonly order_id: number;
  readonly client_order_id: string;
  readonly market: string;
  readonly alias: string;
  readonly side: "BUY" | "SELL";
  readonly type: string;
  readonly time_in_force: string;
  readonly status: string;
  /** Why it ended without being filled; null for open and filled orders. */
  readonly reason: string | null;
  readonly price: string | null;
  readonly trigger_price: string | null;
  readonly qty: string;
  readonly filled_qty: string;
  readonly avg_price: string | null;
  readonly accepted_at: string;
  readonly updated_at: string;
}

export interface FillTruth {
  readonly trade_id: number;
  readonly order_id: number;
  readonly market: string;
  readonly alias: string;
  readonly side: "BUY" | "SELL";
  readonly is_maker: boolean;
  readonly price: string;
  readonly qty: string;
  readonly fee: string;
  readonly fee_asset: string;
  readonly realized_pnl: string | null;
  readonly at: string;
}
