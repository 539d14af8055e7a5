// The public door of one front: server, checks, routes and read model put together. It is fed
// committed events and replies in the order the journal gives them, asks clearing through a sink,
// and opens only after `prepare`. It knows no rings and no threads.

import type { VenueEvent } from "../../core/generated/events.ts";
import { EventKind } from "../../core/generated/events.ts";
import type { Reply } from "../../core/generated/messages.ts";
import { bodyBytesMax, queryBytesMax } from "../../core/limits.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import type { KeyStore } from "../../ports/access/key-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CommandSink } from "../../ports/command-sink.ts";
import type { HistoryStore } from "../../ports/journal/history-store.ts";
import type { MarketSampleReader } from "../../ports/journal/market-samples.ts";
import type { Log } from "../../ports/log.ts";
import { KeyDirectory } from "../../services/access/key-directory.ts";
import { RateLimiter } from "../../services/access/rate-limiter.ts";
import type { SecretBox } from "../../services/access/secret-box.ts";
import { SessionDirectory } from "../../services/access/session-directory.ts";
import { rangesHold } from "../network/address-ranges.ts";
import { fapiAccountRoutes } from "./fapi/account/account-routes.ts";
import { fapiHistoryRoutes } from "./fapi/account/history-routes.ts";
import { fapiSettingsRoutes } from "./fapi/account/settings-routes.ts";
import { fapiDataRoutes } from "./fapi/markets/data-routes.ts";
import { fapiKlineRoutes } from "./fapi/markets/kline-routes.ts";
import { fapiMarketRoutes } from "./fapi/markets/market-routes.ts";
import { fapiPriceRoutes } from "./fapi/markets/price-routes.ts";
import { fapiStatisticsRoutes } from "./fapi/markets/statistics-routes.ts";
import { fapiAlgoRoutes } from "./fapi/orders/algo-routes.ts";
import { fapiAmendmentRoutes } from "./fapi/orders/amendment-routes.ts";
import { fapiBatchRoutes } from "./fapi/orders/batch-routes.ts";
import { fapiOrderRoutes } from "./fapi/orders/order-routes.ts";
import type { FrontFigures } from "./front-figures.ts";
import { apiKeyRoutes } from "./native/access/api-key-routes.ts";
import { enrollmentRoutes } from "./native/access/enrollment-routes.ts";
import { keyRestrictionRoutes } from "./native/access/key-restriction-routes.ts";
import { referralRoutes } from "./native/access/referral-routes.ts";
import { isChallengePath, sessionRoutes } from "./native/access/session-routes.ts";
import { nativeTransportErrors } from "./native/error-map.ts";
import { accountRoutes } from "./native/money/account-routes.ts";
import { chainRoutes } from "./native/money/chain-routes.ts";
import { depositRoutes } from "./native/money/deposit-routes.ts";
import { developmentRoutes } from "./native/money/development-routes.ts";
import { solvencyRoutes } from "./native/money/solvency-routes.ts";
import { trafficRoutes } from "./native/money/traffic-routes.ts";
import { transferRoutes } from "./native/money/transfer-routes.ts";
import { withdrawalRoutes } from "./native/money/withdrawal-routes.ts";
import type { NativeContext, NativeOptions } from "./native/native-context.ts";
import { NativePipeline } from "./native/native-pipeline.ts";
import type { NativeRoute } from "./native/native-route.ts";
import { isProviderPath, providerRoutes } from "./native/swaps/provider-routes.ts";
import { swapRoutes } from "./native/swaps/swap-routes.ts";
import { historyRoutes } from "./native/trading/history-routes.ts";
import { marketRoutes } from "./native/trading/market-routes.ts";
import { orderRoutes } from "./native/trading/order-routes.ts";
import { CommandBridge } from "./orders/command-bridge.ts";
import type { BuiltFile } from "./page/built-files.ts";
import { servePages } from "./page/page-routes.ts";
import { perpetualFigures } from "./perpetual-figures.ts";
import { ReadModel } from "./read-model.ts";
import { openApiRoute } from "./requests/openapi.ts";
import { type Health, OperatorRoutes } from "./requests/operator-routes.ts";
import { RequestPipeline } from "./requests/request-pipeline.ts";
import type { Route, RouteContext } from "./requests/route.ts";
import { startUpRoutes } from "./requests/start-up-routes.ts";
import { refuse, transportErrors, unknownPath } from "./requests/surface-error.ts";
import { compatPrefix, nativePrefix, type SurfaceView } from "./requests/surface-view.ts";
import { takeWantedForm } from "./requests/wanted-form.ts";
import { ClientAddresses } from "./server/client-address.ts";
import { CrossOrigin } from "./server/cross-origin.ts";
import type { HttpCall, Method } from "./server/http-call.ts";
import { type TransportFault, UwsServer } from "./server/uws-server.ts";
import { spotAccountRoutes } from "./spot/account-routes.ts";
import { spotAmendmentRoutes } from "./spot/amendment-routes.ts";
import { sapiCustodyRoutes } from "./spot/custody-routes.ts";
import { spotHistoryRoutes } from "./spot/history-routes.ts";
import { spotMarketRoutes } from "./spot/market-routes.ts";
import { spotOrderRoutes } from "./spot/order-routes.ts";
import { spotPreventedRoutes } from "./spot/prevented-routes.ts";
import { sapiRoutes } from "./spot/sapi-routes.ts";
import { spotTickerRoutes } from "./spot/ticker-routes.ts";
import { spotTradeRoutes } from "./spot/trade-routes.ts";
import { sapiTransferRoutes } from "./spot/transfer-routes.ts";
import { type StreamOptions, type StreamParts, Streams } from "./streams/streams.ts";

