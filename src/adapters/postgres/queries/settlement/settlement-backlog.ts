// What waits to be settled, and the markets that must not make it wait.

import { MarketKind, MarketStatus } from "../../../../core/markets.ts";
import type { SettlementBacklog } from "../../../../ports/ledger/settlement-store.ts";
import type { Sql } from "../../connection.ts";

export async function readBacklog(sql: Sql): Promise<SettlementBacklog> {
  const rows = await sql<{ state: number; batches: number; fills: number }[]>`
    select b.state, count(*)::integer as batches, sum(b.fill_count)::integer as fills
    from settlement_batches b
    where b.state in (1, 2, 3, 4, 6)
      and (b.state <> 6 or exists (select from settlement_fills f where f.batch_id = b.batch_id))
    group by b.state`;
  const [oldest] = await sql<{ ts_us: string }[]>`
    select f.ts_us from settlement_fills s join fills f on f.trade_id = s.trade_id
    where s.batch_id = (
      select b.batch_id from settlement_batches b
      where b.state in (1, 2, 3, 4, 6)
        and (b.state <> 6 or exists (select from settlement_fills f where f.batch_id = b.batch_id))
      order by b.opened_ms limit 1)
    order by s.trade_id limit 1`;
  const count = (state: number) => rows.find((row) => row.state === state)?.batches ?? 0;
  return {
    oldestMs: oldest === undefined ? null : Math.floor(Number(oldest.ts_us) / 1000),
    fills: rows.reduce((sum, row) => sum + row.fills, 0),
    batches: {
      open: count(1),
      ready: count(2),
      processing: count(3),
      retry: count(4),
      failed: count(6),
    },
  };
}

export async function readClosedMarkets(sql: Sql): Promise<number[]> {
  const rows = await sql<{ market: number }[]>`
    select market from markets
    where kind = ${MarketKind.spot} and status <> ${MarketStatus.trading}`;
  return rows.map(({ market }) => market);
}
