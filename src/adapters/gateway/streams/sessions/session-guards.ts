// What order sessions have asked for in case their connection is lost: that their orders are cancelled, and a heartbeat
// by which a silent loss is noticed. The connection is declared to clearing for each account that logs on; from then on
// its orders carry the connection's number. Spec COD-1 to COD-9.

import { isPermitted } from "../../../../core/accounts.ts";
import {
  accountsPerConnectionMax,
  heartbeatMsMax,
  heartbeatMsMin,
} from "../../../../core/connection-limits.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import type { VenueState } from "../../../../engine/state/venue-state.ts";
import type { Clock } from "../../../../ports/clock.ts";
import type { RequestParameters } from "../../../../services/access/signed-request.ts";
import type { CommandBridge } from "../../orders/command-bridge.ts";
import type { ErrorMap } from "../../orders/order-flow.ts";
import type { Caller } from "../../requests/route.ts";
import {
  authErrors,
  heartbeatOutOfRange,
  illegalParameter,
  notExecuted,
  refuse,
  tooManyDeclared,
} from "../../requests/surface-error.ts";
import type { ClientAddress } from "../../server/client-address.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { CloseCode } from "../stream-connection.ts";
import { ConnectionEnds } from "./connection-ends.ts";

/** Interval in ms at which heartbeats are looked at, ends are retried, and clearing hears that this front is alive. */
const lookMs = 100;

/** Heartbeat intervals without a frame from the client after which its connection is lost. */
const silentIntervalsMax = 2;

/** The longest time in ms that one look adds to a silence, so that a pause of this front is not the client's. */
const countedMsMax = 150;

export interface SessionGuardsParts {
  readonly bridge: Pick<CommandBridge, "send" | "giveSign">;
  readonly state: Pick<VenueState, "connections" | "keys">;
  readonly clock: Clock;
}

/** A connection that may be lost: an order session's, over WebSocket or FIX. */
export interface GuardedConnection {
  readonly address: ClientAddress;
  /** When anything of the client last arrived. */
  readonly lastHeardMs: number;
  /** Asks the client for a sign of life. */
  ping(text: string): void;
  /** Closes the connection with a readable reason. */
  end(code: number, reason: string): void;
}

/** What one order session has asked for. */
export interface SessionGuard {
  /**
   * The declared connections, by account; orders of these accounts carry their numbers. The map is replaced, not changed:
   * a call keeps that of its arrival, so that what it still sends after a loss belongs to the lost connection.
   */
  connections: ReadonlyMap<number, number>;
  /** The key that declared each connection, by account. */
  readonly keys: Map<number, number>;
  /** The permission that these keys need: the one for orders over this session. */
  readonly permission: number;
  /** 0 for none. */
  heartbeatMs: number;
  nextPingMs: number;
  /** When its client was heard last, and how long it has been silent since, counted by looks. */
  heardMs: number;
  silentMs: number;
}

/** A logon of a session. `done` answers it once everything that it asks for holds. */
interface Logon {
  readonly call: HttpCall;
  readonly parameters: RequestParameters;
  readonly caller: Caller;
  readonly errors: ErrorMap;
  readonly done: () => void;
}

export class SessionGuards {
  readonly #parts: SessionGuardsParts;
  readonly #ends: ConnectionEnds;
  readonly #guards = new Map<GuardedConnection, SessionGuard>();
  /** The sockets of declared connections, by number. */
  readonly #sockets = new Map<number, GuardedConnection>();
  #timer: NodeJS.Timeout | null = null;
  #lookedMs = 0;

  constructor(parts: SessionGuardsParts) {
    this.#parts = parts;
    this.#ends = new ConnectionEnds(parts);
  }

  /** Opens a session whose orders need `permission` of a key. */
  open(connection: GuardedConnection, permission: number): SessionGuard {
    const times = { heartbeatMs: 0, nextPingMs: 0, heardMs: 0, silentMs: 0 };
    const maps = { connections: new Map(), keys: new Map() };
    const guard: SessionGuard = { ...maps, permission, ...times };
    this.#guards.set(connection, guard);
    return guard;
  }

  /** Called when the connection is closed: its orders are cancelled. */
  leave(connection: GuardedConnection): void {
    const guard = this.#guards.get(connection);
    if (guard === undefined) return;
    this.#guards.delete(connection);
    for (const account of [...guard.connections.keys()]) this.#lose(guard, account);
  }

