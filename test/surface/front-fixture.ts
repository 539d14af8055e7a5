// A front under test behind a real socket: the gateway with a venue machine on the same thread, instead of rings,
// clearing and journal. Commands are answered on a later turn of the event loop. Tests can delay commands, fill the
// ring, advance the clock, and send bytes that no client would send.

import { createHmac, createPrivateKey, randomBytes, sign as signBytes } from "node:crypto";
import type { FixOptions } from "../../src/adapters/gateway/fix/fix-listeners.ts";
import { createGateway, type Gateway } from "../../src/adapters/gateway/gateway.ts";
import { loadServerLibrary } from "../../src/adapters/gateway/server/server-library.ts";
import { isServerAway } from "../../src/adapters/postgres/retryable.ts";
import { isSoundPoint } from "../../src/adapters/runtime/curve-point.ts";
import { defaultKeyPermissions, KeyType, RateTier } from "../../src/core/accounts.ts";
import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import type { KeyListing, KeyRow, KeyStore } from "../../src/ports/access/key-store.ts";
import type {
  ListenKeyChoice,
  ListenKeyMaker,
  ListenKeyRow,
  ListenKeySeal,
  ListenKeyStore,
  ListenKeyTerms,
} from "../../src/ports/access/listen-key-store.ts";
import type { CommandLane } from "../../src/ports/command-sink.ts";
import type { CustodyRepository, PayeeCheck } from "../../src/ports/ledger/custody.ts";
import type { MemberRecord } from "../../src/ports/ledger/member-reader.ts";
import type { SolvencyReader } from "../../src/ports/ledger/solvency.ts";
import type { SwapRepository } from "../../src/ports/swaps/swap-store.ts";
import { ConnectionCounter } from "../../src/services/access/connection-counter.ts";
import { PublicAuthority } from "../../src/services/access/public-authority.ts";
import { RateLimiter } from "../../src/services/access/rate-limiter.ts";
import { keyOwner, SecretBox } from "../../src/services/access/secret-box.ts";
import { AnswerCounts } from "../../src/wire/answer-counts.ts";
import type { Json } from "../support/client/json.ts";
import { isWholeAnswer, sendRaw } from "../support/client/raw-request.ts";
import { untilRoomIn } from "../support/clock/clock-windows.ts";
import { oneClock } from "../support/clock/one-clock.ts";
import { noCustody, noSolvency, noTraffic } from "../support/front/no-custody.ts";
import { noAnchors, noEpochs, noLiabilities } from "../support/front/no-epochs.ts";
import { noProviders } from "../support/front/no-providers.ts";
import { swapsOver } from "../support/front/no-swaps.ts";
import { boundedMarkets } from "../support/machine/test-markets.ts";
import { TestVenue } from "../support/machine/test-venue.ts";
import { FakeHistory } from "./fake-history.ts";
import { FakeMarketSamples } from "./fake-market-samples.ts";
import { FakeOrderEvents } from "./fake-order-events.ts";
import { FakeSessionStore } from "./fake-session-store.ts";

const { library } = await loadServerLibrary();

/** The front's number among the command sources; the fixture's own commands have source 0. */
const frontSource = 7;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

export const entropy = {
  bytes: (count: number) => randomBytes(count),
  text: (length: number) =>
    Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join(""),
};

export class FakeKeyStore implements KeyStore {
  readonly rows = new Map<number, KeyRow>();
  /** Rows of the key list, by key id. */
  readonly #listings = new Map<number, KeyListing>();
  #next = 1;
  /** If set, reads of single rows wait until it resolves. */
  gate: Promise<void> | null = null;

  async takeKeyId(): Promise<number> {
    return this.#next++;
  }

  async insert(row: KeyRow): Promise<void> {
    this.rows.set(row.keyId, row);
  }

  /** Number of loads that fail from now on; later ones succeed. */
  failures = 0;

  async load(keyId: number): Promise<KeyRow | null> {
    await this.gate;
    if (this.failures-- > 0) throw new Error("the database is away");
    return this.rows.get(keyId) ?? null;
  }