export interface GatewayOptions {
  /** Recovered state this front goes on from; its own copy, without client ids. */
  readonly state: VenueState;
  readonly name: string;
  /** This front's number among the command sources. */
  readonly source: number;
  /** True where no other front can hold commands of an account. */
  readonly isSoleFront: boolean;
  /** Whether what wallets hold on the ledger is not known any more. */
  readonly isLedgerStale: () => boolean;
  /** Whether a fault of a store says that nothing answers there now. */
  readonly isStoreAway: (fault: unknown) => boolean;
  /** Whether the compat view refuses what Binance has retired. */
  readonly isStrict: boolean;
  readonly sink: CommandSink;
  readonly history: HistoryStore;
  readonly samples: MarketSampleReader;
  readonly keys: KeyStore;
  readonly secretBox: SecretBox;
  /** Counters of `RateLimiter.allocate`, shared by all fronts. */
  readonly limiterMemory: SharedArrayBuffer;
  /** CIDR ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Origins of other sites whose pages may read answers, or `*`. */
  readonly corsOrigins: readonly string[];
  /** How long a request may take (specification: gateway timeout). */
  readonly deadlineMs: number;
  /** Milliseconds between funding settlements. */
  readonly fundingIntervalMs: number;
  readonly streams: StreamOptions;
  readonly native: NativeOptions;
  /** Terminal and documentation; none for a door without pages. */
  readonly pages: readonly BuiltFile[];
  readonly clock: Clock;
  readonly log: Log;
  health(): Health;
  /** Metrics of the whole venue for /metrics, as Prometheus text. */
  venueMetrics(): Promise<string>;
  /** Feeds `fold` and `reply` with everything committed so far; called before each request. */
  catchUp(): void;
}

export interface Gateway {
  /** Loads keys and market data at the state's seq. Must end before the first event is folded. */
  prepare(): Promise<void>;
  /** Opens the door; answers the port. */
  listen(host: string, port: number): Promise<number>;
  /** Folds the next committed event; the object may be reused afterwards. */
  fold(event: VenueEvent): void;
  /** Hands over a reply; every event up to its lastSeq has been folded. The object may be reused. */
  reply(reply: Reply): void;
  /** Refuses commands from now on (503) and resolves when every command sent has been answered. */
  drain(): Promise<void>;
  /** Closes the door and every connection. */
  close(): void;
}

interface MountedPath {
  readonly view: SurfaceView;
  readonly methods: Map<Method, Route>;
}

/** Every path of both views as it is asked for, then by method. */
type RouteTable = ReadonlyMap<string, MountedPath>;

const prefixes = { root: "", compat: compatPrefix } as const;

function routeTable(routes: readonly Route[]): RouteTable {
  const table = new Map<string, MountedPath>();
  for (const view of ["root", "compat"] as const) {
    for (const route of routes) {
      if (route.onlyIn !== undefined && route.onlyIn !== view) continue;
      const path = prefixes[view] + route.path;
      const mounted = table.get(path) ?? { view, methods: new Map<Method, Route>() };
      mounted.methods.set(route.method, route);
      table.set(path, mounted);
    }
  }
  return table;
}

class FrontGateway implements Gateway {
  readonly #options: GatewayOptions;
  readonly #model: ReadModel;
  readonly #bridge: CommandBridge;
  readonly #keys: KeyDirectory;
  readonly #pipeline: RequestPipeline;
  readonly #sessions: SessionDirectory;
  readonly #native: NativePipeline;
  readonly #routes: RouteTable;
  readonly #server: UwsServer;
  readonly #operator: OperatorRoutes;
  readonly #streams: Streams;

