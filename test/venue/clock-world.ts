// A venue whose host clock a test sets, with users who trade continuously by true time. Each scheduled action is
// requested and awaited by name, so that the error names the action that did not take place.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import type { Json } from "../support/client/json.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { type SignedRequest, signedFetch } from "../support/client/signed-fetch.ts";
import { HostClock } from "../support/clock/host-clock.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { freePort } from "../support/free-port.ts";
import { DevnetControl } from "../support/ledger/devnet.ts";
import { CliProcess, runCli, type Settings } from "../support/venue/cli-process.ts";
import { endRemains } from "../support/venue/venue-remains.ts";

const fundingMs = 2_000;
const epochMs = 1_000;
/** Longest delay of a scheduled action on a busy machine. */
const patienceMs = 120_000;
const price = "60000.0";
const fundingStarted = 26;

interface Key {
  readonly key: string;
  readonly secret: string;
}

interface Place {
  readonly database: TestDatabase;
  readonly dataDir: string;
  readonly settings: Settings;
  readonly address: string;
}

export class ClockWorld {
  readonly clock = new HostClock();
  readonly #settings: Settings;
  #place: Place | null = null;
  #process: CliProcess | null = null;
  #sql: Sql | null = null;
  #maker: Key | null = null;
  #taker: Key | null = null;
  #user = new NativeClient("");
  #trading: Promise<void> | null = null;
  /** The trade that is under way. */
  #round: Promise<unknown> = Promise.resolve();
  #isTrading = false;
  /** Number of trades so far. */
  trades = 0;
  /** Trades that failed, each as its time and error. */
  refusals: string[] = [];
  /** Whether the venue is restarting; trading pauses meanwhile. */
  isDown = false;

  constructor(settings: Settings = {}) {
    this.#settings = settings;
  }

  /** Starts the venue and the trading. */
  async open(): Promise<void> {
    await this.start();
    this.#maker = await this.#trader();
    this.#taker = await this.#trader();
    for (const [symbol, said] of [
      ["BTC-PERP", "60000"],
      ["ETH-PERP", "3000"],
    ]) {
      await this.call("markets/reference", { symbol, price: said, seconds: 86_400 });
    }
    await this.#enroll();
    await this.trade();
    this.#trade();
  }

  /** Starts or restarts the venue with these additional settings. */
  async start(args: readonly string[] = [], change: Settings = {}): Promise<void> {
    this.#place ??= await this.#newVenueFolder();
    this.#process = new CliProcess(["start", ...args], { ...this.#place.settings, ...change });
    await this.#process.untilPrinted(/^Rialto is open at (http:\S+)$/m);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#process?.signal(signal);
    await this.#process?.ended;
  }

  /** Pauses trading, kills the venue and starts it again. */
  async killAndStart(): Promise<void> {
    this.isDown = true;
    await this.#round;
    await this.end("SIGKILL");
    await this.start();
    this.isDown = false;
  }

  /** The venue's output and log since its last start. */
  get told(): string {
    const { printed = "", complained = "" } = this.#process ?? {};
    return printed + complained;
  }

  get dataDir(): string {
    return this.#opened.dataDir;
  }

  get address(): string {
    return this.#opened.address;
  }