  async loadAll(): Promise<KeyRow[]> {
    return [...this.rows.values()];
  }

  async replaceRanges(keyId: number, _before: readonly string[], after: readonly string[]) {
    const [row, listing] = [this.rows.get(keyId), this.#listings.get(keyId)];
    if (row === undefined || listing === undefined) return false;
    this.rows.set(keyId, { ...row, allowedRanges: after });
    this.#listings.set(keyId, { ...listing, allowedRanges: after });
    return true;
  }

  /** Number of reads of one key's row so far. `onFind` is called at the start of each. */
  finds = 0;
  onFind: () => void = () => undefined;

  async find(keyId: number): Promise<KeyListing | null> {
    this.finds++;
    this.onFind();
    return this.#listings.get(keyId) ?? null;
  }

  async ofAccount(query: { account: number; withRevoked: boolean; limit: number }) {
    const own = [...this.#listings.values()].filter(
      ({ account, sessionId, revokedUs }) =>
        account === query.account &&
        sessionId === null &&
        (query.withRevoked || revokedUs === null),
    );
    return own.reverse().slice(0, query.limit);
  }

  /** Updates the rows by an event, as the journal's projection does. */
  fold(event: VenueEvent): void {
    const endedKey = endedKeyOf(event);
    const ended = this.#listings.get(endedKey);
    if (ended !== undefined) this.#listings.set(endedKey, { ...ended, revokedUs: event.tsUs });
    if (event.kind !== EventKind.keyRegistered && event.kind !== EventKind.sessionKeySet) return;
    const row = this.rows.get(event.keyId);
    if (row === undefined) return;
    const rights = { tier: 0, permissions: 3, revokedUs: null, usedMs: null, usesKnownMs: 0 };
    this.#listings.set(event.keyId, { ...row, ...rights, createdUs: row.createdMs * 1000 });
  }
}

export class FakeListenKeys implements ListenKeyStore {
  readonly rows = new Map<string, ListenKeyRow>();

  readonly #seals = new Map<string, ListenKeySeal>();

  async add(hash: string, row: ListenKeyRow, { seal }: ListenKeyTerms): Promise<void> {
    this.rows.set(hash, row);
    this.#seals.set(hash, seal);
  }

  async newest(whose: ListenKeyMaker, nowMs: number) {
    const own = [...this.rows].filter(
      ([, { account, surface, keyId, expiresMs }]) =>
        account === whose.account &&
        surface === whose.surface &&
        keyId === whose.keyId &&
        expiresMs > nowMs,
    );
    const hash = own.at(-1)?.[0];
    const seal = hash === undefined ? undefined : this.#seals.get(hash);
    return hash === undefined || seal === undefined ? null : { hash, ...seal };
  }

  ofAccount(account: number): ListenKeyRow[] {
    return [...this.rows.values()].filter((row) => row.account === account);
  }

  /** Sets the time at which every listen key of the account expires. */
  expire(account: number, expiresMs: number): void {
    for (const [hash, row] of this.rows) {
      if (row.account === account) this.rows.set(hash, { ...row, expiresMs });
    }
  }

  async find(hash: string, nowMs: number): Promise<ListenKeyRow | null> {
    const row = this.rows.get(hash);
    return row !== undefined && row.expiresMs > nowMs ? row : null;
  }

  async extend(which: ListenKeyChoice, expiresMs: number, nowMs: number): Promise<number> {
    const live = this.#chosen(which).filter(([, row]) => row.expiresMs > nowMs);
    for (const [hash, row] of live) this.rows.set(hash, { ...row, expiresMs });
    return live.length;
  }

