// Two accounts trade over FIX while their venue is killed and their connections are dropped. Each account has a session for
// order entry and a drop copy, which continue their numbers (141=N). At the end each of them must have had every event of
// the account's orders in the journal once, under its number, and each order was accepted at most once, although orders
// without an answer are sent again.
//
//   trade ── random instant ──▶ kill the venue, or drop connections ──▶ back, resends ──▶ send again ──▶ trade …

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { VenueProcess } from "../../bench/venue/venue-process.ts";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { decodeEventBytes } from "../../src/wire/records/event-bytes.ts";
import { freePort } from "../support/free-port.ts";
import { endRemains } from "../support/venue/venue-remains.ts";
import { createdKey, type FixKey, type Pairs } from "./fix-client.ts";
import { RecoveringClient } from "./recovering-client.ts";

export type Strike = "venue" | "orders" | "copies" | "all";

export interface RecoveryReport {
  readonly faults: readonly string[];
  readonly strikes: number;
  /** Events of the accounts' orders in the journal; reports that were sent again; orders that were sent again. */
  readonly events: number;
  readonly resent: number;
  readonly orders: number;
  readonly repeated: number;
}

/** How long nothing must happen after the last request, and how long that is waited for. */
const quietMs = 1_500;
const quietMsMax = 120_000;
const tradeMsMin = 100;
const tradeMsMax = 600;
/** On a busy machine trading goes on until there were so many steps, so that there is enough to recover. */
const tradeStepsMin = 8;
/** The journal's numbers of messages for one event, as the guide tells clients. */
const numbersPerEvent = 4_096;

class Party {
  readonly account: number;
  readonly orders: RecoveringClient;
  readonly copy: RecoveringClient;
  /** Orders by ClOrdID, as they were sent. */
  readonly sent = new Map<string, Pairs>();
  repeated = 0;

  constructor(port: number, key: FixKey) {
    this.account = key.account;
    this.orders = new RecoveringClient(port, key, "ORDERS", { 25035: "1", 9001: "Y" });
    this.copy = new RecoveringClient(port, key, "COPY", { 9406: "Y" });
  }

  get clients(): RecoveringClient[] {
    return [this.orders, this.copy];
  }

  /** Places an order near the others' prices, amends or cancels one. */
  step(random: SeededRandom): void {
    const names = [...this.sent.keys()];
    const some = names[Math.max(0, names.length - 1 - random.below(20))];
    const kind = random.below(10);
    const id = `${this.account}-${this.sent.size}-${random.below(1_000)}`;
    if (kind < 7 || some === undefined) this.place(id, random);
    else if (kind < 9) {
      const fields = [
        [11, `c-${id}`],
        [41, some],
        [55, "CC-USDC"],
      ] as const;
      this.orders.send("F", fields);
    } else {
      const fields = [
        [11, `a-${id}`],
        [41, some],
        [38, "100.0"],
        [55, "CC-USDC"],
      ] as const;
      this.orders.send("XAK", fields);
    }
  }

  place(id: string, random: SeededRandom): void {
    const price = (1_000 + random.below(9)) / 10_000;
    const side = 1 + random.below(2);
    const maker = random.below(8) === 0 ? ([[18, 6]] as const) : ([[59, 1]] as const);
    const terms = [
      [38, `${101 + random.below(200)}.0`],
      [40, 2],
      [44, price.toFixed(4)],
    ] as const;
    const fields = [[11, id], ...terms, [54, side], [55, "CC-USDC"], ...maker] as const;
    this.sent.set(id, fields);
    this.orders.send("D", fields);
  }

  /** Sends the orders again of which nothing was heard. */
  repeat(): void {
    const reported = new Set([...this.orders.reports.values()].map(({ 11: id }) => id));
    const refused = new Set(this.orders.others.map(({ 11: id }) => id));
    for (const [id, fields] of this.sent) {
      if (reported.has(id) || refused.has(id)) continue;
      this.repeated++;
      this.orders.send("D", fields, { 97: "Y" });
    }
  }

  take(): void {
    for (const client of this.clients) client.take();
  }
}

export class RecoveryRun {
  readonly #dataDir: string;
  readonly #port: number;
  readonly #random: SeededRandom;
  #venue: VenueProcess | null = null;
  #parties: Party[] = [];

  static async run(options: {
    readonly strikes: readonly Strike[];
    readonly seed: number;
    readonly say: (text: string) => void;
  }): Promise<RecoveryReport> {
    const dataDir = await mkdtemp(join(tmpdir(), "rialto-fix-"));
    const run = new RecoveryRun(dataDir, await freePort(), options.seed);
    try {
      return await run.#run(options.strikes, options.say);
    } finally {
      await run.#close();
    }
  }

  private constructor(dataDir: string, port: number, seed: number) {
    this.#dataDir = dataDir;
    this.#port = port;
    this.#random = new SeededRandom(seed);
  }

