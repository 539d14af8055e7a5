// One FIX connection after the session layer: its logon, its requests, and the reports of its account. A request becomes a
// call of the same routes as over HTTP, with the same checks and limits; what it changes is reported when the event is
// folded, to all sessions of the account, so before the call is answered. Requests for market data are handled by
// `MarketDataSession`. Spec FIX-12 to FIX-20.

import { KeyPermission, tradePermissions } from "../../../core/accounts.ts";
import { present } from "../../../core/assert.ts";
import type { VenueEvent } from "../../../core/generated/events.ts";
import { MarketKind } from "../../../core/markets.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ErrorMap } from "../orders/order-flow.ts";
import type { ReadModel } from "../read-model.ts";
import type { RequestPipeline } from "../requests/request-pipeline.ts";
import type { Caller, CheckedRoute } from "../requests/route.ts";
import { refuse, transportErrors } from "../requests/surface-error.ts";
import type { ClientAddress } from "../server/client-address.ts";
import { type CallWatch, HttpCall } from "../server/http-call.ts";
import type {
  GuardedConnection,
  SessionGuard,
  SessionGuards,
} from "../streams/sessions/session-guards.ts";
import type { UserStreams } from "../streams/user/user-streams.ts";
import type { OrderUpdate } from "../streams/user/user-update.ts";
import {
  type LimitUse,
  limitsAnswer,
  massCancelled,
  type Outgoing,
  orderLimits,
  refusalOf,
} from "./fix-answers.ts";
import { isCauseOf, isNewOrder, requestIdOf } from "./fix-causes.ts";
import { type FixMessage, field, isUtcTime, readUtcTime } from "./fix-codec.ts";
import { fixErrors } from "./fix-error-codes.ts";
import { MsgType, RejectCode, Tag } from "./fix-fields.ts";
import { incorrect } from "./fix-form.ts";
import { type SessionKind, sessionLimits } from "./fix-limits.ts";
import { type FixLogon, readLogon } from "./fix-logon.ts";
import type { ContinuedNumbers } from "./fix-numbers.ts";
import type { FixWire, NumberRange, SentReport } from "./fix-outbox.ts";
import { ownFields, type Reports } from "./fix-reports.ts";
import { requestOf } from "./fix-requests.ts";
import { FixResponse } from "./fix-response.ts";
import { type Continuation, type FixApplication, FixSession } from "./fix-session.ts";
import { type MarketDataParts, MarketDataSession } from "./market-data/market-data-session.ts";
import type { ResentReports } from "./resent-reports.ts";
import { WaitingMessages } from "./waiting-messages.ts";

export interface FixParts {
  readonly model: ReadModel;
  readonly pipeline: RequestPipeline;
  readonly users: UserStreams;
  readonly guards: SessionGuards;
  readonly errors: Readonly<Record<MarketKind, ErrorMap>>;
  readonly clock: Clock;
  readonly resent: Pick<ResentReports, "allows" | "read">;
  readonly numbers: ContinuedNumbers;
  /** Time limit of a request in milliseconds. */
  readonly deadlineMs: number;
  /** The route with that method name in order sessions; undefined if there is none. */
  routeOf(name: `api ${string}`): CheckedRoute | undefined;
  /** Folds everything committed so far; called before each chunk of messages. */
  catchUp(): void;
}

/** What a connection asks of its listener. */
export interface FixListener {
  /** Identifies this listener in the answer to a Logon. */
  readonly uuid: string;
  readonly reports: Reports;
  /** Set if its sessions are for market data; null if they are for orders. */
  readonly marketData: MarketDataParts | null;
  /** Admits the session of an account, or says why not. */
  admit(connection: FixConnection): string | null;
}

/** An accepted logon. */
interface Member {
  readonly logon: FixLogon;
  readonly account: number;
  readonly keyId: number;
}

/** Without a window of its own a request is not too late before its deadline. */
const noWindowMs = 60_000;

export class FixConnection implements FixApplication, GuardedConnection, CallWatch {
  readonly address: ClientAddress;
  readonly session: FixSession;
  readonly #parts: FixParts;
  readonly #listener: FixListener;
  readonly #wire: FixWire;
  readonly #guard: SessionGuard;
  /** Its streams, if the connection is for market data. */
  readonly #streams: MarketDataSession | null;
  #member: Member | null = null;
  #unfollow: (() => void) | null = null;
  /** The messages of requests whose answer has not come. */
  readonly #pending = new Map<HttpCall, FixMessage>();
  /** Requests that wait for earlier ones, oldest first. */
  readonly #waiting = new WaitingMessages();
  /** True while waiting requests are being started. */
  #isStarting = false;
  /** The client's Logout, until everything before it is answered. */
  #logout: FixMessage | null = null;
  /** Messages received in the current window, and when it began. */
  #received = 0;
  #windowMs = 0;
  /** Not counted: a FIX session notices a silent client itself, and declares no heartbeat to the guards. */
  readonly lastHeardMs = 0;

