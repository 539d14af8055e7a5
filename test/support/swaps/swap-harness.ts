// Swaps on a real development ledger and a real database, with scripted providers and with clearing on one thread. A
// test can kill the swap service between any two of its calls. The dead service then gets no more answers, and the next
// one starts on the same tables, as after a kill of the process.

import { randomUUID, sign } from "node:crypto";
import { accessTokens } from "../../../src/adapters/ledger/access-token.ts";
import { DevnetAdmin } from "../../../src/adapters/ledger/devnet-admin.ts";
import { LedgerApiClient } from "../../../src/adapters/ledger/ledger-api-client.ts";
import { networkProfiles } from "../../../src/adapters/ledger/network-profile.ts";
import { openSwapLedger } from "../../../src/adapters/ledger/open-network.ts";
import { openPostgres, type Sql } from "../../../src/adapters/postgres/connection.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { PostgresSwaps } from "../../../src/adapters/postgres/queries/swaps/swaps.ts";
import { EventKind } from "../../../src/core/generated/events.ts";
import { isSwapOver, type SwapState, swapStateNames } from "../../../src/core/swaps.ts";
import type { SwapTimes } from "../../../src/engine/swaps/swap-machine.ts";
import type { ClearingClient } from "../../../src/ports/clearing-client.ts";
import type { Instrument } from "../../../src/ports/ledger/ledger.ts";
import type { SwapLedger, SwapTerms } from "../../../src/ports/swaps/swap-ledger.ts";
import type { SwapRow, SwapStep, SwapStore } from "../../../src/ports/swaps/swap-store.ts";
import { fingerprintOf, partyIdOf } from "../../../src/services/access/party-id.ts";
import { Ed25519Signature } from "../../../src/services/access/signed-request.ts";
import { chooseCoins } from "../../../src/services/settlement/batches/coin-choice.ts";
import { retryDelayMs } from "../../../src/services/settlement/retry-delay.ts";
import { runSwaps } from "../../../src/services/swaps/swap-execution.ts";
import type { SwapLoop } from "../../../src/services/swaps/swap-loop.ts";
import {
  type CoinShortage,
  type PrepareRefusal,
  type QtyTooLarge,
  SwapService,
} from "../../../src/services/swaps/swap-service.ts";
import { termsOf } from "../../../src/services/swaps/swap-terms.ts";
import { newWallet, type Wallet } from "../client/native-client.ts";
import { createTestDatabase, type TestDatabase } from "../database/postgres.ts";
import { DevnetFixture } from "../ledger/devnet.ts";
import { LedgerMaker } from "../ledger/ledger-maker.ts";
import { type Coins, usableCoins } from "../ledger/usable-coins.ts";
import { testMarkets } from "../machine/test-markets.ts";
import { TestVenue } from "../machine/test-venue.ts";
import { quietLog } from "../quiet-log.ts";
import { type ProviderScript, ScriptedProviders } from "./scripted-providers.ts";

/** Timeouts long enough for a slow machine, for swaps that must succeed. */
export const patientTimes: SwapTimes = {
  quoteWindowMs: 60_000,
  traderMs: 60_000,
  walletMs: 60_000,
  providerMs: 60_000,
  allocateMs: 90_000,
  settleMs: 60_000,
  marginMs: 300,
  lapseMs: 300,
  graceMs: 60_000,
  unkeptMax: 1_000,
  unkeptMs: 600_000,
};

/** Times for swaps that are released: a test can wait for their end, and a slow machine locks the trader's leg in them. */
export const quickTimes: SwapTimes = {
  ...patientTimes,
  traderMs: 20_000,
  walletMs: 20_000,
  allocateMs: 20_000,
  settleMs: 4_000,
};

const never = new Promise<never>(() => undefined);
const patienceMs = 180_000;

/** When to kill the service: before or after a step of any swap, or after it has stored a quote. */
export interface KillPoint {
  readonly to: SwapState | "keptQuote";
  readonly isAfter: boolean;
}

interface Incarnation {
  isDead: boolean;
}

export class SwapHarness {
  readonly devnet: DevnetFixture;
  readonly sql: Sql;
  readonly store: SwapStore;
  service: SwapService;
  readonly maker: LedgerMaker;
  readonly venue = new TestVenue();
  times: SwapTimes;
  providers: ScriptedProviders;
  /** Returns the free balance of an account; null if the account is not wallet-funded. */
  coinsFree: (account: number, asset: number) => bigint | null = () => null;
  /** Returns the amount held for a swap; null until the acceptance of its quote is in the journal. */
  coinsHeld: (account: number, swapNo: number) => bigint | null = () => 0n;
  /** Milliseconds by which the clock of the traders' calls is ahead. */
  aheadMs = 0;
  /** Called whenever a trader's call waits for the service. */
  onWait: () => void = () => undefined;
  kills = 0;
  kill: KillPoint | null = null;
  readonly #database: TestDatabase;
  readonly #instruments: ReadonlyMap<number, Instrument>;
  #loop: SwapLoop | null = null;
  #incarnation: Incarnation = { isDead: false };
  #accounts = 100;

