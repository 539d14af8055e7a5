// A failover campaign: faults strike one after the other while clients trade at the gateways. After each fault the
// clients' own records are compared with the journal, the tables and the answers of the API.
//
//   load ── random instant ──▶ fault ──▶ everything runs again ──▶ clients pause ──▶ audit ──▶ load …

import { setTimeout as sleep } from "node:timers/promises";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { type AuditCounts, audit } from "../crash/audit.ts";
import { JournalFacts } from "../crash/journal-facts.ts";
import { answerFaults, tableFaults } from "../crash/table-audit.ts";
import { type FaultKind, strike } from "./failover-faults.ts";
import { FailoverWorld } from "./failover-world.ts";

export interface FailoverOptions {
  readonly faults: readonly FaultKind[];
  readonly clients: number;
  readonly seed: number;
  readonly say: (words: string) => void;
}

export interface FailoverReport {
  readonly faults: readonly string[];
  readonly counts: AuditCounts;
  readonly events: number;
  /** Answers that gateways passed on, and epochs that answered. */
  readonly answers: number;
  readonly epochs: number;
  /** The longest time in ms without an acknowledgement to any client, of each fault. */
  readonly outagesMs: Partial<Record<FaultKind, number[]>>;
}

/** Load before each fault, in ms. */
const loadMsMin = 300;
const loadMsMax = 1_000;
const sampleMs = 2;
const faultsShown = 20;

/** Strikes with all faults; ends early if an audit finds a fault. */
export async function runFailovers(options: FailoverOptions): Promise<FailoverReport> {
  const world = await FailoverWorld.open(options);
  try {
    return await new FailoverRun(world, options).run();
  } catch (error) {
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Error(`${words}\n${world.complaints}`, { cause: error });
  } finally {
    await world.close();
  }
}

class FailoverRun {
  readonly #world: FailoverWorld;
  readonly #options: FailoverOptions;
  readonly #random: SeededRandom;
  readonly #facts = new JournalFacts();
  readonly #outagesMs: Partial<Record<FaultKind, number[]>> = {};

  constructor(world: FailoverWorld, options: FailoverOptions) {
    this.#world = world;
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
  }

  async run(): Promise<FailoverReport> {
    const { faults: kinds, say } = this.#options;
    let report = await this.#audit([]);
    for (const [index, kind] of kinds.entries()) {
      const known = this.#world.clients.map(({ history }) => history.orders.size);
      const outageMs = await this.#round(kind);
      this.#outagesMs[kind] = [...(this.#outagesMs[kind] ?? []), outageMs];
      report = await this.#audit(known);
      const { counts, faults } = report;
      say(
        `fault ${index + 1} (${kind}): ${outageMs.toFixed(0)} ms without an acknowledgement, ` +
          `${counts.acknowledged} orders acknowledged so far, ${faults.length} faults`,
      );
      if (faults.length > 0) break;
    }
    return { ...report, outagesMs: this.#outagesMs, events: this.#facts.state.seq };
  }

  /** Trades, strikes, and returns the longest time without an acknowledgement. */
  async #round(kind: FaultKind): Promise<number> {
    const world = this.#world;
    world.trade();
    await world.untilAcknowledged();
    await sleep(loadMsMin + this.#random.below(loadMsMax - loadMsMin));
    let acknowledged = world.acknowledged;
    let sinceMs = performance.now();
    let longestMs = 0;
    const timer = setInterval(() => {
      if (world.acknowledged === acknowledged) return;
      acknowledged = world.acknowledged;
      longestMs = Math.max(longestMs, performance.now() - sinceMs);
      sinceMs = performance.now();
    }, sampleMs);
    try {
      await strike(kind, world, this.#random);
      await world.untilAcknowledged();
    } finally {
      clearInterval(timer);
    }
    await world.rest();
    return longestMs;
  }

  async #audit(known: readonly number[]) {
    const { clients, pair, acknowledgements } = this.#world;
    await this.#facts.readOn(pair.primary);
    const { faults, counts } = audit(
      clients.map(({ history }) => history),
      this.#facts,
    );
    const tables = await tableFaults(pair.primary, this.#facts);
    const told = await Promise.all(
      clients.map(({ client, history }, index) => {
        const fresh = [...history.orders.keys()].slice(known[index]);
        return answerFaults(client, history, fresh, this.#facts);
      }),
    );
    // Funding and prices go on while clients rest.
    await this.#facts.readOn(pair.primary);
    const passed = acknowledgements.check(this.#facts.state.seq);
    const all = [...faults, ...tables, ...told.flat(), ...passed.faults];
    const { answers, epochs } = passed;
    return { faults: all.slice(0, faultsShown), counts, answers, epochs };
  }
}

/** Formats the report as lines of text. */
export function renderReport({ faults, counts, events, ...rest }: FailoverReport): string {
  const outages = Object.entries(rest.outagesMs).map(([kind, all]) => {
    const sorted = [...all].sort((one, other) => one - other);
    const at = (share: number) =>
      (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0);
    const figures = [String(all.length), at(0.5), at(0.99), at(1)].map((cell) => cell.padStart(7));
    return `${kind.padEnd(34)}${figures.join("")}`;
  });
  return [
    `acknowledged and found exactly once: ${counts.acknowledged} orders, ${counts.cancelled} cancels, ` +
      `${counts.fills} fills; ${events} journal entries without a gap`,
    `outcome unknown to the client: ${counts.unknown}, of which ${counts.unknownFound} had happened; ` +
      `promised not executed: ${counts.notExecuted}`,
    `${rest.answers} answers of ${rest.epochs} epochs in order`,
    `${"longest ms without an answer".padEnd(34)}  count    p50    p99    max`,
    ...outages,
    `faults: ${faults.length}`,
    ...faults,
  ].join("\n");
}