  constructor(options: GatewayOptions) {
    const { state, clock, log, sink, source, deadlineMs } = options;
    this.#options = options;
    this.#bridge = new CommandBridge(sink, { source, deadlineMs, clock });
    this.#model = new ReadModel(state, {
      isAwaited: (account) => this.#bridge.hasInFlight(account),
      fundingIntervalMs: options.fundingIntervalMs,
    });
    const later = (again: () => void, delayMs: number) => void setTimeout(again, delayMs).unref();
    this.#keys = new KeyDirectory(options.keys, options.secretBox, {
      rangesHold,
      onFault: (keyId, cause) => log.error({ keyId, cause }, "an API key could not be loaded"),
      later,
    });
    this.#sessions = new SessionDirectory(options.native.sessions, {
      onFault: (sessionId, cause) => log.error({ sessionId, cause }, "a session was not loaded"),
      later,
    });
    const limiter = new RateLimiter(options.limiterMemory);
    this.#pipeline = new RequestPipeline({ state, keys: this.#keys, limiter, clock });
    const addresses = new ClientAddresses(options.trustedProxies);
    this.#server = new UwsServer({
      deadlineMs,
      bodyBytesMax,
      queryBytesMax,
      addresses,
      crossOrigin: new CrossOrigin(options.corsOrigins),
      // A login is signed for the host that was asked.
      isSigned: (path) =>
        path.startsWith(nativePrefix) && (isProviderPath(path) || isChallengePath(path)),
      asksForForm: (path) => path.startsWith(compatPrefix),
      sharesAddress: !options.isSoleFront,
      // How long a call takes is no question of what time it is.
      nowMs: () => performance.now(),
      handle: (call) => this.#handle(call),
      refuse: (call, fault) => this.#refuseTransport(call, fault),
    });
    this.#streams = new Streams(this.#streamParts(limiter), options.streams);
    this.#server.attach((app) => {
      servePages(app, options.pages, (response, request) =>
        this.#operator.isFor(this.#server.addressOf(response, request)),
      );
    });
    const context = this.#routeContext();
    const natives = this.#nativeRoutes(context, limiter);
    this.#routes = routeTable(this.#allRoutes(context, natives));
    this.#native = new NativePipeline({ state, sessions: this.#sessions, limiter, clock }, natives);
    this.#operator = new OperatorRoutes({
      front: options.name,
      health: () => options.health(),
      figures: () => this.#figures(),
      perpetuals: perpetualFigures(state, () => clock.nowUs()),
      venueMetrics: () => options.venueMetrics(),
      answersByStatus: () => this.#server.answersByStatus,
      isTrusted: (address) => addresses.hasTrusted && addresses.trusts(address),
    });
  }

  async prepare(): Promise<void> {
    await this.#keys.loadAll();
    await this.#sessions.loadAll(this.#options.clock.nowMs());
    await this.#model.recall(this.#options.history, this.#options.clock.nowMs());
  }

  async listen(host: string, port: number): Promise<number> {
    this.#streams.open();
    const listened = await this.#server.listen(host, port);
    this.#options.native.authority.listens(host, listened);
    return listened;
  }

  fold(event: VenueEvent): void {
    this.#model.fold(event);
    const { publisher, users } = this.#streams;
    if (publisher.isFollowing) publisher.fold(event);
    users.fold(event);
    this.#followRights(event);
  }

  reply(reply: Reply): void {
    this.#bridge.accept(reply);
  }

  drain(): Promise<void> {
    this.#streams.announceStop();
    return this.#bridge.drain();
  }

  close(): void {
    this.#server.stopListening();
    this.#streams.close();
    this.#server.close();
  }

  /** Loads and drops what the event's keys and sessions need here, and ends the streams of keys that ended. */
  #followRights(event: VenueEvent): void {
    switch (event.kind) {
      case EventKind.keyRegistered:
        this.#keys.load(event.keyId);
        break;
      case EventKind.keyChanged:
        // The key's addresses, which are in its row, may be others now.
        this.#keys.forget(event.keyId);
        if (event.isRevoked) this.#streams.endKey(event.keyId);
        else {
          this.#keys.load(event.keyId);
          this.#streams.checkKey(event.keyId);
        }
        break;
      case EventKind.sessionOpened:
        this.#sessions.load(event.sessionId);
        break;
      case EventKind.sessionKeySet:
        this.#streams.endKey(event.replacedKeyId);
        this.#keys.forget(event.replacedKeyId);
        this.#keys.load(event.keyId);
        break;
      case EventKind.sessionClosed:
        this.#streams.endKey(event.keyId);
        this.#keys.forget(event.keyId);
        this.#sessions.forget(event.sessionId);
        break;
      default:
        break;
    }
  }

  #streamParts(limiter: RateLimiter): StreamParts {
    const { clock, log, history, deadlineMs, catchUp, secretBox } = this.#options;
    return {
      model: this.#model,
      clock,
      log,
      history,
      limiter,
      secretBox,
      deadlineMs,
      pipeline: this.#pipeline,
      server: this.#server,
      routeOf: (method, path) => this.#routes.get(compatPrefix + path)?.methods.get(method),
      catchUp,
    };
  }

  #routeContext(): RouteContext {
    const { state, history, samples, clock, log } = this.#options;
    const { isSoleFront, isLedgerStale, isStoreAway, isStrict } = this.#options;
    return {
      table: state.table,
      model: this.#model,
      bridge: this.#bridge,
      history,
      samples,
      clock,
      log,
      isSoleFront,
      isLedgerStale,
      isStoreAway,
      isStrict,
      tierOf: (call) => this.#pipeline.tierOf(call),
    };
  }

  #nativeRoutes(shared: RouteContext, limiter: RateLimiter): NativeRoute[] {
    const { native, keys, secretBox } = this.#options;
    const { entropy, isSoundPoint } = native;
    const minting = { store: keys, box: secretBox, entropy, isSoundPoint };
    const context: NativeContext = { ...shared, ...native, keys, minting, limiter };
    return [
      ...sessionRoutes(context),
      ...enrollmentRoutes(context),
      ...apiKeyRoutes(context),
      ...keyRestrictionRoutes(context),
      ...marketRoutes(context),
      ...orderRoutes(context),
      ...historyRoutes(context),
      ...accountRoutes(context),
      ...referralRoutes(context),
      ...transferRoutes(context),
      ...depositRoutes(context),
      ...withdrawalRoutes(context),
      ...swapRoutes(context),
      ...developmentRoutes(context),
      ...chainRoutes(context),
      ...solvencyRoutes(context),
      ...providerRoutes(context),
      ...trafficRoutes(context),
    ];
  }

  #allRoutes(context: RouteContext, natives: readonly NativeRoute[]): Route[] {
    const { native, keys } = this.#options;
    const routes = [
      ...spotMarketRoutes(context),
      ...spotTradeRoutes(context),
      ...spotTickerRoutes(context),
      ...spotOrderRoutes(context),
      ...spotAccountRoutes(context),
      ...spotHistoryRoutes(context),
      ...spotAmendmentRoutes(context),
      ...spotPreventedRoutes(context),
      ...sapiRoutes(context),
      ...sapiTransferRoutes(context),
      ...sapiCustodyRoutes(context, { custody: native.custody, keys }),
      ...fapiMarketRoutes(context),
      ...fapiPriceRoutes(context),
      ...fapiKlineRoutes(context),
      ...fapiDataRoutes(context),
      ...fapiStatisticsRoutes(context),
      ...fapiOrderRoutes(context),
      ...fapiBatchRoutes(context),
      ...fapiAlgoRoutes(context),
      ...fapiAccountRoutes(context),
      ...fapiSettingsRoutes(context),
      ...fapiHistoryRoutes(context),
      ...fapiAmendmentRoutes(context),
      ...startUpRoutes(),
      ...this.#streams.routes,
    ];
    return [...routes, openApiRoute(routes, natives)];
  }

  #handle(call: HttpCall): void {
    // What was acknowledged on any front before this request is known here before it is answered.
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
    const unanswerable = call.wanted === null ? undefined : takeWantedForm(call, call.wanted);
    if (unanswerable !== undefined) {
      this.#pipeline.refuseUnrouted(call, unanswerable);
      return;
    }
    if (route !== undefined) this.#pipeline.run(call, route);
    else if (!this.#operator.answer(call)) {
      if (mounted !== undefined) call.allows([...mounted.methods.keys()]);
      const status = mounted === undefined ? 404 : 405;
      this.#pipeline.refuseUnrouted(call, unknownPath(call.path, call.method, status));
    }
  }

  #refuseTransport(call: HttpCall, fault: TransportFault): void {
    // Part of the request may never have been read: the connection cannot be used again.
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
      front_requests_unanswered: this.#server.unanswered,
      front_folded_seq: this.#options.state.seq,
      front_open_orders: this.#options.state.orders.openCount,
      front_accounts_left: this.#options.state.accounts.room,
      ...this.#streams.figures,
    };
  }
}

/** The public door of one front thread. */
export function createGateway(options: GatewayOptions): Gateway {
  return new FrontGateway(options);
}