  async #run(strikes: readonly Strike[], say: (text: string) => void): Promise<RecoveryReport> {
    await this.#start();
    this.#parties = [await this.#party(), await this.#party()];
    await this.#connect();
    for (const [at, strike] of strikes.entries()) {
      await this.#trade();
      await this.#strike(strike);
      await this.#connect();
      for (const party of this.#parties) party.repeat();
      const reports = this.#parties.map(({ copy }) => copy.reports.size).join(" and ");
      say(`strike ${at + 1} (${strike}): ${reports} reports so far`);
      const faults = this.#clientFaults();
      if (faults.length > 0) return { ...(await this.#report(at + 1)), faults };
    }
    await this.#trade();
    await this.#untilQuiet();
    return this.#report(strikes.length);
  }

  async #start(): Promise<void> {
    const settings = {
      ...{ FIX_PORT: `${this.#port}`, RATE_LIMIT_WS_CONNS_PER_IP: "200" },
      WARM_UP: "0",
    };
    this.#venue = await VenueProcess.start({ dataDir: this.#dataDir, settings });
  }

  async #party(): Promise<Party> {
    const { account } = await this.#call<{ account: number }>("accounts/create", {
      type: "standard",
    });
    for (const [asset, amount] of [
      ["USDC", "1000000"],
      ["CC", "1000000"],
    ])
      await this.#call("accounts/fund", { account, wallet: "spot", asset, amount });
    const create = (terms: object) => this.#call("keys/create", terms);
    return new Party(this.#port, await createdKey(create, account));
  }

  async #call<T>(name: string, parameters: object): Promise<T> {
    const answer = await callControl(controlSocketPath(this.#dataDir), name, parameters);
    if (!answer.isOk) throw new Error(`${name}: ${answer.error}`);
    return answer.result as T;
  }

  async #connect(): Promise<void> {
    const clients = this.#parties.flatMap((party) => party.clients);
    await Promise.all(clients.filter(({ isClosed }) => isClosed).map((client) => client.connect()));
  }

  async #trade(): Promise<void> {
    const endMs = Date.now() + tradeMsMin + this.#random.below(tradeMsMax - tradeMsMin);
    for (let step = 0; Date.now() < endMs || step < tradeStepsMin; step++) {
      for (const party of this.#parties) {
        party.step(this.#random);
        party.take();
      }
      await sleep(this.#random.below(60));
    }
  }

  async #strike(strike: Strike): Promise<void> {
    if (strike === "venue") {
      await this.#venue?.kill();
      for (const party of this.#parties) for (const client of party.clients) client.drop();
      await this.#start();
      return;
    }
    for (const { orders, copy } of this.#parties) {
      if (strike !== "copies") orders.drop();
      if (strike !== "orders") copy.drop();
    }
    // Meanwhile the others go on.
    await this.#trade();
  }

  /** Waits until the answers to the last requests have come. */
  async #untilQuiet(): Promise<void> {
    let known = 0;
    for (const endMs = Date.now() + quietMsMax; Date.now() < endMs; await sleep(quietMs)) {
      for (const party of this.#parties) for (const client of party.clients) await client.settled();
      const all = await this.#events();
      const events = all.filter((event) =>
        this.#parties.some((one) => isOf(event, one.account)),
      ).length;
      if (events === known) return;
      known = events;
    }
    throw new Error(`orders still change ${quietMsMax} ms after the last request`);
  }

  #clientFaults(): string[] {
    return this.#parties.flatMap(({ clients }) => clients.flatMap(({ faults }) => faults));
  }

  async #report(strikes: number): Promise<RecoveryReport> {
    const events = await this.#events();
    const faults = this.#clientFaults();
    let own = 0;
    for (const party of this.#parties) {
      const seqs = events.filter((event) => isOf(event, party.account)).map(({ seq }) => seq);
      own += seqs.length;
      for (const { reports } of party.clients) faults.push(...reportFaults(reports, seqs));
      faults.push(...orderFaults(party));
    }
    const sum = (of: (party: Party) => number) =>
      this.#parties.reduce((total, party) => total + of(party), 0);
    return {
      faults: faults.slice(0, 20),
      strikes,
      events: own,
      resent: sum(({ orders, copy }) => orders.resent + copy.resent),
      orders: sum(({ sent }) => sent.size),
      repeated: sum(({ repeated }) => repeated),
    };
  }

  async #events(): Promise<VenueEvent[]> {
    if (this.#venue === null) return [];
    const sql = openPostgres(await this.#venue.database(), "queries");
    const rows = await sql<{ body: Buffer }[]>`select body from journal order by seq`;
    await sql.end();
    return rows.map(({ body }) => decodeEventBytes(body, 0, body.length));
  }

  async #close(): Promise<void> {
    for (const party of this.#parties) for (const client of party.clients) client.drop();
    await this.#venue?.kill();
    await endRemains(this.#dataDir);
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}

const {
  orderAccepted,
  specialAccepted,
  traded,
  orderAmended,
  quoteAmended,
  orderReduced,
  orderClosed,
} = EventKind;
const kinds: readonly number[] = [
  ...[orderAccepted, specialAccepted, orderAmended, quoteAmended],
  ...[orderReduced, orderClosed, traded],
];

function isOf(event: VenueEvent, account: number): boolean {
  const isMaker = event.kind === EventKind.traded && event.makerAccount === account;
  return isMaker || (event.account === account && kinds.includes(event.kind));
}

/** How the reports of a session differ from the journal's events, each of which is one report under its number. */
function reportFaults(reports: RecoveringClient["reports"], seqs: readonly number[]): string[] {
  const faults: string[] = [];
  for (const seq of seqs) {
    const report = reports.get(numbersPerEvent * seq);
    if (report === undefined) faults.push(`the report of event ${seq} is missing`);
    else if (report[17] !== String(seq)) faults.push(`event ${seq} has ExecID ${report[17]}`);
  }
  if (reports.size !== seqs.length) faults.push(`${reports.size} reports of ${seqs.length} events`);
  return faults;
}

/** The orders of which an account had more than one acceptance. */
function orderFaults({ copy }: Party): string[] {
  const accepted = [...copy.reports.values()].filter(({ 150: event }) => event === "0");
  const ids = accepted.map(({ 11: id }) => id);
  return ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `order ${id} was placed twice`);
}
