// Shared parts of the order-path rows: one venue with enough keys for the highest rate, the bare servers that the venue
// is compared with, and the measurement of row P7 at 256 connections, which several rows use. Everything is created on
// first use and cleaned up at the end.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { withDatabase } from "../../src/adapters/postgres/connection-options.ts";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import { createLoadKeys, fundLoadAccount, sideBySide } from "../../src/tools/load/load-accounts.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import { type Baseline, startBaseline } from "../baseline/start-baseline.ts";
import { generateLoad } from "../load/generate-load.ts";
import type { LoadPlan, LoadReport } from "../load/load-process.ts";
import { standardMarkets } from "../load/standard-markets.ts";
import { VenueProcess } from "./venue-process.ts";

/** Number of keys. The house tier allows 20 orders a second per key, so this is enough for 40,000 orders a second. */
const keyCount = 2048;
/** An account may send 200 mass quotes in ten seconds: with 96 connections, 768 accounts send up to 15,360 a second. */
const accountsPerConnection = 8;
const seed = 20260101;
/** Share of the orders in every row that is priced to trade at once. */
const crossingShare = 0.3;

export interface LoadShape {
  readonly connections: number;
  readonly durationMs: number;
  readonly warmUpMs: number;
  /** Requests a second of an open loop; without it the load is a closed loop. */
  readonly rate?: number;
  /** How many requests are sent at most; without it, as many as the time allows. */
  readonly requestsMax?: number;
  readonly crossingShare?: number;
  /** Share of requests that cancel an earlier order; 0 by default. */
  readonly cancelShare?: number;
  readonly timeInForce?: "GTC" | "IOC";
  /** Whether connections are order sessions, each logged on with a key of its own; HTTP by default. */
  readonly isOverSessions?: boolean;
  /** The format of answers to spot orders in the compat view; the root view by default. */
  readonly compat?: "json" | "sbe";
}

/**
 * The measurement of row P7 at 256 connections. `echoPerSecond` is the throughput of the echo, the bare server that
 * only checks signatures: the mean of one run before and one run after the measurement.
 */
export interface Headline {
  readonly load: LoadReport;
  readonly echoPerSecond: number;
  readonly metricsBefore: ReadonlyMap<string, number>;
  readonly metricsAfter: ReadonlyMap<string, number>;
}

export class Stage {
  readonly #say: (message: string) => void;
  readonly #folders: string[] = [];
  readonly #stops: (() => void | Promise<void>)[] = [];
  #venue: Promise<VenueProcess> | null = null;
  #keys: Promise<readonly LoadKey[]> | null = null;
  #echo: Promise<Baseline> | null = null;
  #headline: Promise<Headline> | null = null;

  constructor(say: (message: string) => void) {
    this.#say = say;
  }

  get isVenueStarted(): boolean {
    return this.#venue !== null;
  }

  /** Returns the shared venue; starts it on first use. */
  venue(): Promise<VenueProcess> {
    this.#venue ??= this.#startVenue();
    return this.#venue;
  }

  /** Returns the shared venue's keys, whose accounts are funded. */
  keys(): Promise<readonly LoadKey[]> {
    this.#keys ??= this.#createKeys();
    return this.#keys;
  }

