// The checks of every native request before its route: limits of the address, bearer token, limits of the session. The
// first check that fails decides the error. Spec SES-12, NAT-2. Paths with parameters are matched segment by segment. A
// fixed segment takes precedence, so `/v1/orders/me` is never an order called `me`.

import { RateTier } from "../../../core/accounts.ts";
import { loginsPerMinute } from "../../../core/limits.ts";
import { OrderOwners } from "../../../engine/state/tables/order-owners.ts";
import type { SessionState } from "../../../engine/state/tables/session-table.ts";
import type { VenueState } from "../../../engine/state/venue-state.ts";
import type { Clock } from "../../../ports/clock.ts";
import { Limited, type RateLimiter } from "../../../services/access/rate-limiter.ts";
import { leastOf } from "../../../services/access/request-weight.ts";
import type { SessionDirectory } from "../../../services/access/session-directory.ts";
import { RequestParameters } from "../../../services/access/signed-request.ts";
import { requestClaim } from "../orders/leader-counts.ts";
import type { PathNames, Route } from "../requests/route.ts";
import { refuse } from "../requests/surface-error.ts";
import type { HttpCall, Method } from "../server/http-call.ts";
import { badQuery, nativeFaults } from "./error-map.ts";

const bearer = /^Bearer +(\S+) *$/i;

/** Maximum length of a token that is looked up; no valid token is longer. */
const tokenLengthMax = 256;

export interface NativePipelineParts {
  readonly state: VenueState;
  readonly sessions: SessionDirectory;
  readonly limiter: RateLimiter;
  /** False in a gateway, where the leader counts orders. */
  readonly countsOrders: boolean;
  readonly clock: Clock;
}

export class NativePipeline {
  readonly #parts: NativePipelineParts;
  readonly #router: PathRouter;
  readonly #owners: OrderOwners;

  constructor(parts: NativePipelineParts, routes: readonly Route[]) {
    this.#parts = parts;
    this.#owners = new OrderOwners(parts.state);
    this.#router = new PathRouter(routes);
  }

  /** Answers a call to the native surface. */
  run(call: HttpCall): void {
    const methods = call.method === "OPTIONS" ? this.#router.methodsOf(call.path) : [];
    if (methods.length > 0) {
      if (this.#isWithinAddress(call, undefined)) call.options(methods);
      return;
    }
    const found = this.#router.find(call.routedMethod, call.path);
    const route = found?.route;
    if (route?.security === "session") this.#runProtected(call, route, found?.path ?? {});
    else if (this.#isWithinAddress(call, route)) {
      if (route === undefined) this.#refuseUnrouted(call);
      else this.#answerOpen(call, route, found?.path ?? {});
    }
  }

  #refuseUnrouted(call: HttpCall): void {
    const methods = this.#router.methodsOf(call.path);
    if (methods.length > 0) call.allows(methods);
    refuse(call, methods.length > 0 ? nativeFaults.wrongMethod : nativeFaults.notFound);
  }

