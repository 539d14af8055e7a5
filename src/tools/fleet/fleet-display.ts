// Displays a running fleet: a table that is redrawn each second on a terminal, otherwise one line per second. It only
// draws the fleet's figures.

import type { LoadSecond } from "../load/load-run.ts";
import type { Fleet } from "./fleet.ts";
import type { MarketFigures } from "./fleet-figures.ts";
import type { FleetWatch } from "./fleet-watch.ts";

export interface DisplayParts {
  readonly fleet: Fleet;
  readonly watch: FleetWatch;
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
}

const names = ["market", "reference", "orders/s", "trades/s", "cancels/s", "maker positions"];
const widths = [10, 12, 9, 9, 10, 14];

export class FleetDisplay {
  readonly #parts: DisplayParts;
  readonly #before = new Map<string, MarketFigures>();
  #beforeAll = { orders: 0, trades: 0 };
  #seconds = 0;
  #linesDrawn = 0;

  constructor(parts: DisplayParts) {
    this.#parts = parts;
  }

  /** Shows the figures of the second that just passed. */
  second({ answers, latency }: LoadSecond): void {
    const { fleet, watch, isTerminal, write } = this.#parts;
    this.#seconds += 1;
    const { orders, trades } = fleet.figures;
    const perSecond = {
      orders: orders - this.#beforeAll.orders,
      trades: trades - this.#beforeAll.trades,
    };
    this.#beforeAll = { orders, trades };
    const { p50Ms, p90Ms, p99Ms } = latency;
    const gained = fleet.gains();
    const head = [
      `${this.#seconds} s`,
      `${perSecond.orders} orders/s`,
      `${perSecond.trades} trades/s`,
      `${answers} answers/s`,
      `ack ms p50 ${p50Ms.toFixed(1)} p90 ${p90Ms.toFixed(1)} p99 ${p99Ms.toFixed(1)}`,
    ].join("  ");
    const foot = [
      `late ${fleet.figures.outcomes.late}`,
      `rejects ${fleet.figures.unmeant}`,
      `PnL makers ${whole(gained.makers)} takers ${whole(gained.takers)} USDC`,
      `budget ${watch.budgetLeft ?? "-"}`,
      watch.state,
    ].join("  ");
    if (!isTerminal) {
      write(`${[head, foot, watch.waitReason].join("  ").trimEnd()}\n`);
      return;
    }
    // Move the cursor up to the start of the last table; each line is cleared before it is written.
    const up = this.#linesDrawn === 0 ? "" : `\x1b[${this.#linesDrawn}A`;
    const lines = [head, foot, watch.waitReason, ...this.#table()];
    this.#linesDrawn = lines.length;
    write(`${up}${lines.map((line) => `\x1b[2K${line}\n`).join("")}`);
  }

  #table(): string[] {
    const { fleet } = this.#parts;
    const rows = fleet.inventories().map(({ symbol, reference, inventory }) => {
      const now = fleet.figures.markets.get(symbol) ?? { orders: 0, trades: 0, cancels: 0 };
      const before = this.#before.get(symbol) ?? { orders: 0, trades: 0, cancels: 0 };
      this.#before.set(symbol, { ...now });
      return [
        ...[symbol, reference.toPrecision(7), String(now.orders - before.orders)],
        ...[String(now.trades - before.trades), String(now.cancels - before.cancels)],
        inventory.toFixed(3),
      ];
    });
    return [names, ...rows].map((cells) =>
      cells
        .map((cell, column) =>
          column === 0 ? cell.padEnd(10) : cell.padStart(widths[column] ?? 0),
        )
        .join(" "),
    );
  }
}

/** Returns the summary that is printed when the fleet ends. */
export function renderFleetSummary(fleet: Fleet, watch: FleetWatch, seconds: number): string {
  const { orders, trades, cancels, outcomes, unmeant, lastRefusal } = fleet.figures;
  const gained = fleet.gains();
  const lines = [
    "",
    `${orders} orders in ${seconds.toFixed(0)} s: ${Math.round(orders / Math.max(seconds, 1))} per second, ` +
      `${trades} filled immediately, ${cancels} cancels`,
    `${outcomes.late} cancels or replaces arrived after a fill; ${unmeant} unexpected rejects`,
    `PnL: makers ${whole(gained.makers)}, takers ${whole(gained.takers)} USDC`,
  ];
  if (watch.waitReason !== "") lines.push(watch.waitReason);
  if (unmeant > 0) {
    const { limited, unavailable, unsure, refused } = outcomes;
    lines.push(
      `rejects: ${limited} rate limited (429), ${unavailable} not executed (503), ` +
        `${unsure} without an answer, ${refused} refused${lastRefusal === "" ? "" : `, last: ${lastRefusal}`}`,
    );
  }
  if (outcomes.limited > 0) {
    lines.push("rate limited: start the venue with TRUSTED_PROXIES=127.0.0.1");
  }
  return `${lines.join("\n")}\n`;
}

function whole(amount: number): string {
  return Math.round(amount).toLocaleString("en-US");
}