  async close(): Promise<void> {
    this.#isTrading = false;
    await this.#trading;
    await this.#sql?.end({ timeout: 1 });
    await this.end("SIGTERM");
    if (this.#place !== null) {
      await endRemains(this.#place.dataDir);
      await this.#place.database.drop();
      await rm(this.#place.dataDir, { recursive: true, force: true });
    }
    this.clock.remove();
  }

  /** Sends an operator command over the control socket. */
  async call<Shape = Json>(call: string, parameters: object = {}): Promise<Shape> {
    const path = controlSocketPath(this.#opened.dataDir);
    const answer = await callControl(path, call, parameters);
    if (!answer.isOk) throw new Error(answer.error);
    return answer.result as Shape;
  }

  /** Runs a CLI command on the same host as the venue. */
  run(args: readonly string[], change: Settings = {}) {
    return runCli(args, { ...this.#opened.settings, ...change }, this.#opened.dataDir);
  }

  async health(): Promise<{ readonly status: number; readonly json: Json }> {
    const answer = await fetch(`${this.#opened.address}/health`);
    return { status: answer.status, json: await answer.json() };
  }

  /** Returns the value of a metric of /metrics; null if it is missing. */
  async metric(name: string): Promise<number | null> {
    const text = await (await fetch(`${this.#opened.address}/metrics`)).text();
    const line = text.split("\n").find((each) => each.startsWith(`${name} `));
    return line === undefined ? null : Number(line.slice(name.length + 1));
  }

  /** Requests each scheduled action now and waits for it; throws with the name of an action that does not happen. */
  async checkDuties(): Promise<void> {
    await until(
      "the venue reports no problem",
      async () => (await this.health()).json.status === "ok",
    );
    const beforeMs = Date.now();
    await this.trade();
    await Promise.all([
      until("the trade is in its candle", () => this.#isInCandle(beforeMs)),
      this.#checkGoodTill(),
      this.#checkCountdown(),
      until("funding is settled", () => this.#isFunded(beforeMs)),
      until("epochs are sealed", () => this.#isSealed(beforeMs)),
      this.#checkLedger(),
    ]);
    const { status, text } = await this.#user.get("/v1/balances/me");
    assert.equal(status, 200, `The session must still be open: ${text}`);
    await this.checkJournal();
  }

  /** Asserts that no journaled time is ahead of true time. */
  async checkJournal(): Promise<void> {
    const [row] = await this.#tables`select max(ts_us)::text as newest from journal`;
    const nowUs = Date.now() * 1000 + 1_000_000;
    const aheadS = (Number(row?.["newest"]) - nowUs) / 1e6;
    assert(aheadS <= 0, `The journal must not be ahead of true time, but is by ${aheadS} s`);
  }

  /** Makes a trade of a perpetual with requests that are signed at true time. */
  async trade(): Promise<void> {
    const order = { symbol: "BTCUSDT", type: "LIMIT", timeInForce: "GTC", price, quantity: "0.01" };
    await this.#order(this.#maker, { ...order, side: this.trades % 2 === 0 ? "SELL" : "BUY" });
    await this.#order(this.#taker, { ...order, side: this.trades % 2 === 0 ? "BUY" : "SELL" });
    this.trades++;
  }

  get #opened(): Place {
    assert(this.#place !== null, "The world must be open");
    return this.#place;
  }

  get #tables(): Sql {
    this.#sql ??= openPostgres(this.#opened.database.options, "queries");
    return this.#sql;
  }

  async #newVenueFolder(): Promise<Place> {
    const database = await createTestDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), "rialto-clocks-"));
    const port = await freePort();
    const settings = {
      ...this.clock.environment,
      DATABASE_URL: database.url,
      OPENS_WITHOUT_INDEX: "1",
      DATA_DIR: dataDir,
      PORT: String(port),
      DEV_TOOLS: "1",
      DEV_PROVIDER: "0",
      LEDGER_COMMIT_FROM_MS: "0",
      LEDGER_COMMIT_TO_MS: "0",
      LEDGER_ACCEPT_DELAY_MS: "0",
      SETTLEMENT_POLL_MS: "50",
      RECONCILE_INTERVAL_MS: "200",
      FUNDING_INTERVAL_MS: String(fundingMs),
      EPOCH_SECONDS: String(epochMs / 1000),
      ...this.#settings,
    };
    return { database, dataDir, settings, address: `http://127.0.0.1:${port}` };
  }

  #trade(): void {
    this.#isTrading = true;
    const go = async () => {
      while (this.#isTrading) {
        if (!this.isDown) {
          const noted = (error: unknown) =>
            this.refusals.push(`${new Date().toISOString()} ${error}`);
          this.#round = this.trade().catch(noted);
          await this.#round;
        }
        await sleep(100);
      }
    };
    this.#trading = go();
  }

  async #trader(): Promise<Key> {
    const { account } = await this.call("accounts/create", { type: "house" });
    const money = { account, wallet: "perp", asset: "USDC", amount: "1000000" };
    await this.call("accounts/fund", money);
    const made = await this.call("keys/create", { account, tier: "house" });
    return { key: made.api_key, secret: made.secret };
  }

  /** Enrolls a member whose wallet is on the ledger. */
  async #enroll(): Promise<void> {
    this.#user = new NativeClient(this.#opened.address);
    await this.#user.login();
    await until("the wallet may enroll", async () => {
      return (await this.#user.post("/v1/wallet/enroll")).status === 200;
    });
    await until("the wallet is enrolled", async () => {
      return (await this.#user.get("/v1/wallet/enrollment")).json.status === "active";
    });
  }

  #signed(trader: Key | null, request: SignedRequest) {
    assert(trader !== null, "There must be a trader");
    return signedFetch<Json>(this.#opened.address, trader, request);
  }

  async #order(trader: Key | null, parameters: Record<string, string | number>): Promise<Json> {
    const request = { method: "POST", path: "/fapi/v1/order", parameters } as const;
    const { status, json } = await this.#signed(trader, request);
    assert.equal(status, 200, `The order must be accepted: ${JSON.stringify(json)}`);
    return json;
  }

  async #isGone(trader: Key | null, symbol: string, orderId: number): Promise<boolean> {
    const request = {
      method: "GET",
      path: "/fapi/v1/order",
      parameters: { symbol, orderId },
    } as const;
    const { json } = await this.#signed(trader, request);
    return json.status === "EXPIRED" || json.status === "CANCELED";
  }

