// What waits to be settled, and the markets that must not make it wait.

import { MarketKind, MarketStatus } from "../../../../core/markets.ts";
import { BatchState, statesWaiting } from "../../../../ports/ledger/batch-states.ts";
import type { SettlementBacklog } from "../../../../ports/ledger/settlement-store.ts";
import { code, codes, type Statements } from "../../sql.ts";

const { failed } = BatchState;
const waiting = codes(...statesWaiting.map(([, state]) => state));

export async function readBacklog(sql: Statements): Promise<SettlementBacklog> {
  const rows = await sql<{ state: number; batches: number; fills: number }[]>`
    select b.state, count(*)::integer as batches, sum(b.fill_count)::integer as fills
    from settlement_batches b
    where b.state in ${waiting}
      and (b.state <> ${code(failed)} or exists (select from settlement_fills f where f.batch_id = b.batch_id))
    group by b.state`;
  const [oldest] = await sql<{ ts_us: string }[]>`
    select f.ts_us from settlement_fills s join fills f on f.trade_id = s.trade_id
    where s.batch_id = (
      select b.batch_id from settlement_batches b
      where b.state in ${waiting}
        and (b.state <> ${code(failed)} or exists (select from settlement_fills f where f.batch_id = b.batch_id))
      order by b.opened_ms limit 1)
    order by s.trade_id limit 1`;
  const count = (state: number) => rows.find((row) => row.state === state)?.batches ?? 0;
  return {
    oldestMs: oldest === undefined ? null : Math.floor(Number(oldest.ts_us) / 1000),
    fills: rows.reduce((sum, row) => sum + row.fills, 0),
    batches: Object.fromEntries(statesWaiting.map(([name, state]) => [name, count(state)])),
  };
}

export async function readClosedMarkets(sql: Statements): Promise<number[]> {
  const rows = await sql<{ market: number }[]>`
    select market from markets
    where kind = ${MarketKind.spot} and status <> ${MarketStatus.trading}`;
  return rows.map(({ market }) => market);
}