  static async open(times: SwapTimes): Promise<SwapHarness> {
    const devnet = await DevnetFixture.start();
    const database = await createTestDatabase();
    const sql = openPostgres(database.options, "queries");
    await migrate(sql);
    const maker = await LedgerMaker.open(devnet, "maker");
    return new SwapHarness({ devnet, database, sql, maker, times });
  }

  private constructor(parts: {
    readonly devnet: DevnetFixture;
    readonly database: TestDatabase;
    readonly sql: Sql;
    readonly maker: LedgerMaker;
    readonly times: SwapTimes;
  }) {
    this.devnet = parts.devnet;
    this.#database = parts.database;
    this.sql = parts.sql;
    this.maker = parts.maker;
    this.times = parts.times;
    this.store = new PostgresSwaps(parts.sql);
    const { operator } = parts.devnet.ledger.endpoint;
    const namespace = operator.slice(operator.indexOf("::"));
    const admins = { USDC: "usd-issuer", CC: "coin-issuer" } as const;
    this.#instruments = new Map(
      Object.entries(admins).map(([id, admin]) => [
        testMarkets.findAsset(id)?.id ?? -1,
        { admin: `${admin}${namespace}`, id },
      ]),
    );
    this.providers = new ScriptedProviders({ maker: this.honest() });
    this.service = this.#newService();
  }

  #newService(): SwapService {
    return new SwapService({
      store: this.store,
      table: testMarkets,
      times: this.times,
      now: () => Date.now() + this.aheadMs,
      pause: (ms) => {
        this.onWait();
        return new Promise((resolve) => setTimeout(resolve, ms));
      },
      isSigned: (key, bytes, signature) => new Ed25519Signature(key).verifyBytes(bytes, signature),
      isTrading: () => true,
      isFrozen: () => false,
      coinsFree: (account, asset) => this.coinsFree(account, asset),
      coinsHeld: (account, swapNo) => this.coinsHeld(account, swapNo),
      dearestOf: () => 0,
      ...{ prepareMs: 60_000, fundsMs: 20_000 },
    });
  }

  /** Returns a provider that quotes 0.15 for any request and locks the quoted amount. */
  honest(change: Partial<ProviderScript> = {}): ProviderScript {
    const { party } = this.maker;
    return {
      party,
      quote: async ({ rfq_id, qty }) => ({
        quote_id: `q-${rfq_id}`,
        price: "0.15",
        qty: qty ?? "100",
        valid_until_ms: Date.now() + 25_000,
        provider_party: party,
      }),
      accept: (request) => this.maker.accept(request),
      ...change,
    };
  }

  start(): void {
    const incarnation: Incarnation = { isDead: false };
    this.#incarnation = incarnation;
    const { adminUrl } = this.devnet.ledger.endpoint;
    const control = new DevnetAdmin({ url: adminUrl ?? "" }, this.devnet.secrets.admin);
    const clearing: ClearingClient = { send: async (command) => this.venue.send(command) };
    const store = untilKilled(this.#witness(incarnation), incarnation);
    this.#loop = runSwaps({
      settings: { ...this.times, pollMs: 20 },
      store,
      ledger: untilKilled(this.ledger(), incarnation),
      providers: untilKilled(this.providers, incarnation),
      clearing: untilKilled(clearing, incarnation),
      table: testMarkets,
      instruments: this.#instruments,
      tagKey: new Uint8Array(32),
      hostSigner: (party, key) => (incarnation.isDead ? never : control.hostSigner(party, key)),
      chooseCoins: (coins, units) =>
        chooseCoins(
          coins.map((coin) => ({ ...coin, party: coin.owner, asset: 0 })),
          units,
        ),
      retryDelayMs: (refusals) => retryDelayMs(refusals, Math.random(), true),
      onMemberLocked: () => undefined,
      newId: randomUUID,
      now: Date.now,
      log: quietLog,
    });
  }

  /** Returns the ledger as the venue's user sees it. */
  ledger(): SwapLedger {
    const { url, operator, custody } = this.devnet.ledger.endpoint;
    return openSwapLedger(
      {
        ...({
          profile: "devnet",
          url,
          registries: [],
          userId: "venue",
          operator,
          custody,
        } as const),
        tokens: { kind: "minted", secret: this.devnet.secrets.api } as const,
      },
      Date.now,
    );
  }

  /** Returns the terms that both sides agreed on. */
  termsOf(swap: SwapRow): SwapTerms {
    return termsOf(swap, testMarkets.market(swap.market), this.#instruments);
  }

  /** Returns the coins that a party can use. */
  async usable(party: string): Promise<Coins> {
    const { url } = this.devnet.ledger.endpoint;
    const { requestTimeoutMs, streamIdleMs } = networkProfiles.devnet;
    const tokens = accessTokens(
      { kind: "minted", secret: this.devnet.secrets.api },
      "venue",
      Date.now,
    );
    return usableCoins(
      new LedgerApiClient({ address: { url }, tokens, requestTimeoutMs, streamIdleMs }),
      party,
    );
  }

  /** Waits until the maker can use exactly these amounts. */
  async untilUsable(wanted: Coins): Promise<void> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const { USDC, CC } = await this.maker.usable();
      if (USDC === wanted.USDC && CC === wanted.CC) return;
      if (Date.now() > deadline) throw new Error(`the maker can use ${USDC} USDC and ${CC} CC`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Kills the service and starts the next one at once, which gives later swaps these times. */
  restartWith(times: SwapTimes): void {
    this.times = times;
    this.service = this.#newService();
    this.crash();
  }

  /** Kills the service and starts the next one at once. */
  crash(): void {
    this.#die(this.#incarnation);
    this.start();
  }

  /** Kills the service; `start` starts the next one. */
  pause(): void {
    this.#die(this.#incarnation);
  }

  async close(): Promise<void> {
    await this.#loop?.stop();
    this.#incarnation.isDead = true;
    await this.devnet.close();
    await this.sql.end({ timeout: 1 });
    await this.#database.drop();
  }

  /** Creates a trader with coins and its own key. */
  async trader(coins: Readonly<Record<string, string>>): Promise<SwapTrader> {
    this.#accounts++;
    return SwapTrader.open(this, this.#accounts, coins);
  }

  async untilOver(swap: SwapRow): Promise<SwapRow> {
    return this.until(swap, ({ state }) => isSwapOver(state));
  }

  async until(swap: SwapRow, holds: (current: SwapRow) => boolean): Promise<SwapRow> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const current = await this.store.swap(swap.swapNo);
      if (current !== null && holds(current)) return current;
      if (Date.now() > deadline) {
        const name = current === null ? "gone" : swapStateNames[current.state];
        throw new Error(`swap ${swap.swapNo} is still ${name}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  #die(incarnation: Incarnation): void {
    if (incarnation.isDead) return;
    incarnation.isDead = true;
    this.kills++;
    void this.#loop?.stop();
  }

  /** Returns a store that kills the service at the chosen step. */
  #witness(incarnation: Incarnation): SwapStore {
    const { store } = this;
    const dying = async <T>(at: KillPoint["to"], call: () => Promise<T>): Promise<T> => {
      const { kill } = this;
      if (kill === null || kill.to !== at || incarnation.isDead) return call();
      this.kill = null;
      if (kill.isAfter) await call();
      this.#die(incarnation);
      setImmediate(() => this.start());
      return never;
    };
    const step = (given: SwapStep) => dying(given.to, () => store.step(given));
    const addQuote: SwapStore["addQuote"] = (...given) =>
      dying("keptQuote", () => store.addQuote(...given));
    // Read the journal in memory, because clearing runs on this thread without a database.
    const seqOfMove = async (moveNo: number): Promise<number | null> => {
      const found = this.venue.events.find(
        (event) => event.kind === EventKind.swapMoved && event.moveNo === moveNo,
      );
      return found?.seq ?? null;
    };
    return replaced(store, { step, addQuote, seqOfMove });
  }
}

/** Returns a copy of `whole` in which some methods are replaced. */
export function replaced<T extends object>(whole: T, own: Partial<T>): T {
  return new Proxy(whole, {
    get: (target, name) => {
      const method = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof method === "function" ? method.bind(target) : method;
    },
  });
}

/** Wraps `parts` until the service is killed: from then on no call starts and no pending call returns. */
function untilKilled<T extends object>(parts: T, incarnation: Incarnation): T {
  return new Proxy(parts, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...given: readonly unknown[]) => {
        if (incarnation.isDead) return never;
        const result = Reflect.apply(method, target, given);
        if (!(result instanceof Promise)) return result;
        return result.then(
          (value) => (incarnation.isDead ? never : value),
          (error: unknown) => (incarnation.isDead ? never : Promise.reject(error)),
        );
      };
    },
  });
}

export class SwapTrader {
  readonly account: number;
  readonly party: string;
  readonly #harness: SwapHarness;
  readonly #wallet: Wallet;

  static async open(
    harness: SwapHarness,
    account: number,
    coins: Readonly<Record<string, string>>,
  ): Promise<SwapTrader> {
    const wallet = newWallet();
    const fingerprint = fingerprintOf(wallet.publicKey);
    await harness.sql`
      insert into wallet_users (fingerprint, account, party_hint, public_key, created_us)
      values (${fingerprint}, ${account}, 'trader', ${wallet.publicKey}, 1)`;
    const trader = new SwapTrader(harness, account, partyIdOf("trader", fingerprint), wallet);
    const { adminUrl } = harness.devnet.ledger.endpoint;
    const control = new DevnetAdmin({ url: adminUrl ?? "" }, harness.devnet.secrets.admin);
    await control.hostSigner(trader.party, wallet.publicKey);
    for (const [asset, amount] of Object.entries(coins)) {
      await harness.devnet.admin.tap(trader.party, asset, amount);
    }
    return trader;
  }

  private constructor(harness: SwapHarness, account: number, party: string, wallet: Wallet) {
    this.#harness = harness;
    this.account = account;
    this.party = party;
    this.#wallet = wallet;
  }

  async request(side: "BUY" | "SELL", qty = "100"): Promise<SwapRow> {
    const order = { pair: "CC-USDC", side, qty, quoteQty: null };
    return good(await this.#harness.service.request(this.account, order));
  }

  /** Accepts the best quote as soon as there is one. */
  async accept(swap: SwapRow, isWallet = false): Promise<SwapRow> {
    const { store, service } = this.#harness;
    const quoted = await this.#harness.until(swap, ({ state }) => state >= 2);
    const [quote] = await store.quotes(swap.swapNo);
    return good(await service.accept(quoted, quote?.quoteNo ?? 0, isWallet));
  }

  /** Signs what the venue prepares and submits the signature. */
  async sign(swap: SwapRow): Promise<SwapRow> {
    return this.execute(await this.prepare(swap));
  }

  async prepare(swap: SwapRow): Promise<SwapRow> {
    const current = await this.#harness.until(swap, () => true);
    return good(await this.#harness.service.prepare(current));
  }

  async execute(prepared: SwapRow): Promise<SwapRow> {
    const hash = prepared.prepared?.hash ?? "";
    return good(await this.#harness.service.execute(prepared, hash, this.signatureOf(hash)));
  }

  signatureOf(hash: string): string {
    return sign(null, Buffer.from(hash, "base64"), this.#wallet.key).toString("base64");
  }

  /** Locks the trader's leg in a transaction that the venue did not prepare, as a wallet can. */
  async lockItself(swap: SwapRow): Promise<void> {
    const ledger = this.#harness.ledger();
    const terms = this.#harness.termsOf(swap);
    const own = terms.legs.find(({ sender }) => sender === this.party);
    if (own === undefined) throw new Error("The trader must pay a leg");
    const coins = await ledger.freeCoins(this.party, own.instrument, Date.now());
    const commandId = `wallet:${swap.swapId}`;
    const answer = await ledger.prepareLock({
      ...{ commandId, terms, inputs: coins.map(({ contractId }) => contractId) },
      requestedAtMs: Date.now(),
      commitBeforeMs: swap.dueMs,
    });
    if (answer.kind === "refused") throw new Error(answer.message);
    const { prepared } = answer;
    const outcome = await ledger.execute({
      ...{ commandId, actAs: [this.party], party: this.party, prepared },
      dedupOffset: await ledger.ledgerEnd(),
      submissionId: randomUUID(),
      signature: this.signatureOf(prepared.hash),
    });
    if (outcome.kind !== "committed") throw new Error(JSON.stringify(outcome));
  }

  /** Runs a swap from the request to a signed lock. */
  async swap(side: "BUY" | "SELL", qty = "100"): Promise<SwapRow> {
    return this.sign(await this.accept(await this.request(side, qty)));
  }
}

function good(answer: SwapRow | string | PrepareRefusal | CoinShortage | QtyTooLarge): SwapRow {
  if (typeof answer === "string") throw new Error(answer);
  if ("message" in answer) throw new Error(answer.message);
  if ("qtyMaxOf" in answer) throw new Error(`more than ${answer.qtyMaxOf.symbol} allows`);
  if ("free" in answer) throw new Error(`only ${answer.free} of ${answer.asset.code}`);
  return answer;
}