  async remove(which: ListenKeyChoice): Promise<void> {
    for (const [hash] of this.#chosen(which)) this.rows.delete(hash);
  }

  async live(hashes: readonly string[], nowMs: number): Promise<string[]> {
    return hashes.filter((hash) => (this.rows.get(hash)?.expiresMs ?? 0) > nowMs);
  }

  #chosen({ account, surface, hash }: ListenKeyChoice): [string, ListenKeyRow][] {
    return [...this.rows].filter(
      ([key, row]) =>
        row.account === account && row.surface === surface && (hash === null || hash === key),
    );
  }
}

/** Returns the id of the key that an event ends; 0 for none. */
function endedKeyOf(event: VenueEvent): number {
  if (event.kind === EventKind.keyChanged) return event.isRevoked ? event.keyId : 0;
  if (event.kind === EventKind.sessionKeySet) return event.replacedKeyId;
  return event.kind === EventKind.sessionClosed ? event.keyId : 0;
}

const well = { isOk: true, lagMs: 0, isClockHeld: false, refusing: null, told: [] } as const;
const alone = { solvency: "unknown", role: null, away: null } as const;

export interface TestKey {
  readonly keyId: number;
  readonly account: number;
  readonly value: string;
  readonly secret: string;
  sign(text: string): string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

export interface Sending {
  readonly key?: TestKey;
  /** Whether to send parameters in the form body instead of the query. */
  readonly isForm?: boolean;
  readonly headers?: Record<string, string>;
  readonly recvWindow?: number;
}

type Parameters = Record<string, string | number | boolean>;

export interface FixtureOptions {
  /** Whether perpetuals allow positions before their first index; a production venue does not. */
  readonly opensWithoutIndex?: boolean;
  readonly deadlineMs?: number;
  readonly trustedProxies?: readonly string[];
  readonly accountsPerNetwork?: number;
  readonly corsOrigins?: readonly string[];
  /** Whether the venue follows the real clock, for clients that read the clock themselves. */
  readonly isLive?: boolean;
  readonly connectionsPerAddressMax?: number;
  readonly pingMs?: number;
  readonly pongTimeoutMs?: number;
  readonly devTools?: boolean;
  readonly solvency?: SolvencyReader;
  readonly custody?: CustodyRepository;
  readonly payees?: PayeeCheck;
  readonly swaps?: SwapRepository;
  readonly isLedgerStale?: () => boolean;
  readonly isStrict?: boolean;
  readonly withdrawalTimeoutMs?: number;
  readonly fix?: FixOptions;
  /** Source of the random keys, secrets, nonces and tokens. */
  readonly entropy?: typeof entropy;
}

export class FrontFixture {
  readonly venue: TestVenue;
  readonly history = new FakeHistory(boundedMarkets);
  readonly orderEvents = new FakeOrderEvents();
  readonly samples = new FakeMarketSamples();
  readonly keys = new FakeKeyStore();
  readonly listenKeys = new FakeListenKeys();
  readonly sessions = new FakeSessionStore();
  readonly members = new Map<number, MemberRecord>();
  readonly box = new SecretBox([{ version: 1, key: randomBytes(32) }], entropy);
  readonly #entropy: typeof entropy;
  readonly state = new VenueState(boundedMarkets, { remembersClientIds: false });
  readonly gateway: Gateway;
  /** The limiter's counters, for tests that would otherwise send requests for minutes to reach a limit. */
  readonly limiterMemory = RateLimiter.allocate(1);
  readonly lanes: CommandLane[] = [];
  catchUps = 0;
  readonly held: Command[] = [];
  /** Whether commands stay in the ring instead of being handled. */
  isHolding = false;
  /** Whether the ring is full and takes no command. */
  isFull = false;
  #port = 0;
  readonly #isLive: boolean;