  /** Counts an anonymous call against its address; returns false if the call was refused. */
  #isWithinAddress(call: HttpCall, route: Route | undefined): boolean {
    const { limiter, clock } = this.#parts;
    const { hash } = call.address;
    const nowMs = clock.nowMs();
    const isWithin =
      limiter.takePublicWeight(hash, leastOf(route?.weight, 1), nowMs) &&
      (route?.security !== "login" || limiter.takeLogin(hash, loginsPerMinute, nowMs));
    if (!isWithin) refuse(call, nativeFaults.tooManyRequests);
    return isWithin;
  }

  #answerOpen(call: HttpCall, route: Route, path: PathNames): void {
    const parameters = RequestParameters.parse(call.query, "");
    if (parameters instanceof RequestParameters) route.answer(call, parameters, null, path);
    else refuse(call, badQuery(parameters.name));
  }

  #runProtected(call: HttpCall, route: Route, path: PathNames): void {
    const { limiter, clock, sessions } = this.#parts;
    if (!limiter.takeSignedRequest(call.address.hash, clock.nowMs())) {
      refuse(call, nativeFaults.tooManyRequests);
      return;
    }
    const token = bearer.exec(call.authorization)?.[1];
    if (token === undefined) {
      refuse(call, nativeFaults.tokenMissing);
      return;
    }
    const sessionId = token.length > tokenLengthMax ? undefined : sessions.find(token);
    // The hash of a session that was just opened may still be loading; if so, the first request of the session waits.
    if (sessionId !== undefined || !sessions.isLoading) this.#admit(call, route, path, sessionId);
    else {
      const go = () => this.#admit(call, route, path, sessions.find(token));
      void sessions.settled().then(go);
    }
  }

  #admit(call: HttpCall, route: Route, path: PathNames, sessionId: number | undefined): void {
    if (call.isOver) return;
    const session = this.#openSession(sessionId);
    if (session === undefined) {
      refuse(call, nativeFaults.sessionInvalid);
      return;
    }
    const [weight, orders] = [leastOf(route.weight, 1), leastOf(route.orders, 0)];
    // Sessions and keys share one sequence of numbers, so the rate counters of keys also count requests of sessions.
    const { sessionId: keyId, account } = session;
    const counted = { keyId, account, tier: RateTier.standard };
    const { limiter, clock, countsOrders } = this.#parts;
    if (orders > 0 && !countsOrders)
      call.orderClaim = requestClaim(counted, this.#owners, { orders, weight });
    const countedHere = countsOrders ? orders : 0;
    const limited = limiter.admitCall(counted, weight, countedHere, this.#owners, clock.nowMs());
    if (limited !== Limited.no) {
      refuse(call, nativeFaults.tooManyRequests);
      return;
    }
    const parameters = RequestParameters.parse(call.query, "");
    if (parameters instanceof RequestParameters) route.answer(call, parameters, session, path);
    else refuse(call, badQuery(parameters.name));
  }

  /** The session, or undefined if an event closed it or it expired. */
  #openSession(sessionId: number | undefined): SessionState | undefined {
    const { state, clock } = this.#parts;
    const session = sessionId === undefined ? undefined : state.sessions.get(sessionId);
    return session !== undefined && session.expiresUs > clock.nowUs() ? session : undefined;
  }
}

interface PathNode {
  readonly fixed: Map<string, PathNode>;
  named: { readonly name: string; readonly node: PathNode } | null;
  readonly routes: Map<Method, Route>;
}

/** A route and the values of its path parameters. */
export interface FoundRoute {
  readonly route: Route;
  readonly path: PathNames;
}

function emptyNode(): PathNode {
  return { fixed: new Map(), named: null, routes: new Map() };
}

/** The percent-decoded text, or null if it is invalid. */
function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

export class PathRouter {
  readonly #root = emptyNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
  }

  /** The route of a method and path; undefined if there is none. */
  find(method: Method, path: string): FoundRoute | undefined {
    const found = this.#nodeOf(path);
    const route = found?.node.routes.get(method);
    return found === undefined || route === undefined ? undefined : { route, path: found.path };
  }

  /** Methods that have a route at the path. */
  methodsOf(path: string): Method[] {
    return [...(this.#nodeOf(path)?.node.routes.keys() ?? [])];
  }

  #nodeOf(path: string): { node: PathNode; path: PathNames } | undefined {
    const values: Record<string, string> = {};
    let node = this.#root;
    for (const segment of path.split("/")) {
      const fixed = node.fixed.get(segment);
      if (fixed !== undefined) {
        node = fixed;
        continue;
      }
      const value = node.named === null || segment === "" ? null : decoded(segment);
      if (node.named === null || value === null) return undefined;
      values[node.named.name] = value;
      node = node.named.node;
    }
    return { node, path: values };
  }

  #add(route: Route): void {
    let node = this.#root;
    for (const segment of route.path.split("/")) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name === undefined) {
        const next = node.fixed.get(segment) ?? emptyNode();
        node.fixed.set(segment, next);
        node = next;
      } else {
        node.named ??= { name, node: emptyNode() };
        node = node.named.node;
      }
    }
    node.routes.set(route.method, route);
  }
}
