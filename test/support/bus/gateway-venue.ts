// A venue that leads, a NATS server, and gateways, for one test: real threads and real programs on this machine.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../../../src/adapters/telemetry/log.ts";
import { readConfig } from "../../../src/venue/config/config.ts";
import { GatewayProcess } from "../../../src/venue/gateway/gateway-process.ts";
import { signedFetch } from "../client/signed-fetch.ts";
import { type Answer, type Trader, VenueFixture } from "../venue/venue-fixture.ts";
import { NatsServer } from "./nats-server.ts";

type Settings = Readonly<Record<string, string>>;

/** One gateway of the test. */
export class TestGateway {
  readonly #settings: Settings;
  readonly #dataDir: string;
  #process: GatewayProcess;

  static async open(settings: Settings): Promise<TestGateway> {
    const dataDir = await mkdtemp(join(tmpdir(), "rialto-gateway-"));
    const all = { PORT: "0", ...settings, DATA_DIR: dataDir };
    return new TestGateway(all, dataDir, await start(all));
  }

  private constructor(settings: Settings, dataDir: string, process: GatewayProcess) {
    this.#settings = settings;
    this.#dataDir = dataDir;
    this.#process = process;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#process.port}`;
  }

  get committedSeq(): number {
    return this.#process.committedSeq;
  }

  /** Ends the gateway as a crash would, and starts it again. */
  async crashAndRestart(): Promise<void> {
    await this.#process.abort();
    this.#process = await start(this.#settings);
  }

  async signed(
    trader: Trader,
    method: "GET" | "POST" | "DELETE",
    path: string,
    parameters: Readonly<Record<string, string | number>> = {},
  ): Promise<Answer> {
    return signedFetch(this.address, trader, { method, path, parameters });
  }

  async get(path: string): Promise<Answer> {
    const response = await fetch(this.address + path);
    return { status: response.status, json: await response.json() };
  }

  async close(): Promise<void> {
    await this.#process.close();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}

function start(settings: Settings): Promise<GatewayProcess> {
  const config = readConfig(settings);
  return GatewayProcess.open(config, createLog(config.logLevel, "gateway"));
}

export class GatewayVenue {
  readonly nats: NatsServer;
  readonly leader: VenueFixture;
  readonly #settings: Settings;
  readonly #gateways: TestGateway[] = [];

  /** Starts the bus and the leader; `settings` count for the leader and for every gateway. */
  static async open(settings: Settings = {}): Promise<GatewayVenue> {
    const nats = await NatsServer.open();
    const key = { MASTER_KEY: "5a".repeat(32) };
    const all = { ...key, ...settings, NATS_URL: nats.url };
    try {
      return new GatewayVenue(nats, await VenueFixture.open(all), all);
    } catch (error) {
      await nats.kill();
      throw error;
    }
  }

  private constructor(nats: NatsServer, leader: VenueFixture, settings: Settings) {
    this.nats = nats;
    this.leader = leader;
    this.#settings = settings;
  }

  async gateway(settings: Settings = {}): Promise<TestGateway> {
    const quiet = { LOG_LEVEL: "error", LEDGER_PROFILE: "none" };
    const database = { DATABASE_URL: this.leader.database.url };
    const gateway = await TestGateway.open({
      ...quiet,
      ...this.#settings,
      ...database,
      ...settings,
    });
    this.#gateways.push(gateway);
    return gateway;
  }

  async close(): Promise<void> {
    await Promise.all(this.#gateways.map((gateway) => gateway.close()));
    await this.leader.close();
    await this.nats.kill();
  }
}
