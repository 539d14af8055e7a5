// Public reports. GET /v1/traffic: the network traffic of settlement, by lane, and the free allowance. GET
// /v1/traffic/mm: the accounts of the operator's own traders, and whether they should continue trading. GET
// /v1/solvency: the venue's liabilities next to its custody holdings.

import { setTimeout as sleep } from "node:timers/promises";
import { depositsQuery } from "../../../../../schemas/http/native.ts";
import { formatLedgerAmount } from "../../../../core/money/ledger-amount.ts";
import { refilled, trafficLanes, trafficTerms } from "../../../../core/traffic.ts";
import type { FleetMember, TrafficUse } from "../../../../ports/ledger/traffic.ts";
import {
  type SolvencyItem,
  SolvencyReport,
} from "../../../../services/settlement/custody/solvency-report.ts";
import { tradingStateOf } from "../../../../services/settlement/custody/trading-state.ts";
import { type Outcome, openRoute, routeGroup } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { nativeFaults } from "../error-map.ts";
import { isoOfMs, pageText } from "../native-context.ts";

/** Weight of a request, which runs three statements over a few rows. */
const trafficWeight = 5;

const dayMs = 86_400_000;
/** The fills of a day are counted at most once in this interval, however many requests arrive. */
const fleetMs = 10_000;

/** The operator's own traders, as of the last count. */
interface Fleet {
  readonly members: readonly FleetMember[];
  readonly budgetLeft: number;
}

class TrafficReport {
  readonly #context: RouteContext;
  #fleet: Promise<Fleet> | null = null;
  #fleetMs = 0;

  constructor(context: RouteContext) {
    this.#context = context;
  }

  async traffic(): Promise<Outcome> {
    const { traffic, clock } = this.#context;
    const nowMs = clock.nowMs();
    return trafficText(await traffic.use(nowMs), nowMs);
  }

  async fleet(): Promise<Outcome> {
    const { traffic, clock, hasLedger, mirrorStaleMs: staleMs } = this.#context;
    const nowMs = clock.nowMs();
    const [use, { members, budgetLeft }] = await Promise.all([
      traffic.use(nowMs),
      this.#counted(nowMs),
    ]);
    const state = hasLedger ? tradingStateOf({ use, nowMs, staleMs }) : "ok";
    const fleet = members.map((member) => this.#shown(member, budgetLeft));
    return JSON.stringify({ state, fleet });
  }

  #counted(nowMs: number): Promise<Fleet> {
    if (this.#fleet === null || nowMs - this.#fleetMs >= fleetMs) {
      this.#fleetMs = nowMs;
      this.#fleet = this.#count(nowMs).catch((fault: unknown) => {
        this.#fleet = null;
        throw fault;
      });
    }
    return this.#fleet;
  }

  async #count(nowMs: number): Promise<Fleet> {
    const { traffic, houseFillsPerDay } = this.#context;
    const [members, used] = await Promise.all([
      traffic.fleet(nowMs),
      traffic.houseFills(nowMs - (nowMs % dayMs)),
    ]);
    return { members, budgetLeft: Math.max(0, houseFillsPerDay - used) };
  }

  #shown({ account, name, fills24h }: FleetMember, budgetLeft: number): object {
    const { orders, table } = this.#context.model.state;
    const markets = new Set<number>();
    let openOrders = 0;
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      markets.add(orders.market[slot] ?? 0);
      openOrders++;
    }
    const symbols = [...markets].sort((one, other) => one - other);
    return {
      name,
      account,
      symbols: symbols.map((market) => table.market(market).symbol),
      open_orders: openOrders,
      fills_24h: fills24h,
      budget_left: budgetLeft,
    };
  }
}

/** The answer of GET /v1/traffic. Spec TRF-2. */
function trafficText(use: TrafficUse, nowMs: number): string {
  const { burstBytes, windowMs } = trafficTerms;
  const { lanes, base, isMeasured, extra, readMs } = use;
  return JSON.stringify({
    window_s: windowMs / 1000,
    base: {
      burst_bytes: burstBytes,
      used_bytes: lanes.reduce((sum, { bytes }) => sum + bytes, 0),
      remaining_bytes: Math.floor(refilled(base, nowMs).remaining),
      source: isMeasured ? "measured" : "modelled",
    },
    extra: { purchased: extra?.purchased ?? null, consumed: extra?.consumed ?? null },
    lanes: lanes.map(({ lane, bytes, submissions, lastBytes }) => ({
      lane: trafficLanes[lane]?.name,
      budget_bytes: trafficLanes[lane]?.budgetBytes,
      used_bytes: bytes,
      tx: submissions,
      last_cost: lastBytes,
    })),
    as_of: readMs === 0 ? null : isoOfMs(readMs),
  });
}

/** The routes of settlement traffic and of the operator's own traders. */
export const trafficRoutes = routeGroup((context) => new TrafficReport(context))([
  openRoute("GET /v1/traffic", {
    summary: "Network traffic of settlement by lane, and the free allowance.",
    weight: trafficWeight,
    answer: (report) => report.traffic(),
  }),
  openRoute("GET /v1/traffic/mm", {
    summary: "The operator's own traders and whether they may continue to trade.",
    weight: trafficWeight,
    answer: (report) => report.fleet(),
  }),
]);

/** Weight of a request that runs a few statements; it allows one address at most five such requests a second. */
const solvencyWeight = 20;

async function pageOf(report: SolvencyReport, limit: number, after: number): Promise<Outcome> {
  const items = await report.items();
  if (items === "unreached") return nativeFaults.noLedger;
  if (items === "uneven") return nativeFaults.ledgerBeingRead;
  const rest = items.filter(({ asset }) => asset.id > after);
  return pageText(rest, limit, shownItem, ({ asset }) => asset.id);
}

/**
 * One item of the report. Every amount has the ledger's ten decimals, so that none is rounded and they add up. Spec
 * SLV-1.
 */
function shownItem(item: SolvencyItem): object {
  const { asset, liabilities, held, holdings, inFlight, claims, surplus } = item;
  return {
    asset: asset.code,
    liabilities: formatLedgerAmount(liabilities),
    held: formatLedgerAmount(held),
    ledger_holdings: formatLedgerAmount(holdings),
    in_flight: formatLedgerAmount(inFlight),
    claims: formatLedgerAmount(claims),
    surplus: formatLedgerAmount(surplus),
    as_of: isoOfMs(item.asOfMs),
    ledger_offset: item.ledgerOffset,
  };
}

/** The route of the solvency report. */
export const solvencyRoutes = routeGroup(({ solvency: reader, clock, model }) => {
  return new SolvencyReport({ state: model.state, reader, clock, pause: sleep });
})([
  openRoute("GET /v1/solvency", {
    summary: "The venue's liabilities and ledger holdings by asset.",
    reads: depositsQuery,
    faults: { 503: "The ledger network is unreachable; nothing was done." },
    weight: solvencyWeight,
    answer: (report, _, { limit, cursor }) => pageOf(report, limit, cursor ?? -1),
  }),
]);
