// Rows about swaps: what a quote request to eight providers costs the venue. The rows run the venue's quote requests
// over a real database and real sockets. The providers run in their own process and answer at once, so that their own
// time hardly counts and a round measures the venue's sending and receiving.

import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { HttpLiquidityProviders } from "../../src/adapters/providers/http-liquidity-providers.ts";
import { providersPerQuoteMax } from "../../src/core/provider-limits.ts";
import { ProvidersFixture, quoteRequest, roundOf } from "../../test/providers/providers-fixture.ts";
import type { QuotingCost, QuotingPlan } from "../providers/quoting-process.ts";
import type { Bench, BenchRow, Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";

const script = fileURLToPath(new URL("../providers/quoting-process.js", import.meta.url));
const windowMs = 1_500;
const steadyRounds = 200;
const betweenMs = 100;
/**
 * Number of unmeasured rounds, so that the rows measure a warm venue: after half a minute at ten rounds a second, the
 * compiler has optimised this code.
 */
const warmUpRounds = 300;
const burstRounds = 200;

interface Quoting {
  readonly urls: readonly string[];
  /** Returns the providers' processor time so far, in milliseconds. */
  usedMs(): Promise<number>;
  stop(): void;
}

function startQuoting(plan: QuotingPlan): Promise<Quoting> {
  return new Promise((resolve, reject) => {
    const child = fork(script, { stdio: "inherit" });
    child.once("error", reject);
    child.once("message", ({ ports }: { ports: readonly number[] }) => {
      const urls = ports.map((port) => `http://127.0.0.1:${port}`);
      const usedMs = () =>
        new Promise<number>((used) => {
          child.once("message", (cost: QuotingCost) => used(cost.usedMs));
          child.send("used");
        });
      resolve({ urls, usedMs, stop: () => child.disconnect() });
    });
    child.send(plan);
  });
}

/** Runs `measure` with eight providers that answer at once. */
async function withProviders<T>(
  measure: (providers: HttpLiquidityProviders, quoting: Quoting) => Promise<T>,
): Promise<T> {
  const parties = Array.from(
    { length: providersPerQuoteMax },
    () => `maker::1220${randomBytes(32).toString("hex")}`,
  );
  const quoting = await startQuoting({ parties });
  const fixture = await ProvidersFixture.open();
  try {
    for (const [at, party] of parties.entries()) await fixture.register(party, quoting.urls[at]);
    const providers = await fixture.providers();
    for (let round = 0; round < warmUpRounds; round++) await timed(providers);
    return await measure(providers, quoting);
  } finally {
    await fixture.close();
    quoting.stop();
  }
}

interface Timed {
  readonly elapsedMs: number;
  /** Number of quotes that did not arrive in the window. */
  readonly missing: number;
}

async function timed(providers: HttpLiquidityProviders): Promise<Timed> {
  const startedMs = performance.now();
  const { quotes } = await roundOf(providers, quoteRequest(windowMs));
  const elapsedMs = performance.now() - startedMs;
  return { elapsedMs, missing: providersPerQuoteMax - quotes.length };
}

function missingIn(rounds: readonly Timed[]): number {
  return rounds.reduce((sum, { missing }) => sum + missing, 0);
}

function ascending(rounds: readonly Timed[]): number[] {
  return rounds.map(({ elapsedMs }) => elapsedMs).toSorted((a, b) => a - b);
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function steady(bench: Bench): Promise<Reading> {
  bench.say(`${steadyRounds} rounds, one each ${betweenMs} ms`);
  const { took, venueMs, providersMs } = await withProviders(async (providers, quoting) => {
    const usedMs = await quoting.usedMs();
    const used = process.cpuUsage();
    const rounds: Promise<Timed>[] = [];
    for (let round = 0; round < steadyRounds; round++) {
      rounds.push(timed(providers));
      await sleep(betweenMs);
    }
    const { user, system } = process.cpuUsage(used);
    return {
      took: await Promise.all(rounds),
      venueMs: (user + system) / 1_000 / steadyRounds,
      providersMs: ((await quoting.usedMs()) - usedMs) / steadyRounds,
    };
  });
  const sorted = ascending(took);
  const missing = missingIn(took);
  const [p50, p95, most] = [percentile(sorted, 0.5), percentile(sorted, 0.95), sorted.at(-1) ?? 0];
  return {
    measured: `p50 ${shortNumber(p50)} ms, p95 ${shortNumber(p95)} ms`,
    baseline: "",
    score: p95,
    passed: p95 <= 5 && missing === 0,
    figures: { p50, p95, most, missing, venueMs, providersMs },
    notes: [
      "from the request to the eighth quote, including the time of the providers, which answer at once",
      `processor time per round: venue ${shortNumber(venueMs)} ms, providers ${shortNumber(providersMs)} ms`,
    ],
  };
}

async function burst(bench: Bench): Promise<Reading> {
  bench.say(`${burstRounds} rounds at once`);
  const took = await withProviders((providers) =>
    Promise.all(Array.from({ length: burstRounds }, () => timed(providers))),
  );
  const sorted = ascending(took);
  const missing = missingIn(took);
  const [p50, most] = [percentile(sorted, 0.5), sorted.at(-1) ?? 0];
  const beyondMs = Math.max(0, most - windowMs);
  return {
    measured: `${shortNumber(beyondMs)} ms beyond the window, all quotes after ${shortNumber(most)} ms`,
    baseline: `a window of ${windowMs} ms`,
    score: beyondMs,
    passed: beyondMs <= 150 && missing === 0,
    figures: { p50, most, beyondMs, missing },
    notes: [`${missing} of 1,600 quotes missed their window; the providers share the cores`],
  };
}

export const swapRows: readonly BenchRow[] = [
  {
    id: "S1",
    measure: "quotes of 8 providers, 10 rounds/s",
    goal: "≤ 5 ms p95 added",
    run: steady,
  },
  {
    id: "S2",
    measure: "burst of 200 rounds × 8 providers",
    goal: "≤ 150 ms added to the window",
    run: burst,
  },
];
