// Every request's way to its route, in the order of binance-compat 2.5: address brake, key header,
// presence of signature and timestamp, key, time window, signature, limits of the key; then the
// route. Unsigned routes pass the address's weight only. The first check that fails answers.

import { KeyPermission, type RateTier } from "../../core/accounts.ts";
import type { ApiKeyState } from "../../engine/clearing/key-table.ts";
import type { VenueState } from "../../engine/clearing/venue-state.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ApiKey, KeyDirectory } from "../../services/access/key-directory.ts";
import type { RateLimiter } from "../../services/access/rate-limiter.ts";
import {
  limitsOf,
  publicWeightPerMinute,
  signedRequestsPerMinute,
} from "../../services/access/rate-tiers.ts";
import {
  type ParameterFault,
  RequestParameters,
} from "../../services/access/request-parameters.ts";
import {
  type AuthFault,
  isKeyForm,
  isSignedBy,
  presenceFault,
  windowFault,
} from "../../services/access/signed-request.ts";
import type { PublicRoute, Route, SignedRoute } from "./route.ts";
import { contentTypes, type HttpCall } from "./server/http-call.ts";
import {
  authErrors,
  duplicateParameter,
  hinted,
  illegalParameter,
  refuse,
  type SurfaceError,
  tooManyParameters,
  tooManyRequests,
} from "./surface-error.ts";

const permissionOf = { read: KeyPermission.read, trade: KeyPermission.trade } as const;

function parameterError({ kind, name }: ParameterFault): SurfaceError {
  if (kind === "duplicate") return duplicateParameter;
  return kind === "tooMany" ? tooManyParameters : illegalParameter(name);
}

function weightOf(route: Route, parameters: RequestParameters): number {
  return typeof route.weight === "number" ? route.weight : route.weight(parameters);
}

export interface PipelineParts {
  readonly state: VenueState;
  readonly keys: KeyDirectory;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
}

/** A key that may be used, with what the venue's state says of it. */
interface UsableKey {
  readonly key: ApiKey;
  readonly standing: ApiKeyState;
}

