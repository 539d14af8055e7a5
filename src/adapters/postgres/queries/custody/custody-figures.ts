// Reads custody figures for operators, at each scrape of the metrics.

import { ledgerDecimals } from "../../../../core/money/ledger-amount.ts";
import { refilled, trafficLanes } from "../../../../core/traffic.ts";
import type { Clock } from "../../../../ports/clock.ts";
import { DepositState, WithdrawalStage } from "../../../../ports/ledger/custody.ts";
import type {
  CustodyFigures,
  CustodyFiguresReader,
} from "../../../../ports/ledger/custody-figures.ts";
import type { TrafficReader } from "../../../../ports/ledger/traffic.ts";
import type { Sql } from "../../connection.ts";
import { codes } from "../../sql.ts";

const { requested, underWay, paid, givenUp } = WithdrawalStage;
const { unclaimed, tooSmall } = DepositState;

export class PostgresCustodyFigures implements CustodyFiguresReader {
  readonly #sql: Sql;
  readonly #traffic: TrafficReader;
  readonly #clock: Clock;

  constructor(sql: Sql, traffic: TrafficReader, clock: Clock) {
    this.#sql = sql;
    this.#traffic = traffic;
    this.#clock = clock;
  }

  async read(): Promise<CustodyFigures> {
    const nowMs = this.#clock.nowMs();
    const [use, coins, counts] = await Promise.all([
      this.#traffic.use(nowMs),
      this.#sql<{ asset: string; units: string }[]>`
        select a.code as asset, coalesce(sum(h.amount), 0)::text as units
        from custody_places p join assets a on a.asset = p.asset
        left join settlement_holdings h on h.party = p.custody and h.asset = p.asset
        group by a.code`,
      this.#sql<{ pending: string; kept: string }[]>`
        select (select count(*) from withdrawals where state in ${codes(requested, underWay, paid, givenUp)})::text as pending,
               (select count(*) from deposits where state in ${codes(unclaimed, tooSmall)})::text as kept`,
    ]);
    const { mirroredMs, base, lanes } = use;
    return {
      holdings: coins.map(({ asset, units }) => {
        return { asset, amount: Number(units) / 10 ** ledgerDecimals };
      }),
      withdrawalsPending: Number(counts[0]?.pending ?? 0),
      depositsUnclaimed: Number(counts[0]?.kept ?? 0),
      mirrorAgeSeconds: mirroredMs === null ? null : Math.max(0, nowMs - mirroredMs) / 1000,
      baseRemainingBytes: Math.floor(refilled(base, nowMs).remaining),
      lanes: lanes.map(({ lane, bytes }) => {
        const { name = "", budgetBytes = 0 } = trafficLanes[lane] ?? {};
        return { lane: name, leftBytes: Math.max(0, budgetBytes - bytes) };
      }),
    };
  }
}