  private constructor(options: FixtureOptions) {
    const { withdrawalTimeoutMs = 15_000 } = options;
    this.#isLive = options.isLive === true;
    this.#entropy = { ...entropy, ...options.entropy };
    this.venue = new TestVenue({
      opensWithoutIndex: options.opensWithoutIndex ?? true,
      state: new VenueState(boundedMarkets),
      onEvent: (event) => {
        for (const store of [this.history, this.orderEvents, this.keys]) store.fold(event);
        this.gateway.fold(event);
      },
      onReply: (reply) => {
        if (reply.source === frontSource) this.gateway.reply(reply);
      },
    });
    this.gateway = createGateway({
      serverLibrary: library,
      ...{ pages: [], build: { version: "0", commit: null, startedAt: "", isRewind: false } },
      state: this.state,
      name: `front ${frontSource}`,
      source: frontSource,
      isSoleFront: true,
      isLedgerStale: options.isLedgerStale ?? (() => false),
      ...{ isStoreAway: isServerAway, isStrict: options.isStrict ?? false },
      sink: { trySend: (command, lane) => this.#take(command, lane) },
      ...{ history: this.history, orderEvents: this.orderEvents, samples: this.samples },
      ...{ keys: this.keys, secretBox: this.box },
      ...{ orderClaims: null, busFigures: null, recent: null, waitingCommands: () => 0 },
      answers: AnswerCounts.rowOf(AnswerCounts.allocate(1), 0),
      limiterMemory: this.limiterMemory,
      trustedProxies: options.trustedProxies ?? [],
      corsOrigins: options.corsOrigins ?? [],
      deadlineMs: options.deadlineMs ?? 30_000,
      fundingIntervalMs: 28_800_000,
      streams: {
        counterMemory: ConnectionCounter.allocate(1),
        connectionsPerAddressMax: options.connectionsPerAddressMax ?? 16,
        pingMs: options.pingMs ?? 20_000,
        pongTimeoutMs: options.pongTimeoutMs ?? 60_000,
        listenKeys: this.listenKeys,
        listenKeyMs: 3_600_000,
        entropy: this.#entropy,
      },
      fix: options.fix ?? null,
      native: {
        sessions: this.sessions,
        ...{ epochs: noEpochs, anchors: noAnchors, liabilities: noLiabilities },
        members: { memberOf: async (account) => this.members.get(account) ?? null },
        hasLedger: true,
        custody: options.custody ?? noCustody,
        solvency: options.solvency ?? noSolvency,
        providers: noProviders,
        swaps: swapsOver(options.swaps),
        authority: new PublicAuthority(null),
        traffic: noTraffic,
        mirrorStaleMs: 90_000,
        houseFillsPerDay: 20_000,
        payees: options.payees ?? { check: async () => "unavailable" },
        faucet: { host: async () => false, tap: async () => false, pay: async () => false },
        withdrawalTimeoutMs,
        quoteMaxAgeMs: 60_000,
        nonceKey: new Uint8Array(32),
        entropy: this.#entropy,
        challengeMs: 300_000,
        sessionMs: 86_400_000,
        accountsPerNetwork: options.accountsPerNetwork ?? 100_000,
        devTools: options.devTools ?? true,
        isSoundPoint,
      },
      ...oneClock(() => this.nowUs()),
      log: { debug() {}, info() {}, warn() {}, error() {} },
      health: () => ({ ...well, ...alone, seq: this.state.seq, committedSeq: this.state.seq }),
      venueMetrics: async () => "rialto_journal_groups 3\n",
      catchUp: () => void this.catchUps++,
    });
  }

  static async open(options: FixtureOptions = {}): Promise<FrontFixture> {
    const fixture = new FrontFixture(options);
    await fixture.#listen();
    return fixture;
  }

  get base(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  close(): void {
    this.gateway.close();
  }

  /** Returns the venue's time. It advances only by tests and commands, unless the fixture is live. */
  nowUs(): number {
    if (this.#isLive) this.venue.nowUs = Math.max(this.venue.nowUs, Date.now() * 1000);
    return this.venue.nowUs;
  }

  /** Resolves when `neededMs` of the window are left, of the real time and of the venue's, which must be live. */
  async untilRoomIn(windowMs: number, neededMs: number): Promise<void> {
    await untilRoomIn(windowMs, neededMs);
    // The venue's time may still stand before the window.
    this.nowUs();
  }

  storeFails(fault: Error): void {
    this.history.fault = fault;
  }

  storeIsBack(): void {
    this.history.fault = null;
  }

  advance(ms: number): void {
    this.venue.nowUs += ms * 1000;
  }

  /** Creates an HMAC key of the account, registered and loaded. */
  async newKey(
    account: number,
    more: Partial<KeyRow & { tier: RateTier; permissions: number }> = {},
  ) {
    const keyId = await this.keys.takeKeyId();
    const secret = this.#entropy.text(64);
    const value = this.#entropy.text(64);
    await this.keys.insert({
      keyId,
      account,
      key: value,
      keyType: more.keyType ?? KeyType.hmac,
      label: null,
      sealedSecret: this.box.seal(secret, keyOwner({ keyId, account })),
      sealVersion: 1,
      publicKey: more.publicKey ?? null,
      allowedRanges: more.allowedRanges ?? [],
      sessionId: null,
      createdMs: 0,
    });
    this.venue.done({
      kind: CommandKind.registerKey,
      account,
      keyId,
      keyType: more.keyType ?? KeyType.hmac,
      tier: more.tier ?? RateTier.standard,
      permissions: more.permissions ?? defaultKeyPermissions,
    });
    const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
    return { keyId, account, value, secret, sign };
  }

  /** A funded account with a key: `amount` minor units of USDC in each of both wallets. */
  async newTrader(amount = 1_000_000_000_000n): Promise<TestKey> {
    return this.newKey(this.venue.fund(amount));
  }

  /** Sends a request; signs it if a key is given. */
  async send(method: string, path: string, parameters: Parameters = {}, as: Sending = {}) {
    const all: Parameters = { ...parameters };
    if (as.key !== undefined) {
      if (as.recvWindow !== undefined) all["recvWindow"] = as.recvWindow;
      // The real clock goes on while a busy machine delays the request.
      else if (this.#isLive) all["recvWindow"] ??= 60_000;
      all["timestamp"] ??= Math.floor(this.nowUs() / 1000);
    }
    const pairs = Object.entries(all).map(
      ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
    );
    let text = pairs.join("&");
    if (as.key !== undefined) text += `&signature=${encodeURIComponent(as.key.sign(text))}`;
    const headers = { ...(as.key && { "X-MBX-APIKEY": as.key.value }), ...as.headers };
    const query = as.isForm === true || text === "" ? "" : `?${text}`;
    return this.fetch(path + query, {
      method,
      headers,
      ...(as.isForm === true && { body: text }),
    });
  }

  async fetch(target: string, options: RequestInit = {}): Promise<Answer> {
    const answer = await fetch(`${this.base}${target}`, options);
    const text = await answer.text();
    let json: unknown = null;
    try {
      json = JSON.parse(text);
    } catch {
      json = null;
    }
    return { status: answer.status, headers: answer.headers, text, json };
  }

  /** Sends bytes unchanged; returns the answer, or what has come when the connection ends. */
  async raw(bytes: string | Buffer): Promise<string> {
    const sent = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
    return (await sendRaw(this.#port, sent, isWholeAnswer)).text;
  }

  release(): void {
    this.isHolding = false;
    for (const command of this.held.splice(0)) this.venue.machine.take(command);
    this.venue.machine.settle();
  }

  async #listen(): Promise<void> {
    await this.gateway.prepare();
    this.#port = await this.gateway.listen("127.0.0.1", 0);
  }

  #take(command: Command, lane: CommandLane): boolean {
    if (this.isFull) return false;
    this.lanes.push(lane);
    if (this.isHolding) this.held.push(command);
    else setImmediate(() => this.venue.machine.handle(command));
    return true;
  }
}

/** Signs with the Ed25519 key of the published test vectors. */
export function ed25519Sign(pkcs8: string, text: string): string {
  const key = createPrivateKey({ key: Buffer.from(pkcs8, "base64"), format: "der", type: "pkcs8" });
  return signBytes(null, Buffer.from(text), key).toString("base64");
}
