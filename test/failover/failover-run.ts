// A failover campaign: faults strike one after the other while clients trade at the gateways. After each fault the
// clients' own records are compared with the journal, the tables, the streams and the answers of the API.
//
//   load ── random instant ──▶ fault ──▶ everything runs again ──▶ clients pause ──▶ audit ──▶ load …

import { setTimeout as sleep } from "node:timers/promises";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { audit } from "../crash/audit.ts";
import { StreamFacts } from "../crash/stream-audit.ts";
import { freshAnswerFaults, tableFaults } from "../crash/table-audit.ts";
import { emptyReport, type FailoverReport, type Struck } from "./failover-report.ts";
import type { FailoverWorld } from "./failover-world.ts";
import type { Strike } from "./fault-mix.ts";

export interface FailoverOptions<World, Kind extends string> {
  readonly faults: readonly Kind[];
  readonly strikes: Readonly<Record<Kind, Strike<World>>>;
  readonly seed: number;
  readonly say: (words: string) => void;
}

/** Load before each fault, in ms. */
const loadMsMin = 300;
const loadMsMax = 1_000;
const faultsShown = 20;

/** Strikes with all faults; ends early if an audit finds a fault. Closes the world. */
export async function runFailovers<World extends FailoverWorld, Kind extends string>(
  world: World,
  options: FailoverOptions<World, Kind>,
): Promise<FailoverReport> {
  try {
    return await new FailoverRun(world, options).run();
  } catch (error) {
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Error(`${words}\n${await world.complaints()}`, { cause: error });
  } finally {
    await world.close();
  }
}

class FailoverRun<World extends FailoverWorld, Kind extends string> {
  readonly #world: World;
  readonly #options: FailoverOptions<World, Kind>;
  readonly #random: SeededRandom;
  readonly #facts = new StreamFacts();
  readonly #struck: Struck[] = [];
  #refused = 0;

  constructor(world: World, options: FailoverOptions<World, Kind>) {
    this.#world = world;
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
  }

  async run(): Promise<FailoverReport> {
    const { faults: kinds, say } = this.#options;
    let report = emptyReport;
    for (const [index, kind] of kinds.entries()) {
      const known = this.#world.traffic.all.map(({ history }) => history.orders.size);
      const struck = await this.#round(kind);
      this.#struck.push(struck);
      report = await this.#audit(known);
      const others = [...struck.others].map(([status, count]) => `${count} × ${status}`);
      say(
        `fault ${index + 1} of ${kinds.length} (${kind}): ${struck.allMs.toFixed(0)} ms without an acknowledgement, ` +
          `${struck.oneMs.toFixed(0)} ms for one client, reopened: ${struck.reopened.join(", ") || "nothing"}, ` +
          `other answers: ${others.join(", ") || "none"}, and ${struck.notExecuted} traders' orders not executed; ` +
          `${report.counts.acknowledged} orders so far, ${report.faults.length} faults`,
      );
      if (report.faults.length === 0) continue;
      say(await this.#world.complaints());
      break;
    }
    return report;
  }

  /** Trades, strikes, and returns what clients saw of it. */
  async #round(kind: Kind): Promise<Struck> {
    const { traffic } = this.#world;
    const { probe, streams } = traffic;
    traffic.trade();
    await traffic.untilAcknowledged();
    await sleep(loadMsMin + this.#random.below(loadMsMax - loadMsMin));
    streams.forgetCloses();
    probe.begin();
    this.#options.say(`${new Date().toISOString()} ${kind} …`);
    await this.#options.strikes[kind](this.#world, this.#random);
    await this.#world.mend();
    await traffic.untilAcknowledged();
    await streams.untilFresh();
    const { outage } = probe;
    await traffic.rest();
    return { kind, ...outage, notExecuted: this.#notExecuted(), reopened: streams.closes };
  }

  /** Number of orders that traders were told are not executed, since the last call. */
  #notExecuted(): number {
    const told = this.#world.traffic.traders.map(
      ({ history }) =>
        [...history.orders.values()].filter(({ outcome }) => outcome === "notExecuted").length,
    );
    const all = told.reduce((sum, count) => sum + count, 0);
    const fresh = all - this.#refused;
    this.#refused = all;
    return fresh;
  }

  async #audit(known: readonly number[]): Promise<FailoverReport> {
    const { traffic, database, acknowledgements } = this.#world;
    await this.#facts.readOn(database);
    const histories = traffic.all.map(({ history }) => history);
    const { faults, counts } = audit(histories, this.#facts);
    const tables = await tableFaults(database, this.#facts);
    const told = await freshAnswerFaults(traffic.all, known, this.#facts, database);
    // Funding and prices go on while clients rest.
    await this.#facts.readOn(database);
    const passed = await acknowledgements.check(this.#facts.state.seq);
    const streamed = traffic.streams.faults(this.#facts);
    const family = traffic.family.faults(this.#facts.state);
    const all = [...faults, ...family, ...tables, ...told, ...passed.faults, ...streamed];
    const { answers, epochs } = passed;
    const events = this.#facts.state.seq;
    const frames = traffic.streams.frames;
    const struck = [...this.#struck];
    const found = { faults: all.slice(0, faultsShown), counts, answers, epochs, events };
    const { statements } = this.#facts;
    return { ...found, frames, statements, done: traffic.done, struck };
  }
}
