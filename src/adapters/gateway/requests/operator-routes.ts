// Routes for operators: /health answers everybody, /metrics only this machine and trusted networks. Figures are read on
// request; the hot path does not maintain them.

import { Gauge, Registry } from "prom-client";
import { leaderLostMs } from "../../../core/bus-limits.ts";
import { type BuildInfo, buildMetric } from "../../../ports/build-info.ts";
import {
  journalWaitMsMax,
  type Problem,
  problem,
  type Severity,
} from "../../../ports/venue-problems.ts";
import type { MarketFigure } from "../market-figures.ts";
import { type ClientAddress, isLoopback } from "../server/client-address.ts";
import { contentTypes, type HttpCall, type Method } from "../server/http-call.ts";
import { addBusMetrics, type BusFigures } from "./bus-metrics.ts";

/** The venue's health, as /health shows it. */
export interface Health {
  readonly isOk: boolean;
  /** The last seq assigned; `committedSeq` is the last durable seq. */
  readonly seq: number;
  readonly committedSeq: number;
  /** Age in milliseconds of the oldest event that is not yet durable. */
  readonly lagMs: number;
  /** True while the venue does not trust the machine's clock; trading continues. */
  readonly isClockHeld: boolean;
  /** Whether custody covers what the venue owes, by the newest statement of liabilities. */
  readonly solvency: "ok" | "deficit" | "unknown";
  /** Role among several venues on one database, or a gateway; null for a venue that is alone. */
  readonly role: "leader" | "gateway" | null;
  /** Why it takes no requests at all; null if it takes them. */
  readonly refusing: "starting" | "stopping" | "lease_over" | null;
  /** What a gateway lacks on its way to the leader; null for a venue. */
  readonly away: { readonly leaderMs: number; readonly isBus: boolean } | null;
  /** What else this process knows to be wrong: with money, threads, disk, price sources and the ledger. */
  readonly told: readonly Problem[];
}

/** Figures of the last minutes, which /metrics?recent answers. */
export interface RecentFigures {
  /** Samples another figure from now on. */
  add(name: string, read: () => number): void;
  /** JSON: the names, and of each sample its time in Unix milliseconds and the values. */
  text(): string;
}

export interface OperatorParts {
  /** Name of this front, which labels all of its counters. */
  readonly front: string;
  health(): Health;
  /** The market's time, shown for a venue that can be rewound. */
  marketMs(): number;
  readonly build: BuildInfo;
  /** Figures of this front; called at every scrape. */
  figures(): FrontFigures;
  /** Figures of a gateway's way to the leader, read at every scrape; null in a venue. */
  readonly busFigures: (() => BusFigures) | null;
  /** Figures of the markets, which are read at every scrape. */
  readonly markets: readonly MarketFigure[];
  /** What an operator should look at in the markets. */
  marketProblems(): readonly Problem[];
  /** Returns whether the ledger has not been read to its end for too long. */
  readonly isLedgerStale: () => boolean;
  isTrusted(address: string): boolean;
  /** Figures of the last minutes, for the charts of /ops; null where none are kept. */
  readonly recent: RecentFigures | null;
  /** Metrics of the whole venue, as Prometheus text. */
  venueMetrics(): Promise<string>;
}

const prefix = "rialto_";
/** Asks /metrics for the last minutes: proxies keep strangers from its path. */
const recentQuery = "recent";
const noFigures = '{"now":0,"names":[],"samples":[]}';

export class OperatorRoutes {
  readonly #parts: OperatorParts;
  readonly #registry = new Registry();

