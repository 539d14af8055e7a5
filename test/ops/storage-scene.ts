// A venue whose storage fails, with one trader. It records which orders were acknowledged and which were refused,
// and reads what /health and the log report to the operator.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { VenueProcess, type VenueProcessOptions } from "../../bench/venue/venue-process.ts";
import { present } from "../../src/core/assert.ts";
import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import { type Answer, SignedClient } from "../crash/signed-client.ts";

const waitMsMax = 180_000;
const shape = "symbol=CC-USDC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=200.0&price=0.1000";

type StartOptions = Omit<VenueProcessOptions, "dataDir">;

/** An entry of the venue's log: the message and its other fields. */
export interface LogEntry {
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Polls until `holds` returns true; throws with `what` after three minutes. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + waitMsMax;
  while (!(await holds())) {
    assert(Date.now() < untilMs, `not within three minutes: ${what}`);
    await sleep(50);
  }
}

export class StorageScene {
  readonly dataDir: string;
  readonly acknowledged: string[] = [];
  readonly denied: string[] = [];
  #venue: VenueProcess | null = null;
  #client: SignedClient | null = null;
  #orders = 0;

  static async make(): Promise<StorageScene> {
    return new StorageScene(await mkdtemp(join(tmpdir(), "rialto-storage-")));
  }

  private constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  get venue(): VenueProcess {
    return present(this.#venue, "the started venue");
  }

  /** Starts the venue and, the first time, creates the trader. */
  async start(options: StartOptions = {}): Promise<void> {
    await this.startWithout(options);
    if (this.#client === null) await this.addTrader();
  }

  /** Starts the venue without creating a trader. */
  async startWithout(options: StartOptions = {}): Promise<void> {
    // A timeout so short that requests with an unknown outcome are answered soon, and so long that a busy machine commits.
    const settings = { GATEWAY_TIMEOUT_MS: "8000", LOG_LEVEL: "info", ...options.settings };
    this.#venue = await VenueProcess.start({ ...options, dataDir: this.dataDir, settings });
  }

  async addTrader(): Promise<void> {
    const [key] = await createLoadKeys(this.dataDir, 1);
    const endpoint = () => this.venue.endpoint;
    this.#client = new SignedClient(present(key, "the created key"), 0, "10.9.1.1", endpoint);
  }

  /** Sends one order and returns the answer, or null if none came. */
  async place(): Promise<Answer | null> {
    const clientId = `o-${++this.#orders}`;
    const client = present(this.#client, "the trader's client");
    const order = `${shape}&newClientOrderId=${clientId}`;
    await this.#assertRunning();
    const answer = await client.send("POST", "/api/v3/order", order);
    if (answer?.status === 200) this.acknowledged.push(clientId);
    else if (answer?.status === 503) this.denied.push(clientId);
    else assert.equal(answer?.status ?? 408, 408, JSON.stringify(answer));
    return answer;
  }

  /** Sends orders until `count` are acknowledged; on a busy machine the outcome of one may be unknown. */
  async placeAll(count: number): Promise<void> {
    const enough = this.acknowledged.length + count;
    for (let tries = 0; this.acknowledged.length < enough; tries++) {
      const status = (await this.place())?.status;
      assert(status === 200 || (status === 408 && tries < 3 * count), `answered ${status}`);
    }
  }

  /** Asserts that every acknowledged order exists and that no denied order does. */
  async assertNothingLost(): Promise<void> {
    for (const clientId of this.acknowledged) assert(await this.#isThere(clientId), clientId);
    for (const clientId of this.denied) assert(!(await this.#isThere(clientId)), clientId);
  }

  async #assertRunning(): Promise<void> {
    if (this.venue.isRunning) return;
    const message = await readFile(join(this.dataDir, "venue.log"), "utf8");
    assert.fail(`the venue ended by itself: ${message.slice(-4000)}`);
  }

  async #isThere(clientId: string): Promise<boolean> {
    const client = present(this.#client, "the trader's client");
    const query = `symbol=CC-USDC&origClientOrderId=${clientId}`;
    return (await client.read("/api/v3/order", query)).status === 200;
  }

  get(path: string): Promise<Response> {
    const { host, port } = this.venue.endpoint;
    return fetch(`http://${host}:${port}${path}`);
  }

  /** Returns what /health answers: the HTTP status and the status in the body. */
  async health(): Promise<string> {
    const answer = await this.get("/health");
    const { status } = (await answer.json()) as { status: string };
    return `${answer.status} ${status}`;
  }

  /** Returns the entries of the venue's log so far. */
  async log(): Promise<LogEntry[]> {
    const text = await readFile(join(this.dataDir, "venue.log"), "utf8");
    return text
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line) as LogEntry);
  }

  /**
   * Waits until the log has an entry that matches `message` at or after index `from`, and returns the
   * newest.
   */
  async said(message: RegExp, from = 0): Promise<LogEntry> {
    let found: LogEntry | undefined;
    await until(`the log says ${message}`, async () => {
      found = (await this.log()).slice(from).findLast(({ msg }) => message.test(msg));
      return found !== undefined;
    });
    return present(found, "the entry that until() found");
  }

  async close(): Promise<void> {
    this.#client?.close();
    await this.#venue?.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
