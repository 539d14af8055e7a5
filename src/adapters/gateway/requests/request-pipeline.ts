// Checks every request before its route, in this order: address limit, key header, presence of signature and timestamp,
// key, time window, signature, limits of the key. Unsigned routes check only the address weight. Routes that take a key
// without a signature check the key and its limits. The first check that fails decides the answer. Spec AUT-14.

import {
  isPermitted,
  KeyPermission,
  type RateTier,
  tradePermissions,
} from "../../../core/accounts.ts";
import { MarketKind } from "../../../core/markets.ts";
import type { ApiKeyState } from "../../../engine/state/tables/key-table.ts";
import { OrderOwners } from "../../../engine/state/tables/order-owners.ts";
import type { VenueState } from "../../../engine/state/venue-state.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ApiKey, KeyDirectory } from "../../../services/access/key-directory.ts";
import {
  Limited,
  limitsOf,
  publicWeightPerMinute,
  type RateLimiter,
  type RateLimits,
  signedRequestsPerMinute,
} from "../../../services/access/rate-limiter.ts";
import { leastOf, type Weight } from "../../../services/access/request-weight.ts";
import {
  type AuthFault,
  Ed25519Signature,
  isKeyForm,
  isSignedBy,
  type ParameterFault,
  presenceFault,
  RequestParameters,
  timestampFault,
  windowEnd,
} from "../../../services/access/signed-request.ts";
import { requestClaim } from "../orders/leader-counts.ts";
import type { HttpCall, Method, WeightRefund } from "../server/http-call.ts";
import type { CheckedRoute } from "./route.ts";
import {
  authErrors,
  duplicateParameter,
  hinted,
  illegalParameter,
  notEd25519,
  refuse,
  type SurfaceError,
  splitParameter,
  tooManyParameters,
  tooManyRequests,
  undeserialisedQuery,
} from "./surface-error.ts";
import { compatPrefix } from "./surface-view.ts";

/** The permission that a key needs for a route. Perpetuals are traded on FAPI only, spot markets everywhere else. */
function permissionFor({ security, path }: CheckedRoute): number {
  if (security === "transfer") return KeyPermission.transfer;
  if (security !== "trade") return KeyPermission.read;
  return tradePermissions[path.startsWith("/fapi/") ? MarketKind.perpetual : MarketKind.spot];
}

const limitErrors = {
  [Limited.weight]: (limits: RateLimits) => tooManyRequests(limits.weightPerMinute, "weight"),
  [Limited.orders10s]: (limits: RateLimits) => tooManyRequests(limits.ordersPer10s, "orders10s"),
  [Limited.orders1m]: (limits: RateLimits) => tooManyRequests(limits.ordersPerMinute, "orders1m"),
} as const;

function parameterError({ kind, name }: ParameterFault): SurfaceError {
  if (kind === "duplicate") return duplicateParameter;
  if (kind === "split") return splitParameter(name);
  return kind === "tooMany" ? tooManyParameters : illegalParameter(name);
}

/** The weight or number of orders of a request, which may depend on its parameters. */
export function amountOf(amount: Weight | undefined, parameters: RequestParameters): number {
  return typeof amount === "function" ? amount(parameters) : (amount ?? 0);
}

/**
 * Returns whether a call needs no timestamp: the route does not use one, or the connection is authenticated, the route
 * allows omitting the timestamp, and the call has none.
 */
function isTimeless(
  route: CheckedRoute,
  parameters: RequestParameters,
  isProved: boolean,
): boolean {
  if (route.security === "key") return true;
  const isAllowed = isProved && route.isTimeless === true;
  return isAllowed && parameters.get("timestamp") === undefined;
}

export interface PipelineParts {
  /**
   * Parameter names of all routes. If a request has a query and a body, the body must begin with one of these names.
   * Both are signed as one text, so any other beginning could be the end of the query's last value, moved into the
   * body.
   */
  readonly signedNames: ReadonlySet<string>;
  readonly state: VenueState;
  readonly keys: KeyDirectory;
  readonly limiter: RateLimiter;
  /** False in a gateway, where the leader counts orders. */
  readonly countsOrders: boolean;
  /** True if compat requests must be signed as they were sent (COMPAT_STRICT). Spec CMP-40. */
  readonly isStrict: boolean;
  readonly clock: Clock;
}

