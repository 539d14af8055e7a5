// Reads from the tables of fills and batches which coins a custody account has received by fills that no confirmed
// batch has settled yet. The account must have at least these amounts locked.

import type { Sql } from "../../src/adapters/postgres/connection.ts";

export interface Coming {
  readonly code: string;
  /** Amount in units of 10^−10. */
  readonly amount: bigint;
}

/** Returns the amounts by asset. */
export async function readComing(sql: Sql, account: number): Promise<Coming[]> {
  const rows = await sql<{ code: string; amount: string }[]>`
    select a.code, trunc(sum(side.amount) * power(10::numeric, 10 - a.decimals))::text as amount
    from fills f join markets k on k.market = f.market
    cross join lateral (values
      (f.taker_account, f.taker_side = 0, f.taker_fee),
      (f.maker_account, f.taker_side <> 0, f.maker_fee)) as who (account, is_buyer, fee)
    cross join lateral (
      select case when who.is_buyer then k.base_asset else k.quote_asset end as asset,
             case when who.is_buyer then f.qty * k.base_units_per_lot else f.quote end - who.fee
               as amount
    ) as side
    join assets a on a.asset = side.asset
    where who.account = ${account} and not exists (
      select from settlement_fills s join settlement_batches b on b.batch_id = s.batch_id
      where s.trade_id = f.trade_id and b.state = 5)
    group by a.code, a.decimals`;
  return rows.map(({ code, amount }) => ({ code, amount: BigInt(amount) }));
}
