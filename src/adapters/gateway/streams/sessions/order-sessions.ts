// Order sessions: requests over a WebSocket connection, authenticated once (session.logon) or request by request. Each
// request passes the request pipeline as a separate call, in the order received; the answer is a frame with the
// request's id. As over HTTP, requests with a revoked key fail as soon as the key is revoked. Spec STR-26 to STR-28.

import { tradePermissions } from "../../../../core/accounts.ts";
import { MarketKind } from "../../../../core/markets.ts";
import type { Clock } from "../../../../ports/clock.ts";
import type { RequestParameters } from "../../../../services/access/signed-request.ts";
import type { ErrorMap } from "../../orders/order-flow.ts";
import type { RequestPipeline } from "../../requests/request-pipeline.ts";
import type { Caller, CheckedRoute } from "../../requests/route.ts";
import {
  illegalParameter,
  refuse,
  sbeWithoutTemplate,
  transportErrors,
  unknownPath,
} from "../../requests/surface-error.ts";
import { hasTemplate } from "../../sbe/answer-templates.ts";
import type { CallWatch, HttpCall } from "../../server/http-call.ts";
import { CloseCode, type StreamConnection } from "../stream-connection.ts";
import type { UserSubscription } from "../user/user-feed.ts";
import type { UserStreams } from "../user/user-streams.ts";
import { HeldFrames } from "./held-frames.ts";
import { type SessionCallTerms, sessionCall } from "./session-call.ts";
import type { SessionGuard, SessionGuards } from "./session-guards.ts";
import { queryOf, readFrame, type SessionValue, valueText } from "./session-request.ts";

export interface SessionParts {
  readonly pipeline: RequestPipeline;
  readonly users: UserStreams;
  readonly guards: SessionGuards;
  /** How the surfaces render refusals of clearing. */
  readonly errors: Readonly<Record<MarketKind, ErrorMap>>;
  readonly clock: Clock;
  /** Time limit of a request in milliseconds. */
  readonly deadlineMs: number;
  /** The route with that method name in the sessions of a surface; undefined if there is none. */
  routeOf(name: `${"api" | "fapi"} ${string}`): CheckedRoute | undefined;
  /** Folds everything committed so far; called before each request. */
  catchUp(): void;
}

/** The key that has logged on. */
interface Logon {
  readonly apiKey: string;
  readonly keyId: number;
  readonly account: number;
  readonly sinceMs: number;
}

/** The order session of one connection. */
interface Session {
  readonly surface: MarketKind;
  readonly sinceMs: number;
  /** The key that logged on, and the time of the logon. */
  logon: Logon | null;
  readonly subscriptions: Map<number, SessionSubscription>;
  /** True if answers include the rate limits, unless the request itself says otherwise. */
  readonly showsLimits: boolean;
  /** What it has asked for in case its connection is lost. */
  readonly guard: SessionGuard;
  nextSubscription: number;
  readonly held: HeldFrames;
}

interface SessionSubscription {
  readonly subscription: UserSubscription;
  /** True if the subscription uses the session's logon, so that it ends when the session logs out. */
  readonly isOfLogon: boolean;
}

/** A method that the session handles itself. It is called with the caller, who is authenticated by then. */
type OwnMethod = (call: HttpCall, parameters: RequestParameters, caller: Caller) => void;

/** An authenticated request to subscribe to an account's events. */
interface Subscribing {
  readonly call: HttpCall;
  readonly parameters: RequestParameters;
  readonly caller: Caller;
  readonly isOfLogon: boolean;
}

/** Method and path of a call without a route. */
const unrouted = { method: "GET", path: "/ws-api" } as const;

/** Weight of methods of the session itself (Binance: 2). */
const sessionWeight = 2;

