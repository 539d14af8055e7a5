// The coalesced projections as they stand, for whoever compares them with the journal.

import type { Sql } from "../connection.ts";

export interface ProjectedBalance {
  readonly account: number;
  readonly wallet: number;
  readonly asset: number;
  readonly total: bigint;
  readonly reserved: bigint;
}

export interface ProjectedPosition {
  readonly account: number;
  readonly market: number;
  readonly qty: number;
  readonly entryValue: bigint;
  readonly realisedPnl: bigint;
}

export interface ProjectedOrder {
  readonly orderId: number;
  readonly filledQty: number;
}

type Texts<T> = { readonly [K in keyof T]: string };

export async function readBalances(sql: Sql): Promise<ProjectedBalance[]> {
  const rows = await sql<Texts<ProjectedBalance>[]>`
    select account::text, wallet::text, asset::text, total::text, reserved::text from balances`;
  return rows.map((row) => ({
    account: Number(row.account),
    wallet: Number(row.wallet),
    asset: Number(row.asset),
    total: BigInt(row.total),
    reserved: BigInt(row.reserved),
  }));
}

export async function readPositions(sql: Sql): Promise<ProjectedPosition[]> {
  const rows = await sql<Texts<ProjectedPosition>[]>`
    select account::text, market::text, qty::text, entry_value::text as "entryValue",
           realised_pnl::text as "realisedPnl"
    from positions`;
  return rows.map((row) => ({
    account: Number(row.account),
    market: Number(row.market),
    qty: Number(row.qty),
    entryValue: BigInt(row.entryValue),
    realisedPnl: BigInt(row.realisedPnl),
  }));
}

/** Orders that are open by their row. */
export async function readOpenOrders(sql: Sql): Promise<ProjectedOrder[]> {
  const rows = await sql<Texts<ProjectedOrder>[]>`
    select order_id::text as "orderId", filled_qty::text as "filledQty"
    from orders where status = 0`;
  return rows.map((row) => ({ orderId: Number(row.orderId), filledQty: Number(row.filledQty) }));
}