  /** Reads what a logon asks for, and makes it hold or refuses. */
  logon(connection: GuardedConnection, logon: Logon): void {
    const { call, parameters, caller, done } = logon;
    const guard = this.#guards.get(connection);
    if (guard === undefined) return;
    const wanted = parameters.get("cancelOnDisconnect")?.toLowerCase();
    if (wanted !== undefined && wanted !== "true" && wanted !== "false") {
      refuse(call, illegalParameter("cancelOnDisconnect"));
      return;
    }
    const heartbeatMs = heartbeatOf(parameters.get("heartbeatInterval"));
    if (heartbeatMs === null) {
      refuse(call, heartbeatOutOfRange);
      return;
    }
    const finish = () => {
      if (heartbeatMs !== undefined) this.#setHeartbeat(guard, heartbeatMs);
      done();
    };
    const terms = { ...logon, done: finish };
    const { account } = caller;
    if (wanted === "true") this.#want(connection, guard, terms);
    else if (wanted === "false" && guard.connections.has(account)) {
      this.#withdraw(connection, guard, { accounts: [account], ...terms });
    } else finish();
  }

  /** Makes the declaration hold for the account and the key that have logged on, or refuses. */
  #want(connection: GuardedConnection, guard: SessionGuard, logon: Logon): void {
    const { call, caller, done } = logon;
    const { account, keyId } = caller;
    if (!this.#mayDeclare(guard, keyId)) refuse(call, authErrors.keyUnknown);
    else if (guard.connections.has(account)) {
      guard.keys.set(account, keyId);
      done();
    } else if (guard.connections.size >= accountsPerConnectionMax) refuse(call, tooManyDeclared);
    else this.#declare(connection, guard, logon);
  }

  /** Withdraws all declarations: the orders stay. Then calls `done`, or refuses. */
  logout(connection: GuardedConnection, terms: Pick<Logon, "call" | "errors" | "done">): void {
    const guard = this.#guards.get(connection);
    if (guard === undefined) return;
    this.#withdraw(connection, guard, { accounts: [...guard.connections.keys()], ...terms });
  }

  /** The sockets over which a key has declared, with the permission that it needs there. */
  ofKey(keyId: number): { readonly connection: GuardedConnection; readonly permission: number }[] {
    return [...this.#guards].flatMap(([connection, { keys, permission }]) =>
      [...keys.values()].includes(keyId) ? [{ connection, permission }] : [],
    );
  }

  /**
   * Called when a key may not place orders over a socket any more, so that nobody can manage the orders of its connection.
   * They are lost, and the socket is closed, because others that trade over it believe themselves protected.
   */
  loseKey(connection: GuardedConnection, keyId: number): void {
    const guard = this.#guards.get(connection);
    if (guard === undefined) return;
    for (const [account, declaredBy] of [...guard.keys]) {
      if (declaredBy === keyId) this.#lose(guard, account);
    }
    connection.end(CloseCode.policy, "the key that declared this connection may not trade now");
  }

  /** Called when a connection has ended. A socket that is still open is told so and closed. */
  ended(connectionId: number): void {
    this.#ends.ended(connectionId);
    const connection = this.#sockets.get(connectionId);
    if (connection === undefined) return;
    this.#sockets.delete(connectionId);
    connection.end(CloseCode.policy, "this connection counted as lost: its orders are cancelled");
  }

