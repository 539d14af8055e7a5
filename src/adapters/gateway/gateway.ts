// The public API of one front: server, checks, routes and read model. It receives committed events and replies in
// journal order, sends commands to clearing through a sink, and accepts requests only after `prepare`. It does not
// depend on rings or threads.

import { EventKind, type VenueEvent } from "../../core/generated/events.ts";
import type { Reply } from "../../core/generated/messages.ts";
import { bodyBytesMax, queryBytesMax } from "../../core/limits.ts";
import { MarketKind } from "../../core/markets.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import type { KeyStore } from "../../ports/access/key-store.ts";
import type { BuildInfo } from "../../ports/build-info.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CommandSink } from "../../ports/command-sink.ts";
import type { HistoryStore } from "../../ports/journal/history-store.ts";
import type { MarketSampleReader } from "../../ports/journal/market-samples.ts";
import type { OrderEventReader } from "../../ports/journal/order-events.ts";
import type { Log } from "../../ports/log.ts";
import { KeyDirectory } from "../../services/access/key-directory.ts";
import { RateLimiter } from "../../services/access/rate-limiter.ts";
import type { SecretBox } from "../../services/access/secret-box.ts";
import { SessionDirectory } from "../../services/access/session-directory.ts";
import type { OrderClaims } from "../../services/bus/order-claims.ts";
import { rangesHold } from "../network/address-ranges.ts";
import { fapiErrors } from "./fapi/error-map.ts";
import { FixListeners, type FixOptions, type FixPorts } from "./fix/fix-listeners.ts";
import { EmptySides } from "./market-data/empty-sides.ts";
import { marketProblems } from "./market-data/market-problems.ts";
import { marketFigures, riskFigures } from "./market-figures.ts";
import { isChallengePath, isVerifyPath } from "./native/access/session-routes.ts";
import { nativeTransportErrors } from "./native/error-map.ts";
import { NativePipeline } from "./native/native-pipeline.ts";
import { isProviderPath } from "./native/swaps/provider-auth.ts";
import { CommandBridge } from "./orders/command-bridge.ts";
import { LeaderCounts } from "./orders/leader-counts.ts";
import type { BuiltFile } from "./page/built-files.ts";
import { servePages, unknownPageOf } from "./page/page-routes.ts";
import { ReadModel } from "./read-model.ts";
import type { BusFigures } from "./requests/bus-metrics.ts";
import {
  type FrontFigures,
  type Health,
  OperatorRoutes,
  type RecentFigures,
} from "./requests/operator-routes.ts";
import { RequestPipeline } from "./requests/request-pipeline.ts";
import type { Route } from "./requests/route.ts";
import type { NativeOptions, RouteContext } from "./requests/route-context.ts";
import {
  type MountedPath,
  type RouteTable,
  routeTable,
  sessionRoutes,
} from "./requests/route-table.ts";
import { StoreWait } from "./requests/store-wait.ts";
import { refuse, transportErrors, unknownPath } from "./requests/surface-error.ts";
import { compatPrefix, isPagePath, nativePrefix } from "./requests/surface-view.ts";
import { takeWantedForm } from "./requests/wanted-form.ts";
import { mountedRoutes, signedNames } from "./routes.ts";
import { ClientAddresses } from "./server/client-address.ts";
import { CrossOrigin } from "./server/cross-origin.ts";
import type { HttpCall } from "./server/http-call.ts";
import type { ServerLibrary } from "./server/server-library.ts";
import { type TransportFault, UwsServer } from "./server/uws-server.ts";
import { spotErrors } from "./spot/error-map.ts";
import { type StreamOptions, type StreamParts, Streams } from "./streams/streams.ts";