  async #checkGoodTill(): Promise<void> {
    const rest = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", price: "58000.0" };
    const placed = (lifeMs: number) => {
      const terms = { timeInForce: "GTD", goodTillDate: Date.now() + lifeMs, quantity: "0.01" };
      return this.#order(this.#maker, { ...rest, ...terms });
    };
    const sentMs = performance.now();
    // On a busy machine the request may come when the time is over; then it gets more.
    const { orderId } = await placed(2_000).catch((error: unknown) => {
      if (performance.now() - sentMs < 1_000) throw error;
      return placed(30_000);
    });
    await until("a GTD order ends", () => this.#isGone(this.#maker, "BTCUSDT", orderId));
  }

  async #checkCountdown(): Promise<void> {
    const rest = { symbol: "ETHUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
    const { orderId } = await this.#order(this.#taker, { ...rest, price: "2900.0", quantity: "1" });
    const parameters = { symbol: "ETHUSDT", countdownTime: 1_000 };
    const path = "/fapi/v1/countdownCancelAll";
    const set = await this.#signed(this.#taker, { method: "POST", path, parameters });
    assert.equal(set.status, 200, JSON.stringify(set.json));
    await until("a countdown runs out", () => this.#isGone(this.#taker, "ETHUSDT", orderId));
  }

  async #isInCandle(sinceMs: number): Promise<boolean> {
    const path = "/fapi/v1/klines?symbol=BTCUSDT&interval=1m&limit=2";
    const rows = (await (await fetch(this.#opened.address + path)).json()) as Json;
    const newest = rows.at(-1);
    return newest !== undefined && newest[6] > sinceMs && newest[8] > 0;
  }

  async #isFunded(sinceMs: number): Promise<boolean> {
    const rows = await this.#tables`
      select from journal where kind = ${fundingStarted} and ts_us > ${String(sinceMs * 1000)}
        and ts_us < ${String((Date.now() + 1000) * 1000)}`;
    return rows.length > 0;
  }

  async #isSealed(sinceMs: number): Promise<boolean> {
    const [row] = await this.#tables`select max(end_ms)::text as sealed from epochs`;
    const sealedMs = Number(row?.["sealed"]);
    assert(sealedMs < Date.now() + epochMs, "No epoch may be sealed before it has ended");
    return sealedMs > sinceMs;
  }

  async #control(): Promise<DevnetControl> {
    const file = async (name: string) =>
      JSON.parse(await readFile(join(this.dataDir, "ledger", name), "utf8"));
    return new DevnetControl(
      (await file("place.json")).adminUrl,
      (await file("secrets.json")).admin,
    );
  }

  /** Waits until the venue sees coins that arrive at a wallet on the ledger. */
  async #checkLedger(): Promise<void> {
    const free = async () => {
      const { json } = await this.#user.get("/v1/balances/me");
      const rows: Record<string, string>[] = json.balances;
      const row = rows.find(({ wallet, asset }) => wallet === "spot" && asset === "USDC");
      return Number(row?.["free"] ?? 0);
    };
    const before = await free();
    await (await this.#control()).tap(this.#user.partyId, "USDC", "10");
    await until("the venue sees new coins on the ledger", async () => (await free()) > before);
  }
}

/** Resolves when `holds` is true; throws `what` after a timeout. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const sinceMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - sinceMs > patienceMs)
      throw new Error(`This did not happen in time: ${what}`);
    await sleep(50);
  }
}