  /** Stops the timer. */
  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #declare(
    connection: GuardedConnection,
    guard: SessionGuard,
    { call, caller, errors, done }: Logon,
  ): void {
    const { account, keyId } = caller;
    const command = { kind: CommandKind.openConnection, account, keyId } as const;
    const isSent = this.#parts.bridge.send(command, "orders", call, ({ reason, subject: id }) => {
      if (reason !== RejectReason.none) {
        refuse(call, errors[reason]);
        return;
      }
      this.#startTimer();
      if (this.#parts.state.connections.get(id) === undefined) {
        // It has counted as lost already, for example because this gateway was not heard for too long.
        refuse(call, errors[RejectReason.connectionEnded]);
        connection.end(CloseCode.policy, "this connection counted as lost before it was declared");
        return;
      }
      // Meanwhile the client may have gone, or its key may have been revoked.
      const isThere = this.#guards.has(connection);
      const mayDeclare = this.#mayDeclare(guard, keyId);
      if (!isThere || !mayDeclare) {
        this.#ends.add(id, account);
        refuse(call, authErrors.keyUnknown);
        return;
      }
      this.#remember(connection, guard, { account, id, keyId });
      done();
    });
    if (!isSent) refuse(call, notExecuted);
  }

  /**
   * Ends the connections of these accounts and keeps their orders. The command takes the lane of orders, so that it does
   * not overtake what the client sent before.
   */
  #withdraw(
    connection: GuardedConnection,
    guard: SessionGuard,
    {
      accounts,
      call,
      errors,
      done,
    }: Pick<Logon, "call" | "errors" | "done"> & { readonly accounts: readonly number[] },
  ): void {
    const [account, ...others] = accounts;
    if (account === undefined) {
      done();
      return;
    }
    const connectionId = guard.connections.get(account) ?? 0;
    const keyId = guard.keys.get(account) ?? 0;
    this.#forget(guard, account);
    const failed = () => {
      if (this.#guards.get(connection) !== guard) this.#ends.add(connectionId, account);
      else this.#remember(connection, guard, { account, id: connectionId, keyId });
      this.#startTimer();
    };
    const command = { kind: CommandKind.endConnection, account, connectionId, keepsOrders: true };
    const isSent = this.#parts.bridge.send(
      { ...command } as const,
      "orders",
      call,
      ({ reason }) => {
        if (reason === RejectReason.none) {
          this.#withdraw(connection, guard, { accounts: others, call, errors, done });
          return;
        }
        failed();
        refuse(call, errors[reason]);
      },
    );
    if (isSent) return;
    failed();
    refuse(call, notExecuted);
  }

  #mayDeclare({ permission }: SessionGuard, keyId: number): boolean {
    return isPermitted(this.#parts.state.keys.get(keyId)?.permissions ?? 0, permission);
  }

  /** Ends the account's connection and cancels its orders. */
  #lose(guard: SessionGuard, account: number): void {
    const connectionId = guard.connections.get(account);
    if (connectionId === undefined) return;
    this.#forget(guard, account);
    this.#ends.add(connectionId, account);
    this.#startTimer();
  }

  #remember(
    connection: GuardedConnection,
    guard: SessionGuard,
    { account, id, keyId }: { account: number; id: number; keyId: number },
  ): void {
    guard.connections = new Map(guard.connections).set(account, id);
    guard.keys.set(account, keyId);
    this.#sockets.set(id, connection);
  }

  #forget(guard: SessionGuard, account: number): void {
    this.#sockets.delete(guard.connections.get(account) ?? 0);
    guard.connections = new Map([...guard.connections].filter(([owner]) => owner !== account));
    guard.keys.delete(account);
  }

  #setHeartbeat(guard: SessionGuard, heartbeatMs: number): void {
    guard.heartbeatMs = heartbeatMs;
    guard.nextPingMs = this.#parts.clock.nowMs() + heartbeatMs;
    guard.silentMs = 0;
    this.#startTimer();
  }

  #startTimer(): void {
    this.#timer ??= setInterval(() => this.#look(), lookMs);
  }

  #look(): void {
    if (this.#sockets.size > 0) this.#parts.bridge.giveSign();
    this.#ends.retry();
    let watched = 0;
    const nowMs = this.#parts.clock.nowMs();
    const countedMs = Math.min(Math.max(nowMs - this.#lookedMs, 0), countedMsMax);
    this.#lookedMs = nowMs;
    for (const [connection, guard] of [...this.#guards]) {
      if (guard.heartbeatMs === 0) continue;
      watched++;
      this.#keepHeartbeat(connection, guard, countedMs);
    }
    if (watched === 0 && this.#sockets.size === 0 && this.#ends.waiting === 0) this.close();
  }

  /** Sends the ping that is due, or ends a connection whose client has been silent for too long. */
  #keepHeartbeat(connection: GuardedConnection, guard: SessionGuard, countedMs: number): void {
    const nowMs = this.#parts.clock.nowMs();
    const { heartbeatMs } = guard;
    guard.silentMs = connection.lastHeardMs === guard.heardMs ? guard.silentMs + countedMs : 0;
    guard.heardMs = connection.lastHeardMs;
    if (guard.silentMs >= silentIntervalsMax * heartbeatMs) {
      connection.end(CloseCode.policy, "no heartbeat in time");
      return;
    }
    if (nowMs < guard.nextPingMs) return;
    guard.nextPingMs = nowMs + heartbeatMs;
    connection.ping(`${nowMs}`);
  }
}

/** The interval in ms; undefined if the logon does not name one, null if it is not allowed. */
function heartbeatOf(text: string | undefined): number | undefined | null {
  if (text === undefined) return undefined;
  const ms = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return ms >= heartbeatMsMin && ms <= heartbeatMsMax ? ms : null;
}