  constructor(parts: FixParts, listener: FixListener, wire: FixWire, address: ClientAddress) {
    this.#parts = parts;
    this.#listener = listener;
    this.address = address;
    this.#wire = wire;
    this.session = new FixSession(wire, this, parts.clock);
    this.#guard = parts.guards.open(this, tradePermissions[MarketKind.spot]);
    const { marketData } = listener;
    this.#streams = marketData && new MarketDataSession(marketData, this.session, address);
  }

  /** The logged-on account and its key; null before the logon. */
  get member(): Member | null {
    return this.#member;
  }

  /** What the session is for; before the logon, order entry unless its listener is for market data. */
  get kind(): SessionKind {
    if (this.#streams !== null) return "marketData";
    return this.#member?.logon.isDropCopy === true ? "dropCopy" : "orderEntry";
  }

  /** The permission that its key needs. */
  get permission(): number {
    return this.kind === "orderEntry" ? tradePermissions[MarketKind.spot] : KeyPermission.read;
  }

  /** Handles a message from the client. */
  receive(message: FixMessage): void {
    const { max, windowMs } = this.#limit;
    const nowMs = this.#parts.clock.nowMs();
    if (nowMs - this.#windowMs >= windowMs) {
      this.#windowMs = nowMs;
      this.#received = 0;
    }
    if (++this.#received > max)
      this.session.logout(`More than ${max} messages within ${windowMs / 1000} seconds.`);
    else this.session.take(message);
  }

  /** Called when the socket is closed: without a logout, that is a loss. */
  leave(): void {
    this.session.close();
    this.#parts.guards.leave(this);
    this.#unfollow?.();
    this.#unfollow = null;
    this.#streams?.leave();
    this.#waiting.takeAll();
    for (const call of this.#pending.keys()) {
      call.isOver = true;
      call.isGone = true;
    }
    this.#pending.clear();
  }

  /** Called by the guards when the connection has ended at clearing, or may not trade any more. */
  end(_code: number, reason: string): void {
    this.session.logout(reason);
  }

  /** The guards' heartbeats are not used: FIX has its own. */
  ping(): void {}

  /** Refuses calls whose deadline has passed. */
  sweep(nowMs: number): void {
    for (const call of this.#pending.keys()) {
      if (call.receivedMs > nowMs - this.#parts.deadlineMs) return;
      refuse(call, transportErrors.deadline);
    }
  }

  logon(message: FixMessage): void {
    const logon = readLogon(message, this.#streams !== null);
    if (typeof logon === "string") {
      this.session.logout(logon);
      return;
    }
    const { apiKey, signedText, signature } = logon;
    const { pipeline } = this.#parts;
    const call = this.#callOf("session.logon", logonQuery(logon), apiKey, message);
    void pipeline.proves(apiKey, signedText, signature).then((fault) => {
      if (call.isOver) return;
      if (fault !== null) pipeline.refuse(call, fault);
      else pipeline.runProved(call, this.#logonRoute(logon));
    });
  }

  take(message: FixMessage): void {
    if (this.#streams !== null) this.#streams.take(message, this.#messageUse);
    else if (this.#waiting.add(message)) this.#start();
    else this.session.logout("Too many messages wait for earlier ones.");
  }

  logout(message: FixMessage): void {
    this.#logout = message;
    this.#start();
  }

  mayResend(): boolean {
    return this.#parts.resent.allows(this.#account);
  }

  readReports(range: NumberRange): Promise<readonly SentReport[] | string> {
    return this.#parts.resent.read(this.#account, range, () => !this.session.isOver);
  }

  ended(): void {
    const { clientCompId, continuedNext } = this.session;
    if (this.#member !== null && continuedNext !== null)
      this.#parts.numbers.keep(this.#member.account, clientCompId, continuedNext);
  }

  answered(call: HttpCall): void {
    this.#pending.delete(call);
    this.#start();
  }

  /** Returns false, because answers are complete messages and need not be deferred. */
  defers(): boolean {
    return false;
  }

  get #account(): number {
    return present(this.#member, "a session's account").account;
  }

  get #limit() {
    return sessionLimits[this.kind].messages;
  }

  #logonRoute(logon: FixLogon): CheckedRoute {
    return {
      method: "GET",
      path: "session.logon",
      weight: 2,
      security: logon.isDropCopy || this.#streams !== null ? "read" : "trade",
      answer: ((call, parameters, caller: Caller) => {
        const { account, keyId } = caller;
        this.#member = { logon, account, keyId };
        const refusal = this.#listener.admit(this);
        const continuation = this.#continuation(logon, account);
        if (refusal !== null) this.#turnAway(call, -1003, refusal);
        else if (typeof continuation === "string") this.#turnAway(call, -1130, continuation);
        if (this.#member === null) return;
        const { guards, errors } = this.#parts;
        const done = () => this.#begin(call, { logon, account, keyId });
        guards.logon(this, { call, parameters, caller, errors: errors[MarketKind.spot], done });
      }) as CheckedRoute["answer"],
    };
  }

  /** Refuses a Logon that proved its key. */
  #turnAway(call: HttpCall, code: number, msg: string): void {
    this.#member = null;
    refuse(call, { status: 400, code, msg });
  }

  #begin(call: HttpCall, { logon, account }: Member): void {
    if (this.#streams === null)
      this.#unfollow = this.#parts.users.follow(account, (update, event) =>
        this.#report(update, event),
      );
    call.json("{}");
    const declared = logon.cancelsOnDisconnect ? field(Tag.cancelOnDisconnect, "Y") : "";
    const fields = field(Tag.uuid, this.#listener.uuid) + declared;
    const continuation = this.#continuation(logon, account);
    if (typeof continuation === "string") this.session.logout(continuation);
    else this.session.accept(logon.heartBtSeconds, fields, continuation);
  }

  /** How the session continues its numbers; null if they begin at 1, or why they cannot be continued. */
  #continuation(
    { isContinued, nextExpected: expected }: FixLogon,
    account: number,
  ): Continuation | string | null {
    if (!isContinued) return null;
    const { numbers, model } = this.#parts;
    const headSeq = () => model.state.seq;
    const terms = { headSeq: headSeq(), expected };
    const first = numbers.first(account, this.session.clientCompId, terms);
    return typeof first === "string" ? first : { first, expected, headSeq };
  }

  /** Starts the requests that need not wait any longer, and the logout after them. */
  #start(): void {
    // A request that is refused at once calls this again: the loop that started it goes on, so that the stack stays short.
    if (this.#isStarting) return;
    this.#isStarting = true;
    for (let next = this.#waiting.first; next !== undefined; next = this.#waiting.first) {
      if (this.#mustWait(next)) break;
      this.#waiting.dropFirst();
      this.#request(next);
    }
    this.#isStarting = false;
    const message = this.#logout;
    if (message === null || this.#waiting.first !== undefined || this.#pending.size > 0) return;
    this.#logout = null;
    this.#finish(message);
  }

  /**
   * In a sequential session a cancel would overtake orders on its way, and an order would overtake an amend whose order is
   * looked up. So everything but a new order waits for all answers, and what follows waits for its answer.
   */
  #mustWait(message: FixMessage): boolean {
    if (this.#member?.logon.isSequential !== true) return false;
    // A pending request that is no new order is the only one, because everything after it waits.
    const [first] = this.#pending.values();
    return first !== undefined && !(isNewOrder(first) && isNewOrder(message));
  }

  #request(message: FixMessage): void {
    const member = this.#member;
    if (member === null) return;
    if (member.logon.isDropCopy) {
      const { code, meaning: text } = fixErrors.ofDropCopy;
      this.session.reject(message, { reason: RejectCode.other, tag: Tag.msgType, text, code });
      return;
    }
    const request = requestOf(message);
    const timing = this.#timingOf(message);
    if ("reason" in request || timing === null) {
      const text = "SendingTime (52) is missing or not a UTCTIMESTAMP.";
      const untimely = { ...incorrect(Tag.sendingTime, text), reason: RejectCode.incorrectFormat };
      this.session.reject(message, "reason" in request ? request : untimely);
      return;
    }
    const route = present(this.#parts.routeOf(request.method), "the route of a request");
    const query = request.query === "" ? timing : `${request.query}&${timing}`;
    const call = this.#callOf(route.path, query, member.logon.apiKey, message);
    const { connections } = this.#guard;
    const stays = message.get(Tag.cancelOnDisconnect) === "N";
    call.connections = connections.size > 0 && !stays ? connections : null;
    this.#parts.pipeline.runProved(call, route);
  }

  /** When a request was sent and how long it is valid, as REST has it; null if it does not say when it was sent. */
  #timingOf(message: FixMessage): string | null {
    const time = message.get(Tag.sendingTime) ?? "";
    const window = message.get(Tag.recvWindow);
    if (window === undefined) {
      const nowMs = this.#parts.clock.nowMs();
      return isUtcTime(time) ? `timestamp=${nowMs}&recvWindow=${noWindowMs}` : null;
    }
    const sentUs = readUtcTime(time);
    return sentUs === null ? null : `timestamp=${sentUs}&recvWindow=${encodeURIComponent(window)}`;
  }

  #callOf(path: string, query: string, apiKey: string, message: FixMessage): HttpCall {
    const response = new FixResponse((status, body) => this.#answer(message, status, body));
    const head = { method: "GET", path, address: this.address } as const;
    const call = new HttpCall(response, this, { ...head, receivedMs: this.#parts.clock.nowMs() });
    call.query = query;
    call.apiKey = apiKey;
    call.view = "compat";
    this.#pending.set(call, message);
    return call;
  }

  #answer(message: FixMessage, status: number, body: string): void {
    if (message.type === MsgType.logon) {
      if (status !== 200) this.#refuseLogon(message, body);
    } else if (message.type === MsgType.logout)
      this.session.finishLogout(
        status === 200 ? "Logout acknowledgment." : "Logout; orders may be cancelled.",
      );
    else if (status !== 200) this.#send(...refusalOf(message, body));
    else if (message.type === MsgType.orderMassCancelRequest)
      this.#send(massCancelled(message, body));
    else if (message.type === MsgType.limitQuery)
      this.#send(limitsAnswer(message, [["messages", this.#messageUse], ...orderLimits(body)]));
  }

  get #messageUse(): LimitUse {
    const { max, windowMs } = this.#limit;
    return { count: this.#received, max, every: { count: windowMs / 1000, unit: "s" } };
  }

  #refuseLogon(message: FixMessage, body: string): void {
    this.#send(...refusalOf(message, body));
    const { msg } = JSON.parse(body) as { readonly msg: string };
    this.session.logout(msg);
  }

  #send(...messages: readonly Outgoing[]): void {
    for (const { type, fields } of messages) this.session.send(type, fields);
  }

  /** Reports an event of the account, with number `seq` in the journal. */
  #report(update: OrderUpdate, { seq, isTransactionEnd }: VenueEvent): void {
    const member = this.#member;
    if (member === null || !this.session.isReported) return;
    const cause = member.logon.isDropCopy ? undefined : this.#causeOf(update);
    if (member.logon.onlyAcks && cause === undefined && !member.logon.isDropCopy) return;
    const market = this.#parts.model.state.table.market(update.order.market);
    const { execution, list } = this.#listener.reports.of(update, market, seq);
    const own = ownFields(update, cause && requestIdOf(cause, update.execution));
    this.session.report(seq, own, execution);
    if (list !== null) this.session.send(MsgType.listStatus, "", list);
    // The client awaits nothing else, so this need not wait for the end of the turn.
    if (isTransactionEnd && this.#pending.size === 1) this.#wire.flush();
  }

  /** The pending request of this session that an event answers. */
  #causeOf(update: OrderUpdate): FixMessage | undefined {
    if (update.execution === "TRADE") return undefined;
    const { account, listId } = update.order;
    const list = listId === 0 ? undefined : this.#parts.model.list(account, listId);
    for (const message of this.#pending.values()) {
      if (isCauseOf(message, update, list?.clientId)) return message;
    }
    return undefined;
  }

  /** Withdraws what the connection has declared, so that its orders stay; the answer ends the session. */
  #finish(message: FixMessage): void {
    const { guards, errors } = this.#parts;
    const call = this.#callOf("session.logout", "", "", message);
    guards.logout(this, { call, errors: errors[MarketKind.spot], done: () => call.json("{}") });
  }
}

function logonQuery({ sentUs, recvWindow, cancelsOnDisconnect }: FixLogon): string {
  const window = recvWindow === undefined ? "" : `&recvWindow=${encodeURIComponent(recvWindow)}`;
  const declared = cancelsOnDisconnect ? "&cancelOnDisconnect=true" : "";
  return `timestamp=${sentUs}${window}${declared}`;
}