export class RequestPipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** Takes a call to its route; answers it if a check fails on the way. */
  run(call: HttpCall, route: Route): void {
    if (route.security === "none") this.#runPublic(call, route);
    else this.#runSigned(call, route);
  }

  /** The tier of an active key by its value; standard for anything else. Proves nothing about the caller. */
  tierOf(call: HttpCall): RateTier {
    const key = call.apiKey === "" ? undefined : this.#parts.keys.find(call.apiKey);
    const standing = key && this.#parts.state.keys.get(key.keyId);
    return standing === undefined || standing.isRevoked ? 0 : standing.tier;
  }

  /**
   * Refuses a call that no route has seen, with the weight its address has used; `closes` ends the
   * connection after it.
   */
  refuse(call: HttpCall, error: SurfaceError, closes = false): void {
    this.#tellWeightOfAddress(call);
    refuse(call, error, closes);
  }

  #tellWeightOfAddress(call: HttpCall): void {
    if (call.hasToldWeight) return;
    const nowMs = this.#parts.clock.nowMs();
    call.tellWeight(this.#parts.limiter.publicWeightOf(call.address.hash, nowMs));
  }

  #runPublic(call: HttpCall, route: PublicRoute): void {
    const parameters = RequestParameters.parse(call.query, call.body);
    if (!(parameters instanceof RequestParameters)) {
      if (route.hasTextFaults === true) {
        const words = "Failed to deserialize query string: malformed or repeated parameter";
        this.#tellWeightOfAddress(call);
        call.answer(400, contentTypes.text, words);
      } else {
        this.refuse(call, parameterError(parameters));
      }
      return;
    }
    const { limiter, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const isWithin = limiter.takePublicWeight(
      call.address.hash,
      weightOf(route, parameters),
      nowMs,
    );
    call.tellWeight(limiter.publicWeightOf(call.address.hash, nowMs));
    if (isWithin) route.answer(call, parameters);
    else refuse(call, tooManyRequests(publicWeightPerMinute, "weight"));
  }

  #runSigned(call: HttpCall, route: SignedRoute): void {
    const { limiter, clock, keys } = this.#parts;
    if (!limiter.takeSignedRequest(call.address.hash, clock.nowMs())) {
      this.refuse(call, tooManyRequests(signedRequestsPerMinute, "weight"));
      return;
    }
    if (!isKeyForm(call.apiKey)) {
      this.#refuseAuth(call, "keyFormat");
      return;
    }
    const parameters = RequestParameters.parse(call.query, call.body);
    if (!(parameters instanceof RequestParameters)) {
      this.refuse(call, parameterError(parameters));
      return;
    }
    const missing = presenceFault(parameters);
    if (missing !== undefined) {
      this.#refuseAuth(call, missing);
      return;
    }
    const go = () => this.#authenticate(call, route, parameters);
    // A key just registered may not have its material here yet: its first request waits for it.
    if (keys.isLoading && keys.find(call.apiKey) === undefined) void keys.settled().then(go);
    else go();
  }

  #authenticate(call: HttpCall, route: SignedRoute, parameters: RequestParameters): void {
    if (call.isOver) return;
    const usable = this.#usableKey(call, route);
    if (usable === undefined) {
      this.#refuseAuth(call, "keyUnknown");
      return;
    }
    const nowMs = this.#parts.clock.nowMs();
    const outside = windowFault(parameters, nowMs);
    if (outside !== undefined) {
      this.refuse(call, hinted(authErrors[outside], { serverTime: nowMs }));
      return;
    }
    const isSigned = isSignedBy(usable.key.check, parameters);
    if (typeof isSigned === "boolean") {
      this.#admit(call, route, { parameters, usable, isSigned });
      return;
    }
    // The key may have been revoked while another thread looked at the signature.
    void isSigned.then((isValid) => {
      const still = this.#usableKey(call, route);
      if (still === undefined) this.#refuseAuth(call, "keyUnknown");
      else this.#admit(call, route, { parameters, usable: still, isSigned: isValid });
    });
  }

  #usableKey(call: HttpCall, route: SignedRoute): UsableKey | undefined {
    const { keys, state } = this.#parts;
    const key = keys.find(call.apiKey);
    const standing = key && state.keys.get(key.keyId);
    if (key === undefined || standing === undefined || standing.isRevoked) return undefined;
    const isPermitted = (standing.permissions & permissionOf[route.security]) !== 0;
    return isPermitted && key.allowsAddress(call.address.text) ? { key, standing } : undefined;
  }

  #admit(
    call: HttpCall,
    route: SignedRoute,
    asked: { parameters: RequestParameters; usable: UsableKey; isSigned: boolean },
  ): void {
    if (call.isOver) return;
    if (!asked.isSigned) {
      this.#refuseAuth(call, "signatureWrong");
      return;
    }
    const { parameters, usable } = asked;
    const { keyId, account, tier } = usable.standing;
    const over = this.#overLimit(call, route, { parameters, keyId, tier });
    if (over !== undefined) refuse(call, over);
    else route.answer(call, parameters, { account, keyId, tier });
  }

  /** Counts the call against its key and tells the counts; the limit it is over, if any. */
  #overLimit(
    call: HttpCall,
    route: SignedRoute,
    { parameters, keyId, tier }: { parameters: RequestParameters; keyId: number; tier: RateTier },
  ): SurfaceError | undefined {
    const { limiter, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const limits = limitsOf(tier);
    const { orders } = route;
    const hasWeight = limiter.takeWeight(keyId, weightOf(route, parameters), limits, nowMs);
    call.tellWeight(limiter.weightOf(keyId, nowMs));
    if (!hasWeight) return tooManyRequests(limits.weightPerMinute, "weight");
    if (orders === undefined) return undefined;
    const hasOrders = limiter.takeOrders(keyId, orders, limits, nowMs);
    const { per10s, perMinute } = limiter.ordersOf(keyId, nowMs);
    call.tellOrders(per10s, perMinute);
    if (hasOrders) return undefined;
    return perMinute + orders > limits.ordersPerMinute
      ? tooManyRequests(limits.ordersPerMinute, "orders1m")
      : tooManyRequests(limits.ordersPer10s, "orders10s");
  }

  #refuseAuth(call: HttpCall, fault: AuthFault): void {
    this.refuse(call, authErrors[fault]);
  }
}
