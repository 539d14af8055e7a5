// Fills the history tables with many rows quickly: the server itself generates them, in the shapes that a venue writes.
// Order i is the taker of trade i, and later the maker of another trade; the first few orders are only makers. A fifth
// of the orders belong to one market maker, the rest to other accounts. Ids and times ascend together.

import type { Sql } from "../../../src/adapters/postgres/connection.ts";
import { Wallet } from "../../../src/core/accounts.ts";
import { EventKind, type VenueEvent } from "../../../src/core/generated/events.ts";
import { eventBytesMax } from "../../../src/core/limits.ts";
import { encodeEvent } from "../../../src/wire/generated/event-codec.ts";
import { createRecordViews } from "../../../src/wire/records/record-views.ts";
import { marketId } from "../machine/test-markets.ts";

export interface HistoryRowsOptions {
  readonly trades: number;
  /** Milliseconds over which the trades are spread; the last trade is now. */
  readonly spanMs: number;
  readonly say: (message: string) => void;
}

/** The account that has a fifth of all orders. */
export const makerAccount = 1001;
const otherAccounts = { first: 1002, count: 2000 } as const;

/** Returns the account of an order, by the same arithmetic as the SQL below. */
export function accountOf(orderId: number): number {
  if (Math.floor((orderId * 7919) / 97) % 5 === 0) return makerAccount;
  return otherAccounts.first + (Math.floor((orderId * 104_729) / 31) % otherAccounts.count);
}

/** The market of trade i is tradedMarkets[i % 9]: some markets trade more often than others, and one never trades. */
export const tradedMarkets = [
  marketId.ccUsdc,
  marketId.btcPerp,
  marketId.ccUsdc,
  marketId.cbtcUsdc,
  marketId.btcPerp,
  marketId.cethUsdc,
  marketId.ccUsdc,
  marketId.ethPerp,
  marketId.ccPerp,
] as const;

const rowsPerStatement = 250_000;
/**
 * The maker of a trade is an earlier order of the same market: its id is lower by nine times a number from 1 to
 * `restMax`.
 */
const restMax = 40;

const shapes = `
  create function pg_temp.account_of(i bigint) returns integer language sql immutable as $$
    select case when (i * 7919 / 97) % 5 = 0 then ${makerAccount}
      else ${otherAccounts.first} + ((i * 104729 / 31) % ${otherAccounts.count})::integer end $$;
  create function pg_temp.market_of(i bigint) returns smallint language sql immutable as $$
    select (array[${tradedMarkets.join(",")}])[1 + i % 9]::smallint $$;
  create function pg_temp.maker_of(i bigint) returns bigint language sql immutable as $$
    select i - 9 * (1 + i * 31 % ${restMax}) $$;
  create function pg_temp.price_of(i bigint) returns bigint language sql immutable as $$
    select 60000 + (2000 * sin(i / 90000.0))::bigint + i * 13 % 7 $$;`;

function ordersText(from: number, until: number, clock: string): string {
  return `
    insert into orders (order_id, created_us, updated_us, price, qty, filled_qty, filled_quote, account,
                        market, side, type, time_in_force, status, client_id)
    select i, ${clock}, ${clock} + 5000000, pg_temp.price_of(i), 200, 200, 120000000,
           pg_temp.account_of(i), pg_temp.market_of(i), i % 2, 0, 0, 1,
           case when i % 3 = 0 then 'x-TKT5PX2F' || i end
    from generate_series(${from}::bigint, ${until}) as i`;
}

function fillsText(from: number, until: number, clock: string): string {
  return `
    insert into fills (trade_id, ts_us, price, qty, quote, taker_order_id, maker_order_id, taker_fee,
                       maker_fee, taker_pnl, maker_pnl, taker_account, maker_account, market, taker_side)
    select i, ${clock}, pg_temp.price_of(i), 100, pg_temp.price_of(i) * 1000, i, pg_temp.maker_of(i),
           6000, 2400, i % 3 * 500, i % 2 * 700, pg_temp.account_of(i),
           pg_temp.account_of(pg_temp.maker_of(i)), pg_temp.market_of(i), i % 2
    from generate_series(${Math.max(from, 1 + 9 * restMax)}::bigint, ${until}) as i`;
}

/** Computes the candles from the fills. They get the values that a venue writes when it commits such fills. */
const candlesText = `
  insert into candles
  select market, ms, ts_us / 1000 / ms * ms, (array_agg(price order by trade_id))[1], max(price),
         min(price), (array_agg(price order by trade_id desc))[1], sum(qty), sum(quote), count(*),
         coalesce(sum(qty) filter (where taker_side = 0), 0),
         coalesce(sum(quote) filter (where taker_side = 0), 0)
  from fills cross join (values (60000), (3600000), (86400000)) as intervals (ms)
  group by 1, 2, 3`;

/** Returns SQL for journal rows. One in 50 is a transfer, the rest are trades, but all have a transfer's body. */
function journalText(rows: number, clock: string): string {
  return `
    insert into journal (seq, ts_us, account, kind, body)
    select i, ${clock}, pg_temp.account_of(i),
           case when i % 50 = 0 then ${EventKind.transferred} else ${EventKind.traded} end,
           '\\x${transferBody().toString("hex")}'
    from generate_series(1::bigint, ${rows}) as i`;
}

function transferBody(): Buffer {
  const event: VenueEvent = {
    kind: EventKind.transferred,
    seq: 1,
    tsUs: 1,
    account: makerAccount,
    isTransactionEnd: true,
    from: Wallet.funding,
    to: Wallet.perp,
    asset: 0,
    amount: 1n,
  };
  const views = createRecordViews(new ArrayBuffer(eventBytesMax));
  return Buffer.from(views.u8.subarray(0, encodeEvent(views, 0, event)));
}

/**
 * Adds orders, fills, candles and journal rows to empty tables, and runs `analyze`. The client must have a single
 * session ("migrations"), because the temporary row shapes exist only in one session.
 */
export async function addHistoryRows(sql: Sql, options: HistoryRowsOptions): Promise<void> {
  const { trades, spanMs, say } = options;
  const stepUs = Math.floor((spanMs * 1000) / trades);
  const startUs = Date.now() * 1000 - stepUs * trades;
  const clock = `${startUs} + i * ${stepUs}`;
  await sql.unsafe(shapes);
  for (let from = 1; from <= trades; from += rowsPerStatement) {
    const until = Math.min(from + rowsPerStatement - 1, trades);
    await sql.unsafe(ordersText(from, until, clock));
    await sql.unsafe(fillsText(from, until, clock));
    say(`${until} of ${trades} trades`);
  }
  await sql.unsafe(candlesText);
  await sql.unsafe(journalText(Math.min(trades, rowsPerStatement), clock));
  await sql.unsafe("vacuum analyze");
}

/** Returns the market of an order, which is also the market of the trade it takes part in. */
export function marketOf(orderId: number): number {
  return tradedMarkets[orderId % tradedMarkets.length] ?? 0;
}
