// Row T1: how fast the terminal answers its user while the market moves. A browser shows the trading view of a market
// that changes 200 times a second, clicks and types, and reads from the browser's own measurements how long each
// interaction took until the next paint, and whether anything moved.

import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import { openBrowser } from "../../test/support/client/browser.ts";
import { tasksOf, traceCategories } from "../../test/support/client/browser-trace.ts";
import { generateLoad } from "../load/generate-load.ts";
import type { LoadReport } from "../load/load-process.ts";
import { standardMarkets } from "../load/standard-markets.ts";
import type { Bench, BenchRow, Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import type { VenueProcess } from "../venue/venue-process.ts";

const updatesPerSecond = 200;
/** More than the goal needs, because a busy machine sends fewer than planned. Each order changes the market. */
const ordersPerSecond = 240;
const msMax = 100;
const market = standardMarkets[0] ?? fail("a market");
/** A key may place 20 orders a second. */
const keyCount = 32;
const [warmUpMs, durationMs] = [5_000, 30_000];
/** The browser reports no interaction that took less. */
const leastMs = 16;
const seed = 20261129;

function fail(what: string): never {
  throw new Error(`the row needs ${what}`);
}

/** What the page has measured of itself. */
interface Measured {
  /** Time from an input to the next paint, in ms, of each interaction that took at least `leastMs`. */
  readonly interactions: readonly number[];
  /** Number of all interactions. */
  readonly count: number;
  /** Layout shifts that no input caused, and all of them. */
  readonly shift: number;
  readonly shiftOfInput: number;
}

const observe = `
  window.measured = { byId: new Map(), shift: 0, shiftOfInput: 0 };
  window.firstCount = performance.interactionCount;
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) {
      if (interactionId === 0) continue;
      const { byId } = window.measured;
      byId.set(interactionId, Math.max(duration, byId.get(interactionId) ?? 0));
    }
  }).observe({ type: "event", durationThreshold: ${leastMs} });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) {
      window.measured[hadRecentInput ? "shiftOfInput" : "shift"] += value;
    }
  }).observe({ type: "layout-shift" });`;

const read = `({
  interactions: [...window.measured.byId.values()],
  count: performance.interactionCount - window.firstCount,
  shift: window.measured.shift,
  shiftOfInput: window.measured.shiftOfInput,
})`;

async function openTrading(browser: Browser, { host, port }: VenueProcess["endpoint"]) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`http://${host}:${port}/#/trade/${market.symbol}`);
  await page.getByRole("button", { name: "Create a key and log in" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  await page.locator(".chart-state").waitFor({ state: "attached" });
  return page;
}

/** What a trader does in a few seconds; each call is one click or key. */
function gestures(page: Page): ReadonlyArray<() => Promise<void>> {
  const click =
    (name: string, role: "button" | "tab" = "button") =>
    () =>
      page.getByRole(role, { name, exact: true }).first().click();
  const press = (key: string) => () => page.keyboard.press(key);
  const best = page.getByRole("list", { name: "Bids, best price first" }).getByRole("button");
  return [
    click("5m"),
    click("1m"),
    () => best.first().click(),
    press("b"),
    ...["1", "2", "5"].map(press),
    click("Depth", "tab"),
    click("Order book", "tab"),
    click("Positions", "tab"),
    click("Open orders", "tab"),
    click("Sell"),
    click("Buy"),
    press("m"),
    press("c"),
    press("c"),
    press("Escape"),
  ];
}

/** Makes gestures until the time is over; returns how many. */
async function trade(page: Page, untilMs: number): Promise<number> {
  const steps = gestures(page);
  let count = 0;
  while (performance.now() < untilMs) {
    await steps[count % steps.length]?.();
    count++;
    await sleep(120);
  }
  return count;
}

interface Moving {
  readonly venue: VenueProcess;
  readonly rate: number;
}

async function moveMarket({ venue, rate }: Moving): Promise<LoadReport> {
  const keys = await createLoadKeys(venue.dataDir, keyCount);
  const { endpoint } = venue;
  const host = `${endpoint.host}:${endpoint.port}`;
  return generateLoad({
    run: { endpoint, connections: 8, rate, warmUpMs, durationMs, seed },
    spot: {
      keys,
      markets: [market],
      host,
      crossingShare: 0.3,
      cancelShare: 0.3,
      seed,
      timeInForce: "GTC",
    },
  });
}

/** Counts the frames that the page receives. */
function countFrames(page: Page): () => number {
  let count = 0;
  page.on("websocket", (socket) => {
    socket.on("framereceived", () => {
      count++;
    });
  });
  return () => count;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function interaction({ stage, say }: Bench): Promise<Reading> {
  const venue = await stage.startVenue(await stage.folder());
  const browser = await openBrowser();
  try {
    const page = await openTrading(browser, venue.endpoint);
    const frames = countFrames(page);
    // Reload, so that the connections are counted.
    await page.reload();
    await page.getByRole("button", { name: "Log out" }).waitFor();
    say(
      `${ordersPerSecond} orders a second in ${market.symbol}, and a trader who clicks and types`,
    );
    const moving = moveMarket({ venue, rate: ordersPerSecond });
    await page
      .getByRole("list", { name: "Bids, best price first" })
      .getByRole("button")
      .nth(3)
      .waitFor();
    await sleep(warmUpMs);
    await page.evaluate(observe);
    await browser.startTracing(page, { categories: traceCategories });
    const [begun, framesBefore] = [performance.now(), frames()];
    const made = await trade(page, begun + durationMs - warmUpMs);
    const seconds = (performance.now() - begun) / 1000;
    const perSecond = (frames() - framesBefore) / seconds;
    const tasks = tasksOf(await browser.stopTracing()).sort((a, b) => a - b);
    const measured = (await page.evaluate(read)) as Measured;
    const load = await moving;
    return readingOf({ measured, made, perSecond, tasks, load });
  } finally {
    await browser.close();
    await venue.stop();
  }
}

interface Measurement {
  readonly measured: Measured;
  readonly made: number;
  readonly perSecond: number;
  readonly tasks: readonly number[];
  readonly load: LoadReport;
}

function readingOf({ measured, made, perSecond, tasks, load }: Measurement): Reading {
  const { interactions, count, shift, shiftOfInput } = measured;
  const quick = Array.from({ length: Math.max(0, count - interactions.length) }, () => leastMs);
  const sorted = [...quick, ...interactions].sort((a, b) => a - b);
  const p75 = quantile(sorted, 0.75);
  const longest = tasks.at(-1) ?? Number.NaN;
  return {
    measured: `p75 ${shortNumber(p75)} ms, layout shift ${shortNumber(shift)}`,
    baseline: "",
    score: p75,
    passed: p75 <= msMax && shift === 0 && load.perSecond >= updatesPerSecond,
    figures: {
      "p75 ms": p75,
      "p50 ms": quantile(sorted, 0.5),
      "p98 ms": quantile(sorted, 0.98),
      "longest ms": sorted.at(-1) ?? Number.NaN,
      interactions: count,
      gestures: made,
      "layout shift": shift,
      "layout shift after inputs": shiftOfInput,
      "orders/s": load.perSecond,
      "stream frames/s": perSecond,
      "tasks of the main thread": tasks.length,
      "longest task, processor time ms": longest,
      "tasks over 50 ms": tasks.filter((ms) => ms > 50).length,
    },
    notes: [
      `${count} interactions, ${interactions.length} of them took ${leastMs} ms or more; ${shortNumber(perSecond)} stream frames a second at ${shortNumber(load.perSecond)} orders a second`,
      `longest task of the page ${shortNumber(longest)} ms of processor time`,
    ],
  };
}

export const terminalRows: readonly BenchRow[] = [
  {
    id: "T1",
    measure: "terminal: interaction to next paint while a market changes 200 times a second",
    goal: `p75 ≤ ${msMax} ms, no layout shift`,
    run: interaction,
  },
];
