// The venue's part of swaps with providers, on a real database: the client that requests quotes, and providers that
// are registered and approved as a venue and its operator do it.

import { randomBytes } from "node:crypto";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { migrate } from "../../src/adapters/postgres/migrate.ts";
import { PostgresProviderRegistry } from "../../src/adapters/postgres/queries/swaps/provider-registry.ts";
import { PostgresProviderRepository } from "../../src/adapters/postgres/queries/swaps/provider-repository.ts";
import { PostgresSigningKeys } from "../../src/adapters/postgres/queries/swaps/signing-keys.ts";
import {
  HttpLiquidityProviders,
  type HttpLiquidityProvidersParts,
} from "../../src/adapters/providers/http-liquidity-providers.ts";
import { systemEntropy } from "../../src/adapters/runtime/system-entropy.ts";
import type { ProviderQuote, QuoteRequest } from "../../src/ports/swaps/liquidity-providers.ts";
import { ProviderState } from "../../src/ports/swaps/provider-registry.ts";
import { SecretBox } from "../../src/services/access/secret-box.ts";
import { VenueSigner } from "../../src/services/access/venue-signer.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { quietLog } from "../support/quiet-log.ts";
import { ProviderHost } from "./provider-host.ts";
import { newProviderKey } from "./signed-request.ts";

export interface Approved {
  readonly provider: string;
  readonly party: string;
  readonly host: ProviderHost;
}

export class ProvidersFixture {
  readonly sql: Sql;
  readonly registry: PostgresProviderRegistry;
  readonly #database: TestDatabase;
  readonly #hosts: ProviderHost[] = [];
  readonly #box = new SecretBox([{ version: 1, key: randomBytes(32) }], systemEntropy);
  #providers: HttpLiquidityProviders | null = null;

  private constructor(database: TestDatabase, sql: Sql) {
    this.#database = database;
    this.sql = sql;
    this.registry = new PostgresProviderRegistry(sql);
  }

  static async open(): Promise<ProvidersFixture> {
    const database = await createTestDatabase();
    const sql = openPostgres(database.options, "queries");
    await migrate(sql);
    return new ProvidersFixture(database, sql);
  }

  /** Registers and approves a provider: the one at `url`, or by default a new scripted host. */
  async approve(url?: string): Promise<Approved> {
    const host = await ProviderHost.open();
    this.#hosts.push(host);
    for (const { keyId, publicKey } of await this.registry.venueKeys(Date.now()))
      host.keys.set(keyId, publicKey);
    const party = `maker::1220${randomBytes(32).toString("hex")}`;
    return { provider: await this.register(party, url ?? host.url), party, host };
  }

  /** Registers and approves a provider at `url` and returns its id. */
  async register(party: string, url = ""): Promise<string> {
    const { keyId, publicKey } = newProviderKey();
    const record = await this.registry.register({
      ...{ name: "Maker", url, party, pairs: ["CC-USDC"], keyId, publicKey },
      nowMs: Date.now(),
      pendingMax: 100,
    });
    if (typeof record === "string") throw new Error(record);
    await this.decide(record.provider, ProviderState.pending, ProviderState.approved);
    return record.provider;
  }

  async decide(provider: string, from: ProviderState, to: ProviderState): Promise<void> {
    const nowMs = Date.now();
    await this.registry.decide({ provider, from: [from], to, reason: null, nowMs });
  }

  /** Returns a client that has checked the health of every provider once. Stops the previous client. */
  async providers(
    change: Partial<HttpLiquidityProvidersParts> = {},
  ): Promise<HttpLiquidityProviders> {
    await this.#providers?.stop();
    const nowMs = () => Date.now();
    const store = new PostgresSigningKeys(this.sql);
    const providers = new HttpLiquidityProviders({
      store: new PostgresProviderRepository(this.sql),
      signer: new VenueSigner({ store, box: this.#box, entropy: systemEntropy, nowMs }),
      table: testMarkets,
      healthMs: 60_000,
      isPlainAllowed: true,
      mayReach: () => true,
      log: quietLog,
      nowMs,
      ...change,
    });
    this.#providers = providers;
    await providers.ready();
    for (const { keyId, publicKey } of await this.registry.venueKeys(Date.now()))
      for (const host of this.#hosts) host.keys.set(keyId, publicKey);
    return providers;
  }

  async figures(provider: string): Promise<Record<string, unknown>> {
    const record = (await this.registry.list()).find((each) => each.provider === provider);
    return { ...record };
  }

  async close(): Promise<void> {
    await this.#providers?.stop();
    for (const host of this.#hosts) await host.close();
    await this.sql.end();
    await this.#database.drop();
  }
}

/** A request for quotes whose round ends after `windowMs`. */
export function quoteRequest(windowMs: number, change: Partial<QuoteRequest> = {}): QuoteRequest {
  return {
    rfq_id: "0198f1c2-0000-7008-8000-000000000001",
    pair: "CC-USDC",
    side: "BUY",
    qty: "100.0",
    trader_tag: "t-1",
    respond_by_ms: Date.now() + windowMs,
    ...change,
  };
}

/** Runs one round of quotes and returns all quotes. */
export async function roundOf(providers: HttpLiquidityProviders, request: QuoteRequest) {
  const quotes: ProviderQuote[] = [];
  const requested = await providers.requestQuotes(request, (quote) => quotes.push(quote));
  return { asked: requested, quotes };
}