export interface GatewayOptions {
  /** Recovered state from which this front continues. The front owns this copy. The copy has no client order ids. */
  readonly state: VenueState;
  readonly name: string;
  /** This front's number among the command sources. */
  readonly source: number;
  /** True if this is the venue's only front, so that no other front can send commands of the same account. */
  readonly isSoleFront: boolean;
  /** Returns whether the venue lacks a current view of the wallets' holdings on the ledger. */
  readonly isLedgerStale: () => boolean;
  /** Returns whether an error from a store means that the store is unreachable. */
  readonly isStoreAway: (fault: unknown) => boolean;
  /** True if the compat view refuses requests that Binance has retired. */
  readonly isStrict: boolean;
  readonly build: BuildInfo;
  readonly sink: CommandSink;
  readonly history: HistoryStore;
  readonly orderEvents: OrderEventReader;
  readonly samples: MarketSampleReader;
  readonly keys: KeyStore;
  readonly secretBox: SecretBox;
  /** Counters of `RateLimiter.allocate`, shared by all fronts. */
  readonly limiterMemory: SharedArrayBuffer;
  /** Where a gateway's commands say what the leader has to count; null if this process counts orders itself. */
  readonly orderClaims: OrderClaims | null;
  /** CIDR ranges whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: readonly string[];
  /** Origins of other sites whose pages may read answers, or `*`. */
  readonly corsOrigins: readonly string[];
  /** Time limit of a request in milliseconds. */
  readonly deadlineMs: number;
  /** Milliseconds between funding settlements. */
  readonly fundingIntervalMs: number;
  readonly streams: StreamOptions;
  /** The FIX listeners; null for a front without any. */
  readonly fix: FixOptions | null;
  readonly native: NativeOptions;
  readonly serverLibrary: ServerLibrary;
  /** Pages of the terminal and the documentation; empty for a front without pages. */
  readonly pages: readonly BuiltFile[];
  readonly clock: Clock;
  /** The time of events: `clock`, except in a venue that can be rewound. */
  readonly marketClock: Clock;
  readonly log: Log;
  health(): Health;
  /** Number of commands that wait behind the sink for an outage to end. */
  waitingCommands(): number;
  /** Figures of a gateway's way to the leader; null in a venue. */
  readonly busFigures: (() => BusFigures) | null;
  /** This front's row of the `AnswerCounts`. */
  readonly answers: Float64Array;
  /** Figures of the last minutes for /metrics?recent; null where none are kept. */
  readonly recent: RecentFigures | null;
  /** Metrics of the whole venue for /metrics, as Prometheus text. */
  venueMetrics(): Promise<string>;
  /** Feeds `fold` and `reply` with everything committed so far; called before each request. */
  catchUp(): void;
}

export interface Gateway {
  /** Loads keys, sessions and market data. Must finish before the first event is folded. */
  prepare(): Promise<void>;
  /** Opens the listener; returns the port. */
  listen(host: string, port: number): Promise<number>;
  /** The ports of the FIX listeners while they are open. */
  readonly fixPorts: FixPorts;
  /** Folds the next committed event; the caller may reuse the object afterwards. */
  fold(event: VenueEvent): void;
  /**
   * Delivers a reply. Every event up to the reply's lastSeq must have been folded before. The caller may reuse the
   * object afterwards.
   */
  reply(reply: Reply): void;
  /** No reply will come to the command with this correlation; its request ends at its deadline. */
  abandon(correlation: number): void;
  /** True while a client waits for a reply or has a stream open. */
  readonly isAwaited: boolean;
  /** Refuses commands from now on (503); resolves when every command sent has been answered. */
  drain(): Promise<void>;
  /** Closes the listener and every connection. */
  close(): void;
}

class FrontGateway implements Gateway {
  readonly #options: GatewayOptions;
  readonly #model: ReadModel;
  readonly #emptySides: EmptySides;
  readonly #ledgerRefusals = { count: 0 };
  readonly #bridge: CommandBridge;
  readonly #keys: KeyDirectory;
  readonly #pipeline: RequestPipeline;
  readonly #sessions: SessionDirectory;
  readonly #native: NativePipeline;
  readonly #routes: RouteTable;
  readonly #sessionRoutes: ReadonlyMap<string, Route>;
  readonly #server: UwsServer;
  readonly #operator: OperatorRoutes;
  readonly #streams: Streams;
  readonly #storeWait: StoreWait;
  readonly #fix: FixListeners | null;
  readonly #unknownPage: Buffer | null;
  fixPorts: FixPorts = { orders: 0, marketData: 0 };