  /** Creates a new folder that is removed at the end. */
  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "rialto-bench-"));
    this.#folders.push(folder);
    return folder;
  }

  /** Sends signed spot orders to `endpoint` with `keys`. */
  async orders(
    endpoint: Endpoint,
    keys: readonly LoadKey[],
    shape: LoadShape,
  ): Promise<LoadReport> {
    const { connections, durationMs, warmUpMs, rate, requestsMax } = shape;
    const bound = requestsMax === undefined ? {} : { requestsMax };
    const plan: LoadPlan = {
      run: { endpoint, connections, rate: rate ?? null, warmUpMs, durationMs, seed, ...bound },
      spot: {
        keys,
        markets: standardMarkets,
        host: `${endpoint.host}:${endpoint.port}`,
        crossingShare: shape.crossingShare ?? crossingShare,
        cancelShare: shape.cancelShare ?? 0,
        seed,
        timeInForce: shape.timeInForce ?? "GTC",
        ...(shape.compat !== undefined && { compat: shape.compat }),
      },
      isOverSessions: shape.isOverSessions ?? false,
    };
    return generateLoad(plan);
  }

  /** Sends batches of signed perpetual orders to `endpoint`; funds every key's account for them. */
  async batches(endpoint: Endpoint, shape: LoadShape): Promise<LoadReport> {
    const { connections, durationMs, warmUpMs } = shape;
    const keys = await this.keys();
    const { dataDir } = await this.venue();
    const fund = (turn: number) =>
      fundLoadAccount(dataDir, keys[turn]?.account ?? 0, [["perp", "USDC", "1000000"]]);
    await sideBySide(keys.length, () => undefined, fund);
    const host = `${endpoint.host}:${endpoint.port}`;
    return generateLoad({
      run: { endpoint, connections, rate: null, warmUpMs, durationMs, seed },
      batch: { keys, host, crossingShare, seed },
    });
  }

  /** Sends mass quotes of several accounts for each connection, so that none meets its order limits. */
  async quotes(endpoint: Endpoint, shape: LoadShape): Promise<LoadReport> {
    const { connections, durationMs, warmUpMs } = shape;
    const keys = (await this.keys()).slice(0, accountsPerConnection * connections);
    const host = `${endpoint.host}:${endpoint.port}`;
    return generateLoad({
      run: { endpoint, connections, rate: null, warmUpMs, durationMs, seed },
      quote: { keys, markets: standardMarkets, host, connections },
    });
  }

  /** Runs a load against the echo, the bare server that only checks signatures. All requests use one secret. */
  async echo(shape: LoadShape): Promise<LoadReport> {
    const { endpoint } = await this.echoServer();
    return this.orders(endpoint, await this.echoKeys(), shape);
  }

  /** Returns the echo, the bare server that only checks signatures; starts it on first use. */
  async echoServer(): Promise<Baseline> {
    const [key] = await this.keys();
    this.#echo ??= this.baseline({ echo: { secret: key?.secret ?? "", body: "{}" } });
    return this.#echo;
  }

  /** Returns the venue's keys, all with the secret of the first one, because a bare server checks only one secret. */
  async echoKeys(): Promise<readonly LoadKey[]> {
    const keys = await this.keys();
    return keys.map((key) => ({ ...key, secret: keys[0]?.secret ?? "" }));
  }

  /** Starts a bare server that is stopped when the stage closes. */
  async baseline(plan: Parameters<typeof startBaseline>[0]): Promise<Baseline> {
    const baseline = await startBaseline(plan);
    this.#stops.push(() => baseline.stop());
    return baseline;
  }

  /** Starts a bare server that commits one row per request, in a separate database on the venue's database server. */
  async rowServer(): Promise<Baseline> {
    const connection = await (await this.venue()).database();
    const sql = openPostgres(connection, "queries");
    await sql`create database bench`;
    await sql.end();
    return this.baseline({ rows: withDatabase(connection, "bench") });
  }

  /** Returns the figures of P7, which are measured once. */
  headline(): Promise<Headline> {
    this.#headline ??= this.#measureHeadline();
    return this.#headline;
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.reverse()) await stop();
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
  }

  /** Starts a venue that is stopped when the stage closes. */
  async startVenue(
    dataDir: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<VenueProcess> {
    const venue = await VenueProcess.start({ dataDir, settings });
    this.#stops.push(() => venue.stop());
    return venue;
  }

  async #startVenue(): Promise<VenueProcess> {
    this.#say("starting a venue");
    return this.startVenue(await this.folder());
  }

  async #createKeys(): Promise<readonly LoadKey[]> {
    const { dataDir } = await this.venue();
    this.#say(`creating ${keyCount} accounts with a key each`);
    return createLoadKeys(dataDir, keyCount);
  }

  async #measureHeadline(): Promise<Headline> {
    const [venue, keys] = [await this.venue(), await this.keys()];
    const echoShape = { connections: 256, warmUpMs: 1000, durationMs: 2000 };
    this.#say("order to ack, 256 connections, between two runs of the bare echo");
    const before = await this.echo(echoShape);
    const metricsBefore = await venue.metrics();
    const shape = { connections: 256, warmUpMs: 4000, durationMs: 8000 };
    const load = await this.orders(venue.endpoint, keys, shape);
    const metricsAfter = await venue.metrics();
    const after = await this.echo(echoShape);
    const echoPerSecond = (before.perSecond + after.perSecond) / 2;
    return { load, echoPerSecond, metricsBefore, metricsAfter };
  }
}