export class OrderSessions implements CallWatch {
  readonly #parts: SessionParts;
  readonly #sessions = new Map<StreamConnection, Session>();
  /** Unanswered calls, oldest first. */
  readonly #waiting = new Map<HttpCall, StreamConnection>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Opens a session; `showsLimits` says whether answers include the rate limits by default. */
  open(connection: StreamConnection, surface: MarketKind, showsLimits: boolean): void {
    const sinceMs = this.#parts.clock.nowMs();
    const subscriptions = new Map<number, SessionSubscription>();
    this.#sessions.set(connection, {
      surface,
      sinceMs,
      logon: null,
      subscriptions,
      showsLimits,
      guard: this.#parts.guards.open(connection, tradePermissions[surface]),
      nextSubscription: 0,
      held: new HeldFrames(),
    });
  }

  /** Called when the connection is closed. Answers to its unfinished calls are dropped. */
  leave(connection: StreamConnection): void {
    if (!this.#sessions.delete(connection)) return;
    this.#parts.guards.leave(connection);
    for (const [call, connectionOfCall] of this.#waiting) {
      if (connectionOfCall !== connection) continue;
      call.isOver = true;
      call.isGone = true;
      this.#waiting.delete(call);
    }
  }

  answered(call: HttpCall): void {
    const connection = this.#waiting.get(call);
    this.#waiting.delete(call);
    if (connection === undefined) return;
    this.#sessions.get(connection)?.held.answered(call, (text) => this.take(connection, text));
  }

  /** Returns false, because answers are already complete frames and need not be deferred. */
  defers(): boolean {
    return false;
  }

  /** Refuses calls whose deadline has passed. */
  sweep(): void {
    const before = this.#parts.clock.nowMs() - this.#parts.deadlineMs;
    for (const call of this.#waiting.keys()) {
      if (call.receivedMs > before) return;
      this.#expire(call);
    }
  }

  /**
   * Refuses a call whose deadline has passed. Whether a logon or logout holds is unknown then, so its connection ends,
   * which counts as a loss.
   */
  #expire(call: HttpCall): void {
    const connection = this.#waiting.get(call);
    const session = connection && this.#sessions.get(connection);
    const isUnknown = session?.held.isAwaiting(call) === true && isGuardMethod(call.path);
    if (isUnknown) session?.held.drop();
    refuse(call, transportErrors.deadline);
    if (isUnknown) connection?.end(CloseCode.policy, "the logon was not answered in time");
  }

  /** Handles one frame. */
  take(connection: StreamConnection, text: string): void {
    const session = this.#sessions.get(connection);
    if (session === undefined) return;
    if (!session.held.isHolding) this.#run(connection, session, text);
    else if (!session.held.add(text))
      connection.end(CloseCode.policy, "too many requests before the answer to the logon");
  }

  #run(connection: StreamConnection, session: Session, text: string): void {
    this.#parts.catchUp();
    const read = readFrame(text);
    if ("illegal" in read) {
      this.#refuse(connection, {
        id: read.id,
        name: read.illegal,
        showsLimits: session.showsLimits,
      });
      return;
    }
    const { id = null, method, params = {} } = read;
    if (method.endsWith("session.logout") && this.#waits(connection, session, text)) return;
    const named = params["apiKey"];
    const apiKey = typeof named === "string" ? named : (session.logon?.apiKey ?? "");
    const showsLimits = flagOf(params["returnRateLimits"], session.showsLimits);
    const requested = queryOf(params);
    if (showsLimits === null || "illegal" in requested) {
      const name = "illegal" in requested ? requested.illegal : "returnRateLimits";
      this.#refuse(connection, { id, name, showsLimits: session.showsLimits });
      return;
    }
    const { query } = requested;
    const isProved = session.logon !== null && named === undefined && !("signature" in params);
    const route = this.#routeOf(connection, session, { method, isProved });
    const { method: httpMethod, path } = route ?? unrouted;
    const call = this.#callOf(connection, {
      id,
      query,
      apiKey,
      method: httpMethod,
      path,
      showsLimits,
    });
    call.connections = connectionsFor(session, params);
    this.#start(call, route, { method, isProved });
    if (!call.isOver && isGuardMethod(call.path)) session.held.wait(call);
  }

  #start(
    call: HttpCall,
    route: CheckedRoute | undefined,
    { method, isProved }: { readonly method: string; readonly isProved: boolean },
  ): void {
    const { pipeline } = this.#parts;
    if (route === undefined) pipeline.refuseUnrouted(call, unknownPath(method, "WS"));
    else if (call.sbe !== null && !hasTemplate(`${route.method} ${route.path}`))
      pipeline.refuseUnrouted(call, sbeWithoutTemplate);
    else if (isProved) pipeline.runProved(call, route);
    else pipeline.run(call, route);
  }

  /**
   * Holds the frame back if the connection has a call that is not answered yet; returns whether it does. Orders that are
   * under way still belong to the declared connection, and must stay when it is withdrawn.
   */
  #waits(connection: StreamConnection, { held }: Session, text: string): boolean {
    for (const [call, itsConnection] of this.#waiting) {
      if (itsConnection === connection) held.wait(call);
    }
    return held.isHolding && held.add(text);
  }

  /** Refuses a request with an illegal parameter. */
  #refuse(
    connection: StreamConnection,
    { name, ...terms }: { name: string } & Pick<SessionCallTerms, "id" | "showsLimits">,
  ): void {
    const call = this.#callOf(connection, { ...unrouted, ...terms, query: "", apiKey: "" });
    this.#parts.pipeline.refuseUnrouted(call, illegalParameter(name));
  }

  #callOf(connection: StreamConnection, terms: SessionCallTerms): HttpCall {
    const call = sessionCall(connection, this, terms, this.#parts.clock.nowMs());
    this.#waiting.set(call, connection);
    return call;
  }

  #routeOf(
    connection: StreamConnection,
    session: Session,
    { method: requested, isProved }: { method: string; isProved: boolean },
  ): CheckedRoute | undefined {
    // Binance allows the API version as a prefix of the method name.
    const [surface, version] =
      session.surface === MarketKind.spot ? (["api", "v3/"] as const) : (["fapi", "v1/"] as const);
    const method = requested.startsWith(version) ? requested.slice(version.length) : requested;
    const route = this.#parts.routeOf(`${surface} ${method}`);
    if (route !== undefined) return route;
    const terms = { method: "GET", path: method, weight: sessionWeight } as const;
    const open = this.#openMethod(connection, session, method);
    if (open !== undefined) return { ...terms, security: "none", answer: open };
    const own = this.#ownMethod(connection, session, { method, isProved });
    const isTimeless = method === "userDataStream.subscribe";
    return own && { ...terms, security: "read", isTimeless, answer: own as CheckedRoute["answer"] };
  }

  /** Session methods that need no key. */
  #openMethod(
    connection: StreamConnection,
    session: Session,
    method: string,
  ): CheckedRoute["answer"] | undefined {
    switch (method) {
      case "session.status":
        return (call) => call.json(this.#statusText(session));
      case "session.subscriptions":
        return (call) => call.json(subscriptionsText(session));
      case "session.logout":
        return (call) => {
          const errors = this.#parts.errors[session.surface];
          const done = () => {
            session.logon = null;
            const ended = this.#endSubscriptions(session, ({ isOfLogon }) => isOfLogon);
            call.json(this.#statusText(session));
            this.#tellEnded(connection, ended);
          };
          this.#parts.guards.logout(connection, { call, errors, done });
        };
      case "userDataStream.unsubscribe":
        return (call, parameters) => this.#unsubscribe(connection, session, { call, parameters });
      default:
        return undefined;
    }
  }

  #ownMethod(
    connection: StreamConnection,
    session: Session,
    { method, isProved }: { method: string; isProved: boolean },
  ): OwnMethod | undefined {
    switch (method) {
      case "session.logon":
        return (call, parameters, caller) => {
          const errors = this.#parts.errors[session.surface];
          const { keyId, account } = caller;
          const done = () => {
            const sinceMs = this.#parts.clock.nowMs();
            session.logon = { apiKey: call.apiKey, keyId, account, sinceMs };
            call.json(this.#statusText(session));
          };
          this.#parts.guards.logon(connection, { call, parameters, caller, errors, done });
        };
      case "userDataStream.subscribe":
      case "userDataStream.subscribe.signature":
        return (call, parameters, caller) => {
          const isOfLogon = isProved && method === "userDataStream.subscribe";
          this.#subscribe(connection, session, { call, parameters, caller, isOfLogon });
        };
      default:
        return undefined;
    }
  }

  #statusText({ logon: last, sinceMs, subscriptions, showsLimits, guard }: Session): string {
    // The logon of a key that was revoked or has expired is over: every request with it is refused.
    const logon = last !== null && this.#parts.pipeline.isActive(last.keyId) ? last : null;
    return JSON.stringify({
      apiKey: logon?.apiKey ?? null,
      authorizedSince: logon?.sinceMs ?? null,
      connectedSince: sinceMs,
      returnRateLimits: showsLimits,
      serverTime: this.#parts.clock.nowMs(),
      userDataStream: subscriptions.size > 0,
      cancelOnDisconnect: last !== null && guard.connections.has(last.account),
      heartbeatInterval: guard.heartbeatMs === 0 ? null : guard.heartbeatMs,
    });
  }

  #subscribe(
    connection: StreamConnection,
    session: Session,
    { call, parameters, caller, isOfLogon }: Subscribing,
  ): void {
    const resume = parameters.get("resume");
    if (resume !== undefined && !/^\d{1,15}$/.test(resume)) {
      refuse(call, illegalParameter("resume"));
      return;
    }
    const { account, keyId } = caller;
    const { surface } = session;
    // One subscription per account is enough, because a second one would send every event twice.
    for (const [known, { subscription }] of session.subscriptions) {
      if (subscription.feed.account !== account) continue;
      const seq = this.#parts.users.seqOf(account, surface);
      call.json(JSON.stringify({ subscriptionId: known, seq }));
      return;
    }
    const subscriptionId = session.nextSubscription++;
    const seq = this.#parts.users.seqOf(account, surface);
    call.json(JSON.stringify({ subscriptionId, seq }));
    const wrap = (text: string) => connection.eventFrame(subscriptionId, text);
    const resumeFrom = resume === undefined ? null : Number(resume);
    const terms = { account, surface, keyId, resumeFrom, wrap };
    const subscription = this.#parts.users.subscribe(connection, terms);
    session.subscriptions.set(subscriptionId, { subscription, isOfLogon });
  }

  /** Ends one subscription of the session, or all; other sessions are not affected. */
  #unsubscribe(
    connection: StreamConnection,
    session: Session,
    { call, parameters }: { call: HttpCall; parameters: RequestParameters },
  ): void {
    const requested = parameters.get("subscriptionId");
    if (requested !== undefined && !/^\d{1,15}$/.test(requested)) {
      refuse(call, illegalParameter("subscriptionId"));
      return;
    }
    const ended = this.#endSubscriptions(
      session,
      (_, id) => requested === undefined || Number(requested) === id,
    );
    call.json("{}");
    this.#tellEnded(connection, ended);
  }

  /** Ends the subscriptions for which `ends` is true; returns their ids. */
  #endSubscriptions(
    { subscriptions }: Session,
    ends: (one: SessionSubscription, id: number) => boolean,
  ): number[] {
    const ended = [...subscriptions].filter(([id, one]) => ends(one, id));
    for (const [id, { subscription }] of ended) {
      this.#parts.users.unsubscribe(subscription);
      subscriptions.delete(id);
    }
    return ended.map(([id]) => id);
  }

  /** Tells the client the end of its subscriptions, after the answer to the request that ended them. Spec STR-56. */
  #tellEnded(connection: StreamConnection, ended: readonly number[]): void {
    const event = `{"e":"eventStreamTerminated","E":${this.#parts.clock.nowMs()}}`;
    for (const id of ended) connection.send(connection.eventFrame(id, event));
  }
}

function subscriptionsText({ subscriptions }: Session): string {
  return JSON.stringify([...subscriptions.keys()].map((subscriptionId) => ({ subscriptionId })));
}

/**
 * A parameter that is true or false, in JSON or as text. Returns `otherwise` if it is absent, null if it is invalid.
 */
function flagOf(value: SessionValue | undefined, otherwise: boolean): boolean | null {
  if (value === undefined) return otherwise;
  const text = valueText(value).toLowerCase();
  return text === "true" || text === "false" ? text === "true" : null;
}

/** The declared connections to which the orders of a request belong; null for none. */
function connectionsFor(
  { guard: { connections } }: Session,
  params: Readonly<Record<string, SessionValue>>,
): ReadonlyMap<number, number> | null {
  // An order may ask to stay when the connection is lost.
  const isGuarded = connections.size > 0 && !isFalse(params["cancelOnDisconnect"]);
  return isGuarded ? connections : null;
}

/** Whether a call with this path declares or withdraws that the connection cancels its orders. */
function isGuardMethod(path: string): boolean {
  return path === "session.logon" || path === "session.logout";
}

function isFalse(value: SessionValue | undefined): boolean {
  return flagOf(value, true) === false;
}