  constructor(parts: OperatorParts) {
    this.#parts = parts;
    // Each front exports its own counts. The kernel decides which front receives a scrape, so the label says which
    // front's counts these are.
    this.#registry.setDefaultLabels({ front: parts.front });
    this.#addBuild();
    this.#addFigures();
    this.#addMarkets();
    this.#addLedger();
    addBusMetrics(this.#registry, parts.busFigures);
  }

  #addBuild(): void {
    const { build, health } = this.#parts;
    new Gauge({
      ...buildMetric,
      labelNames: ["version", "commit", "role"],
      registers: [this.#registry],
      collect() {
        this.reset();
        const { version, commit } = build;
        this.set({ version, commit: commit ?? "", role: health().role ?? "single" }, 1);
      },
    });
  }

  #addFigures(): void {
    const { figures } = this.#parts;
    for (const [name, help] of Object.entries(figureHelp)) {
      new Gauge({
        name: `${prefix}${name}`,
        help,
        registers: [this.#registry],
        collect() {
          this.set(figures()[name as keyof FrontFigures]);
        },
      });
    }
  }

  #addMarkets(): void {
    for (const { name, summary, read } of this.#parts.markets) {
      new Gauge({
        name: `${prefix}${name}`,
        help: summary,
        labelNames: ["market"],
        registers: [this.#registry],
        collect() {
          this.reset();
          for (const [market, value] of read()) this.set({ market }, value);
        },
      });
    }
  }

  #addLedger(): void {
    const { isLedgerStale } = this.#parts;
    new Gauge({
      name: `${prefix}ledger_stale`,
      help: "1 while the ledger has not been read to its end for LEDGER_STALE_MS, so that spot orders of wallet-funded accounts are refused",
      registers: [this.#registry],
      collect() {
        this.set(isLedgerStale() ? 1 : 0);
      },
    });
  }

  /** Methods that the path supports. */
  methodsOf(path: string): readonly Method[] {
    return path === "/health" || path === "/metrics" ? ["GET"] : [];
  }

  /** Answers a call to an operator path; returns false for any other path. */
  answer(call: HttpCall): boolean {
    if (call.routedMethod !== "GET") return false;
    if (call.path === "/health") this.#answerHealth(call);
    else if (call.path === "/metrics") void this.#answerMetrics(call);
    else return false;
    return true;
  }

  #answerHealth(call: HttpCall): void {
    const health = this.#parts.health();
    const { isOk, seq, committedSeq, lagMs, role, away, solvency } = health;
    const problems = [
      ...healthProblems(health),
      ...health.told,
      // What was read of the ledger cannot be stored while the journal waits, so the ledger is not the cause.
      ...(lagMs <= journalWaitMsMax && this.#parts.isLedgerStale()
        ? [problem("ledger_stale")]
        : []),
      ...this.#parts.marketProblems(),
    ];
    const textsOf = (wanted: Severity) =>
      problems.filter(({ severity }) => severity === wanted).map(({ text }) => text);
    const [reasons, warnings] = [textsOf("fault"), textsOf("warning")];
    const okStatus = reasons.length > 0 ? "degraded" : "ok";
    const status = isOk ? okStatus : "unavailable";
    const figures = `"seq":${seq},"committed_seq":${committedSeq},"lag_ms":${lagMs}`;
    const reason = reasons.length > 0 ? `,"reason":${JSON.stringify(reasons.join("; "))}` : "";
    const place = role === null ? "" : `,"role":"${role}"`;
    const since = away === null ? "" : `,"leader_away_ms":${away.leaderMs}`;
    const warned = warnings.length > 0 ? `,"warnings":${JSON.stringify(warnings)}` : "";
    const listed = problems.length > 0 ? `,"problems":${JSON.stringify(problems)}` : "";
    const market = this.#parts.build.isRewind
      ? `,"market_time":"${new Date(this.#parts.marketMs()).toISOString()}"`
      : "";
    const told = `${reason}${market}${warned}${listed}`;
    const assets = `,"solvency":"${solvency}"`;
    const body = `{"status":"${status}",${figures}${place}${since}${assets}${told}}`;
    call.answer(isOk ? 200 : 503, contentTypes.json, body);
  }

  async #answerMetrics(call: HttpCall): Promise<void> {
    if (!this.isFor(call.address)) {
      call.answer(403, contentTypes.text, "metrics are available only from trusted networks");
      return;
    }
    if (call.query === recentQuery) {
      call.answer(200, contentTypes.json, this.#parts.recent?.text() ?? noFigures);
      return;
    }
    const [own, venue] = await Promise.all([this.#registry.metrics(), this.#parts.venueMetrics()]);
    call.answer(200, contentTypes.metrics, `${own}\n${venue}`);
  }

  /** Returns whether `address` may use the operator routes. */
  isFor(address: ClientAddress): boolean {
    return isLoopback(address) || this.#parts.isTrusted(address.text);
  }
}

/** What the venue's own counters say: clock, way to the leader, journal. */
function healthProblems({ isOk, refusing, lagMs, isClockHeld, away }: Health): Problem[] {
  const waited = String(Math.floor(lagMs / 1000));
  return [
    ...(refusing === null ? [] : [problem(refusing)]),
    ...(isClockHeld ? [problem("clock_held")] : []),
    ...((away?.leaderMs ?? 0) > leaderLostMs ? [problem("leader_away")] : []),
    ...(away?.isBus ? [problem("bus_away")] : []),
    ...(lagMs > journalWaitMsMax
      ? [problem(isOk ? "journal_waits" : "journal_stalled", waited)]
      : []),
  ];
}

/** Figures of one front, read at every scrape. */
export interface FrontFigures {
  readonly front_commands_in_flight: number;
  readonly front_commands_waiting: number;
  readonly front_requests_awaiting_database: number;
  readonly front_requests_unanswered: number;
  readonly front_folded_seq: number;
  readonly front_open_orders: number;
  readonly front_accounts_left: number;
  readonly front_stream_connections: number;
  readonly front_stream_connections_behind: number;
  readonly front_fix_connections: number;
  readonly front_streams_live: number;
  readonly front_withdrawals_refused: number;
  readonly insurance_fund_usdc: number;
  readonly liquidations_open: number;
  readonly front_liquidations_seen: number;
}

/** Help text of each figure. */
export const figureHelp: { readonly [Name in keyof FrontFigures]: string } = {
  front_commands_in_flight: "Commands sent to clearing and not yet answered",
  front_commands_waiting:
    "Commands that wait for a stalled journal or an absent leader, counted among those in flight",
  front_requests_awaiting_database: "Requests that wait for an absent database",
  front_requests_unanswered: "Requests received and not yet answered",
  front_folded_seq: "Seq of the last event in this front's read model",
  front_open_orders: "Open orders in this front's read model",
  front_accounts_left: "Accounts that can still be opened",
  front_stream_connections: "Open stream connections",
  front_stream_connections_behind: "Stream connections whose client reads too slowly",
  front_fix_connections: "Open FIX connections",
  front_streams_live: "Streams with a subscriber",
  front_withdrawals_refused:
    "Withdrawals refused since the start because the ledger did not answer or was not read; one asked for again with its idempotency key counts once",
  insurance_fund_usdc:
    "Worth of the insurance fund: its perp wallet, and its positions at the mark",
  liquidations_open: "Accounts that are being liquidated",
  front_liquidations_seen: "Liquidations that this front has seen begin since its start",
};