/** What a caller presents to be authenticated. `nowMs` is read once and used by all checks of the request. */
interface Presented {
  readonly parameters: RequestParameters;
  readonly isProved: boolean;
  /** Undefined if no key has the value in the header. */
  readonly key: ApiKey | undefined;
  readonly nowMs: number;
}

/** Limits of an address that sends no key. */
const publicLimits: RateLimits = {
  weightPerMinute: publicWeightPerMinute,
  ordersPer10s: 0,
  ordersPerMinute: 0,
};

export class RequestPipeline {
  readonly #parts: PipelineParts;
  readonly #owners: OrderOwners;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    this.#owners = new OrderOwners(parts.state);
  }

  /**
   * Runs the checks and passes the call to its route. If a check fails, the call is answered with the error instead.
   */
  run(call: HttpCall, route: CheckedRoute): void {
    if (route.security === "none") this.#runPublic(call, route);
    else this.#runKeyed(call, route);
  }

  /**
   * Whether a text is signed by an Ed25519 key with that value: null, or why not. For connections that prove their key
   * by a message of their own. Waits if the key's secret is still loading. Spec FIX-12.
   */
  async proves(value: string, text: string, signature: string): Promise<SurfaceError | null> {
    const { keys } = this.#parts;
    if (keys.find(value) === undefined && keys.isLoading) await keys.settled();
    const key = keys.find(value);
    if (key === undefined) return authErrors[isKeyForm(value) ? "keyUnknown" : "keyFormat"];
    if (!(key.check instanceof Ed25519Signature)) return notEd25519;
    return (await key.check.verify(text, signature)) ? null : authErrors.signatureWrong;
  }

  /** Runs a call of a connection that has already proved possession of the call's key, so no signature is needed. */
  runProved(call: HttpCall, route: CheckedRoute): void {
    if (route.security === "none") this.#runPublic(call, route);
    else this.#runKeyed(call, route, true);
  }

  /**
   * Rate tier of the active key that the call names; the standard tier for any other key or none. It does not
   * authenticate the caller.
   */
  tierOf(call: HttpCall): RateTier {
    const key = call.apiKey === "" ? undefined : this.#parts.keys.find(call.apiKey);
    const keyState = key && this.#parts.state.keys.get(key.keyId);
    return keyState === undefined ? 0 : keyState.tier;
  }

  /**
   * Refuses a call without counting it. The answer reports how much weight the address has used. `closes` ends the
   * connection after the answer.
   */
  refuse(call: HttpCall, error: SurfaceError, closes = false): void {
    if (!call.hasReportedUse) {
      const nowMs = this.#parts.clock.nowMs();
      call.reportUse(this.#parts.limiter.publicWeightOf(call.address.hash, nowMs));
      call.limits = publicLimits;
    }
    refuse(call, error, closes);
  }

  /** Refuses a call that no route matches; the call costs its address the same weight as an answered one. */
  refuseUnrouted(call: HttpCall, error: SurfaceError): void {
    this.answerUnrouted(call, () => refuse(call, error));
  }

  /** Like `refuseUnrouted`, for an answer of another form. */
  answerUnrouted(call: HttpCall, answer: () => void): void {
    if (this.#hasPublicWeight(call, 1)) answer();
  }

  /** Answers OPTIONS with the methods of a path, at a weight of 1. Returns false if the path has no methods. */
  answerOptions(call: HttpCall, methods: readonly Method[]): boolean {
    if (methods.length === 0) return false;
    if (this.#hasPublicWeight(call, 1)) call.options(methods);
    return true;
  }

  /** Counts the weight of an unsigned call; returns false if the call was refused. */
  #hasPublicWeight(call: HttpCall, weight: number): boolean {
    const { limiter, clock } = this.#parts;
    const isWithin = limiter.takePublicWeight(call.address.hash, weight, clock.nowMs());
    call.reportUse(limiter.usedWeight);
    call.limits = publicLimits;
    if (!isWithin) refuse(call, tooManyRequests(publicWeightPerMinute, "weight"));
    return isWithin;
  }

  #runPublic(call: HttpCall, route: CheckedRoute): void {
    const parameters = RequestParameters.parse(call.query, call.body);
    if (parameters instanceof RequestParameters) {
      const weight = amountOf(route.weight, parameters);
      if (this.#hasPublicWeight(call, weight)) route.answer(call, parameters, null);
      return;
    }
    // Even a request that cannot be read costs at least the minimum weight of its route.
    if (!this.#hasPublicWeight(call, leastOf(route.weight, 1))) return;
    const message = "malformed or repeated parameter";
    refuse(call, route.hasTextFaults ? undeserialisedQuery(message) : parameterError(parameters));
  }

  #runKeyed(call: HttpCall, route: CheckedRoute, isProved = false): void {
    const { limiter, clock, keys } = this.#parts;
    const nowMs = clock.nowMs();
    if (!limiter.takeSignedRequest(call.address.hash, nowMs)) {
      this.refuse(call, tooManyRequests(signedRequestsPerMinute, "weight"));
      return;
    }
    const key = keys.find(call.apiKey);
    // A key found in memory is always well-formed, so only unknown keys need the check.
    if (key === undefined && !isKeyForm(call.apiKey)) {
      this.#refuseAuth(call, "keyFormat");
      return;
    }
    const parameters = RequestParameters.parse(call.query, call.body);
    if (!(parameters instanceof RequestParameters)) {
      this.refuse(call, parameterError(parameters));
      return;
    }
    const behind = route.security === "key" ? undefined : parameters.nameBehindQuery;
    if (behind !== undefined && !this.#parts.signedNames.has(behind)) {
      this.refuse(call, splitParameter(behind));
      return;
    }
    const needed = isProved ? timestampFault : presenceFault;
    const isBare = isTimeless(route, parameters, isProved);
    const missing = isBare ? undefined : needed(parameters);
    if (missing !== undefined) {
      this.#refuseAuth(call, missing);
      return;
    }
    // The secret of a key that was just registered may still be loading. If so, the key's first request waits.
    if (key !== undefined || !keys.isLoading) {
      this.#authenticate(call, route, { parameters, isProved, key, nowMs });
      return;
    }
    void keys.settled().then(() => {
      const loaded = keys.find(call.apiKey);
      this.#authenticate(call, route, { parameters, isProved, key: loaded, nowMs: clock.nowMs() });
    });
  }

  #authenticate(
    call: HttpCall,
    route: CheckedRoute,
    { parameters, isProved, key, nowMs }: Presented,
  ): void {
    if (call.isOver) return;
    const keyState = this.#permittedKey(call, route, key);
    if (key === undefined || keyState === undefined) {
      this.#refuseAuth(call, "keyUnknown");
      return;
    }
    if (route.security === "key") {
      this.#admit(call, route, parameters, keyState, nowMs);
      return;
    }
    const isBare = isTimeless(route, parameters, isProved);
    const endMs = isBare ? Number.POSITIVE_INFINITY : windowEnd(parameters, nowMs);
    if (typeof endMs === "string") {
      this.refuse(call, hinted(authErrors[endMs], { serverTime: nowMs }));
      return;
    }
    call.untilUs = Math.floor(1000 * endMs);
    // The requests of a session have no encoded form of their own, so only HTTP can be strict about it.
    const isExact = this.#parts.isStrict && call.path.startsWith(compatPrefix);
    const isSigned = isProved || isSignedBy(key.check, parameters, isExact);
    if (isSigned === true) this.#admit(call, route, parameters, keyState, nowMs);
    else if (isSigned === false) this.#refuseAuth(call, "signatureWrong");
    else void isSigned.then((isValid) => this.#admitLater(call, route, parameters, isValid));
  }

  /**
   * Admits a call after another thread has verified its signature. Looks its key up again, because the key may have
   * been revoked meanwhile.
   */
  #admitLater(
    call: HttpCall,
    route: CheckedRoute,
    parameters: RequestParameters,
    isSigned: boolean,
  ): void {
    if (call.isOver) return;
    const keyState = this.#permittedKey(call, route, this.#parts.keys.find(call.apiKey));
    if (keyState === undefined) this.#refuseAuth(call, "keyUnknown");
    else if (!isSigned) this.#refuseAuth(call, "signatureWrong");
    else this.#admit(call, route, parameters, keyState, this.#parts.clock.nowMs());
  }

  /** The state of the key if the key is permitted to make the call; otherwise undefined. */
  #permittedKey(
    call: HttpCall,
    route: CheckedRoute,
    key: ApiKey | undefined,
  ): ApiKeyState | undefined {
    const keyState = key && this.#activeKey(key.keyId);
    if (key === undefined || keyState === undefined) return undefined;
    const mayCall = isPermitted(keyState.permissions, permissionFor(route));
    return mayCall && key.allowsAddress(call.address.text) ? keyState : undefined;
  }

  /** The state of a key that is neither revoked nor expired. Clearing revokes an expired key, a moment later. */
  #activeKey(keyId: number): ApiKeyState | undefined {
    const keyState = this.#parts.state.keys.get(keyId);
    const endsUs = keyState?.expiresUs || Number.POSITIVE_INFINITY;
    return this.#parts.clock.nowUs() < endsUs ? keyState : undefined;
  }

  /** Whether a key is neither revoked nor expired. Spec KEY-18. */
  isActive(keyId: number): boolean {
    return this.#activeKey(keyId) !== undefined;
  }

  /**
   * Returns whether a key currently has the right to read, with requests from `address`. Waits if the key's secret is
   * still loading. Spec KEY-11.
   */
  mayRead(keyId: number, address: string): Promise<boolean> {
    return this.may(KeyPermission.read, keyId, address);
  }

  /** Like `mayRead`, for any permission. */
  async may(permission: number, keyId: number, address: string): Promise<boolean> {
    const { keys } = this.#parts;
    if (keys.isLoading) await keys.settled();
    const key = keys.ofId(keyId);
    const permissions = this.#activeKey(keyId)?.permissions ?? 0;
    return isPermitted(permissions, permission) && key?.allowsAddress(address) === true;
  }

  /**
   * Counts the call against its key and account, reports the counts in the answer, and passes the call to its route.
   */
  #admit(
    call: HttpCall,
    route: CheckedRoute,
    parameters: RequestParameters,
    caller: ApiKeyState,
    nowMs: number,
  ): void {
    const { limiter, countsOrders } = this.#parts;
    const weight = amountOf(route.weight, parameters);
    const orders = amountOf(route.orders, parameters);
    if (orders > 0 && !countsOrders)
      call.orderClaim = requestClaim(caller, this.#owners, { orders, weight });
    const counted = countsOrders ? orders : 0;
    const limited = limiter.admitCall(caller, weight, counted, this.#owners, nowMs);
    call.reportUse(limiter.usedWeight, limiter.ordersPer10s, limiter.ordersPerMinute);
    call.limits = limitsOf(caller.tier);
    call.placesOrders = orders > 0;
    if (limited !== Limited.no) {
      refuse(call, limitErrors[limited](limiter.limits));
      return;
    }
    if (route.isFreeIfDone) call.refund = this.#refundOf(caller.keyId, weight, nowMs);
    route.answer(call, parameters, caller);
  }

  /** Gives back the weight that a key was charged at `chargedMs`, and shows in the answer what is left. */
  #refundOf(keyId: number, weight: number, chargedMs: number): WeightRefund {
    const { limiter, clock } = this.#parts;
    return {
      giveBack: (call) => {
        limiter.giveBackWeight(keyId, weight, chargedMs);
        limiter.lookAtKey(keyId, clock.nowMs());
        call.reportUse(limiter.usedWeight, call.ordersPer10s, call.ordersPerMinute);
      },
    };
  }

  #refuseAuth(call: HttpCall, fault: AuthFault): void {
    this.refuse(call, authErrors[fault]);
  }
}