  constructor(options: GatewayOptions) {
    const { state, clock, marketClock, log, sink, source, deadlineMs } = options;
    this.#options = options;
    const limiter = new RateLimiter(options.limiterMemory);
    const { orderClaims: claims, isStrict } = options;
    const counts = claims === null ? null : new LeaderCounts({ claims, limiter, clock });
    this.#bridge = new CommandBridge(sink, { source, deadlineMs, clock, marketClock, counts });
    this.#model = new ReadModel(state, {
      isAwaited: (account) => this.#bridge.hasInFlight(account),
      fundingIntervalMs: options.fundingIntervalMs,
    });
    this.#emptySides = new EmptySides(this.#model);
    const later = (again: () => void, delayMs: number) => void setTimeout(again, delayMs).unref();
    this.#keys = new KeyDirectory(options.keys, options.secretBox, {
      rangesHold,
      onFault: (keyId, cause) => log.error({ keyId, cause }, "failed to load an API key"),
      later,
    });
    this.#sessions = new SessionDirectory(options.native.sessions, {
      onFault: (sessionId, cause) => log.error({ sessionId, cause }, "failed to load a session"),
      later,
    });
    const countsOrders = claims === null;
    const checks = { state, limiter, clock, countsOrders };
    this.#pipeline = new RequestPipeline({ ...checks, keys: this.#keys, signedNames, isStrict });
    const addresses = new ClientAddresses(options.trustedProxies);
    this.#server = new UwsServer({
      library: options.serverLibrary,
      deadlineMs,
      bodyBytesMax,
      queryBytesMax,
      ...{ addresses, answers: options.answers },
      crossOrigin: new CrossOrigin(options.corsOrigins),
      // The Host and signature headers are read for two kinds of path. Requests of providers are signed as a whole, and
      // the signature is checked. The text of a challenge contains the host for which the wallet signs.
      isSigned: (path) =>
        path.startsWith(nativePrefix) && (isProviderPath(path) || isChallengePath(path)),
      readsToken: (path) => path.startsWith(nativePrefix),
      readsDevice: isVerifyPath,
      readsWantedForm: (path) => path.startsWith(compatPrefix),
      isPagePath,
      sharesAddress: !options.isSoleFront,
      // Only durations are measured, so a monotonic clock suffices.
      nowMs: () => performance.now(),
      handle: (call) => this.#handle(call),
      refuse: (call, fault) => this.#refuseTransport(call, fault),
    });
    this.#storeWait = new StoreWait({
      isStoreAway: options.isStoreAway,
      waitMsMax: this.#bridge.waitMsMax,
      nowMs: () => performance.now(),
    });
    const streamParts = this.#streamParts(limiter);
    this.#streams = new Streams(streamParts, options.streams);
    this.#fix = this.#fixListeners(streamParts, addresses);
    this.#unknownPage = unknownPageOf(options.pages);
    this.#server.attach((app) => {
      servePages(app, options.pages, (response, request) =>
        this.#operator.isFor(this.#server.addressOf(response, request)),
      );
    });
    const routes = mountedRoutes(this.#routeContext(limiter));
    const isNative = ({ path }: Route) => path.startsWith(nativePrefix);
    this.#routes = routeTable(routes.filter((route) => !isNative(route)));
    this.#sessionRoutes = sessionRoutes(routes);
    const natives = routes.filter(isNative);
    this.#native = new NativePipeline({ ...checks, sessions: this.#sessions }, natives);
    this.#operator = this.#operatorRoutes(addresses);
  }

  async prepare(): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    await Promise.all([
      this.#keys.loadAll(),
      this.#sessions.loadAll(nowMs),
      this.#model.recall(this.#options.history, nowMs),
    ]);
  }

  async listen(host: string, port: number): Promise<number> {
    this.#streams.open();
    const listened = await this.#server.listen(host, port);
    this.#options.native.authority.listens(host, listened);
    if (this.#fix !== null) this.fixPorts = await this.#fix.listen(host);
    return listened;
  }

  fold(event: VenueEvent): void {
    this.#model.fold(event);
    const { accounts } = this.#options.state;
    if (event.kind === EventKind.marked) this.#emptySides.look(event.tsUs);
    else if (event.kind === EventKind.orderAccepted && accounts.isDesignatedMaker(event.account))
      this.#emptySides.noteMaker(event.market);
    const { publisher, users } = this.#streams;
    if (publisher.isFollowing) publisher.fold(event);
    users.fold(event);
    this.#followRights(event);
  }

  reply(reply: Reply): void {
    this.#bridge.accept(reply);
  }

  abandon(correlation: number): void {
    this.#bridge.abandon(correlation);
  }

  get isAwaited(): boolean {
    return (
      this.#bridge.inFlight > 0 || this.#streams.hasClients || (this.#fix?.connections ?? 0) > 0
    );
  }

  drain(): Promise<void> {
    this.#streams.announceStop();
    this.#fix?.announceStop();
    return this.#bridge.drain();
  }

  close(): void {
    this.#server.stopListening();
    this.#fix?.close();
    this.#streams.close();
    this.#server.close();
  }

  /**
   * Applies an event to the caches of keys and sessions: loads or drops their secrets, ends the streams of revoked
   * keys, checks the streams of changed keys, and closes order connections that have ended.
   */
  #followRights(event: VenueEvent): void {
    switch (event.kind) {
      case EventKind.keyRegistered:
        this.#keys.load(event.keyId);
        break;
      case EventKind.keyChanged:
      case EventKind.keyRestricted:
        // Drop the cached row: it holds the key's allowed addresses, which may have changed.
        this.#keys.forget(event.keyId);
        if (event.kind === EventKind.keyChanged && event.isRevoked) this.#endKey(event.keyId);
        else {
          this.#keys.load(event.keyId);
          this.#streams.checkKey(event.keyId);
          this.#fix?.checkKey(event.keyId);
        }
        break;
      case EventKind.connectionEnded:
        this.#streams.endConnection(event.connectionId);
        break;
      case EventKind.sessionOpened:
        this.#sessions.load(event.sessionId);
        break;
      case EventKind.sessionKeySet:
        this.#endKey(event.replacedKeyId);
        this.#keys.forget(event.replacedKeyId);
        this.#keys.load(event.keyId);
        break;
      case EventKind.sessionClosed:
        this.#endKey(event.keyId);
        this.#keys.forget(event.keyId);
        this.#sessions.forget(event.sessionId);
        break;
      default:
        break;
    }
  }

  /** Ends the connections of a revoked or replaced key. */
  #endKey(keyId: number): void {
    this.#streams.endKey(keyId);
    this.#fix?.endKey(keyId);
  }

  #operatorRoutes(addresses: ClientAddresses): OperatorRoutes {
    const options = this.#options;
    const { state, marketClock } = options;
    return new OperatorRoutes({
      front: options.name,
      health: () => options.health(),
      marketMs: () => marketClock.nowMs(),
      build: options.build,
      figures: () => this.#figures(),
      busFigures: options.busFigures,
      markets: marketFigures(state, () => marketClock.nowUs()),
      marketProblems: () => marketProblems(this.#model, this.#emptySides, marketClock.nowUs()),
      isLedgerStale: options.isLedgerStale,
      recent: options.recent,
      venueMetrics: () => options.venueMetrics(),
      isTrusted: (address) => addresses.hasTrusted && addresses.trusts(address),
    });
  }

  #streamParts(limiter: RateLimiter): StreamParts {
    const { clock, marketClock, log, history, deadlineMs, catchUp, secretBox } = this.#options;
    return {
      model: this.#model,
      clock,
      marketClock,
      log,
      history,
      limiter,
      secretBox,
      deadlineMs,
      pipeline: this.#pipeline,
      bridge: this.#bridge,
      errors: { [MarketKind.spot]: spotErrors, [MarketKind.perpetual]: fapiErrors },
      server: this.#server,
      storeWait: this.#storeWait,
      isStrict: this.#options.isStrict,
      routeOf: (name) => this.#sessionRoutes.get(name),
      catchUp,
    };
  }

  #fixListeners(parts: StreamParts, addresses: ClientAddresses): FixListeners | null {
    const { fix, orderEvents } = this.#options;
    if (fix === null) return null;
    const { users, guards, counter, publisher } = this.#streams;
    const own = { users, guards, counter, publisher, addresses, orderEvents };
    return new FixListeners({ ...parts, ...own }, fix);
  }

  #routeContext(limiter: RateLimiter): RouteContext {
    const { state, history, samples, clock, marketClock, log, native, keys, secretBox } =
      this.#options;
    const { isSoleFront, isLedgerStale, isStoreAway, isStrict, build } = this.#options;
    const { entropy, isSoundPoint } = native;
    return {
      ...native,
      table: state.table,
      model: this.#model,
      openSessions: this.#sessions,
      bridge: this.#bridge,
      history,
      samples,
      clock,
      marketClock,
      log,
      limiter,
      keys,
      minting: { store: keys, box: secretBox, entropy, isSoundPoint },
      listenKeys: this.#streams.listenKeys,
      isSoleFront,
      isLedgerStale,
      ledgerRefusals: this.#ledgerRefusals,
      isStoreAway,
      storeWait: this.#storeWait,
      isStrict,
      build,
      role: () => this.#options.health().role ?? "single",
      tierOf: (call) => this.#pipeline.tierOf(call),
    };
  }

  #handle(call: HttpCall): void {
    // Fold everything that any front has acknowledged so far before this request is answered.
    this.#options.catchUp();
    if (call.path.startsWith(nativePrefix)) {
      call.view = "native";
      this.#native.run(call);
      return;
    }
    const mounted = this.#routes.get(call.path);
    const route = mounted?.methods.get(call.routedMethod);
    if (mounted !== undefined) call.view = mounted.view;
    const methods = mounted?.methods.keys() ?? this.#operator.methodsOf(call.path);
    if (call.method === "OPTIONS" && this.#pipeline.answerOptions(call, [...methods])) return;
    const unanswerable =
      call.wanted === null ? undefined : takeWantedForm(call, call.wanted, route);
    if (unanswerable !== undefined) {
      this.#pipeline.refuseUnrouted(call, unanswerable);
      return;
    }
    if (route !== undefined) this.#pipeline.run(call, route);
    else if (!this.#operator.answer(call)) this.#refuseUnknown(call, mounted);
  }

  /** Refuses a call that no route answers: 405 if other methods do, otherwise 404, to a browser as a page. */
  #refuseUnknown(call: HttpCall, mounted: MountedPath | undefined): void {
    if (mounted !== undefined) call.allows([...mounted.methods.keys()]);
    const status = mounted === undefined ? 404 : 405;
    const page = call.wantsPage && status === 404 ? this.#unknownPage : null;
    // A cache that keeps the answer must not give the page to a program, or the JSON to a browser.
    call.hasTwoForms = status === 404 && isPagePath(call.path);
    if (page !== null) this.#pipeline.answerUnrouted(call, () => call.page(404, page));
    else this.#pipeline.refuseUnrouted(call, unknownPath(call.path, call.method, status));
  }

  #refuseTransport(call: HttpCall, fault: TransportFault): void {
    // Part of the request may be unread, so the connection cannot be reused.
    const closes = fault === "bodyTooLarge" || fault === "deadline";
    if (call.path.startsWith(nativePrefix)) {
      call.view = "native";
      refuse(call, nativeTransportErrors[fault], closes);
    } else {
      this.#pipeline.refuse(call, transportErrors[fault], closes);
    }
  }

  #figures(): FrontFigures {
    return {
      front_commands_in_flight: this.#bridge.inFlight,
      front_commands_waiting: this.#options.waitingCommands(),
      front_requests_awaiting_database: this.#storeWait.waiting,
      front_requests_unanswered: this.#server.unanswered,
      front_folded_seq: this.#options.state.seq,
      front_open_orders: this.#options.state.orders.openCount,
      front_accounts_left: this.#options.state.accounts.room,
      front_fix_connections: this.#fix?.connections ?? 0,
      ...this.#streams.figures,
      front_withdrawals_refused: this.#ledgerRefusals.count,
      ...riskFigures(this.#options.state),
    };
  }
}

/** The public API of one front thread. */
export function createGateway(options: GatewayOptions): Gateway {
  return new FrontGateway(options);
}
