// Stores traffic charges, which the settlement thread writes and the fronts read.

import { AccountType } from "../../../../core/accounts.ts";
import { MarketKind } from "../../../../core/markets.ts";
import { type TrafficLane, trafficLanes, trafficTerms } from "../../../../core/traffic.ts";
import type {
  FleetMember,
  LaneCharges,
  MeasuredTraffic,
  TrafficReader,
  TrafficState,
  TrafficStore,
  TrafficUse,
} from "../../../../ports/ledger/traffic.ts";
import { code, type Sql, type Statements } from "../../sql.ts";

const dayMs = 86_400_000;

interface StoredState {
  readonly ledger_offset: string | null;
  readonly base_remaining: string;
  readonly base_ms: string;
  readonly is_measured: boolean;
  readonly extra_purchased: string | null;
  readonly extra_consumed: string | null;
  readonly read_ms: string;
  readonly mirrored_ms: string | null;
}

export class PostgresTrafficStore implements TrafficStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async state(): Promise<TrafficState> {
    const row = await stateIn(this.#sql);
    const offset = row.ledger_offset === null ? null : Number(row.ledger_offset);
    // If free traffic was never used, its row says that it was last refilled at time 0, so all of it is available.
    return { offset, base: { remaining: Number(row.base_remaining), atMs: Number(row.base_ms) } };
  }

  async add(read: Parameters<TrafficStore["add"]>[0]): Promise<void> {
    const { from, through, charges, base, readMs } = read;
    await this.#sql.begin(async (tx) => {
      const { count } = await tx`
        update traffic_state
        set ledger_offset = ${through}, base_remaining = ${base.remaining},
            base_ms = ${Math.round(base.atMs)}, read_ms = ${readMs}
        where ledger_offset is not distinct from ${from}::bigint`;
      if (count === 0) return;
      for (const charge of charges) await addCharge(tx, charge);
      if (charges.length > 0)
        await tx`delete from traffic_charges where start_ms <= ${readMs - 2 * trafficTerms.windowMs}`;
    });
  }

  async correct({ base, extraPurchased, extraConsumed }: MeasuredTraffic): Promise<void> {
    await this.#sql`
      update traffic_state
      set base_remaining = ${base.remaining}, base_ms = ${Math.round(base.atMs)},
          is_measured = true, extra_purchased = ${extraPurchased},
          extra_consumed = ${extraConsumed}`;
  }

  async used(lane: TrafficLane, nowMs: number): Promise<number> {
    const [row] = await this.#sql<{ bytes: string }[]>`
      select coalesce(sum(bytes), 0)::text as bytes from traffic_charges
      where lane = ${lane} and start_ms > ${nowMs - trafficTerms.windowMs}`;
    return Number(row?.bytes ?? 0);
  }
}

async function addCharge(sql: Statements, charge: LaneCharges): Promise<void> {
  const { startMs, lane, bytes, submissions, lastBytes } = charge;
  await sql`
    insert into traffic_charges as c (start_ms, lane, bytes, submissions)
    values (${startMs}, ${lane}, ${bytes}, ${submissions})
    on conflict (start_ms, lane) do update
      set bytes = c.bytes + excluded.bytes, submissions = c.submissions + excluded.submissions`;
  await sql`
    insert into traffic_lanes (lane, last_bytes) values (${lane}, ${lastBytes})
    on conflict (lane) do update set last_bytes = excluded.last_bytes`;
}

async function stateIn(sql: Statements): Promise<StoredState> {
  const [row] = await sql<StoredState[]>`
    select t.ledger_offset, t.base_remaining::text as base_remaining, t.base_ms, t.is_measured,
           t.extra_purchased, t.extra_consumed, t.read_ms, s.mirrored_ms
    from traffic_state t, settlement_cursor s`;
  if (row === undefined) throw new Error("the row of the traffic state is missing");
  return row;
}

export class PostgresTrafficReader implements TrafficReader {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async use(nowMs: number): Promise<TrafficUse> {
    const [row, sums, last] = await Promise.all([
      stateIn(this.#sql),
      this.#sql<{ lane: number; bytes: string; submissions: string }[]>`
        select lane, sum(bytes)::text as bytes, sum(submissions)::text as submissions
        from traffic_charges where start_ms > ${nowMs - trafficTerms.windowMs} group by lane`,
      this.#sql<{ lane: number; last_bytes: string }[]>`select lane, last_bytes from traffic_lanes`,
    ]);
    const { extra_purchased: purchased, extra_consumed: consumed } = row;
    return {
      lanes: trafficLanes.map((_, lane) => {
        const sum = sums.find((each) => each.lane === lane);
        const newest = last.find((each) => each.lane === lane);
        return {
          lane: lane as TrafficLane,
          bytes: Number(sum?.bytes ?? 0),
          submissions: Number(sum?.submissions ?? 0),
          lastBytes: newest === undefined ? null : Number(newest.last_bytes),
        };
      }),
      base: { remaining: Number(row.base_remaining), atMs: Number(row.base_ms) },
      isMeasured: row.is_measured,
      extra:
        purchased === null || consumed === null
          ? null
          : { purchased: Number(purchased), consumed: Number(consumed) },
      readMs: Number(row.read_ms),
      mirroredMs: row.mirrored_ms === null ? null : Number(row.mirrored_ms),
    };
  }

  async hasFleet(): Promise<boolean> {
    const [row] = await this.#sql<{ has_fleet: boolean }[]>`
      select exists (select from accounts a join api_keys k on k.account = a.account
        where a.type = ${AccountType.house} and k.revoked_us is null
          and (k.label like 'mm-%' or k.label like 'taker-%')) as has_fleet`;
    return row?.has_fleet === true;
  }

  async fleet(nowMs: number): Promise<FleetMember[]> {
    const rows = await this.#sql<{ account: number; name: string; fills: string }[]>`
      select a.account, min(k.label) as name, (
          select coalesce(sum(
            (select count(*) from fills f where f.taker_account = a.account
              and f.market = m.market and f.trade_id >= m.since)
            + (select count(*) from fills f where f.maker_account = a.account
              and f.market = m.market and f.trade_id >= m.since)), 0)
          from (select market, first_fill_since(market, ${(nowMs - dayMs) * 1000}::bigint) as since
                from markets) m)::text as fills
      from accounts a join api_keys k on k.account = a.account
      where a.type = ${AccountType.house} and k.revoked_us is null
        and (k.label like 'mm-%' or k.label like 'taker-%')
      group by a.account order by a.account limit 200`;
    return rows.map(({ account, name, fills }) => ({ account, name, fills24h: Number(fills) }));
  }

  async houseFills(sinceMs: number): Promise<number> {
    const [row] = await this.#sql<{ fills: string }[]>`
      select count(*)::text as fills
      from (select market, first_fill_since(market, ${sinceMs * 1000}::bigint) as since
            from markets where kind = ${code(MarketKind.spot)}) m
      join fills f on f.market = m.market and f.trade_id >= m.since
      join settlement_fills s on s.trade_id = f.trade_id
      where exists (select from accounts a
                    where a.account in (f.taker_account, f.maker_account)
                      and a.type = ${AccountType.house})`;
    return Number(row?.fills ?? 0);
  }
}
