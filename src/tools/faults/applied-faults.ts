// The profiles that are applied now, and what they do to one request or stream frame. A client has at most one: the one of
// its key, else of its address, else the one for all. Specification: REW-31, REW-34.

import type {
  Fault,
  FaultApplication,
  FaultKind,
  FaultOf,
  FaultTarget,
} from "../../../schemas/fault-profile.ts";
import { FaultDraws } from "./fault-draws.ts";
import { type FaultSubject, FilterMatch, isWithin } from "./fault-match.ts";

/** Profiles that may be applied at a time. */
const appliedMax = 256;

export interface FaultClient {
  /** The API key of the request or connection; null if it has none. */
  readonly key: string | null;
  readonly address: string;
}

export type Interruption = FaultOf<"lose-request" | "lose-answer" | "refuse" | "outage">;

/** What happens to one request. */
export interface RequestPlan {
  readonly profile: string | null;
  readonly delayInMs: number;
  readonly delayOutMs: number;
  /** How far the venue's clock seems to be ahead; 0 for not at all. */
  readonly skewMs: number;
  readonly interruption: Interruption | null;
  readonly kinds: readonly FaultKind[];
}

/** What happens to one stream frame. */
export interface FramePlan {
  readonly profile: string | null;
  readonly delayMs: number;
  readonly isDropped: boolean;
  readonly isDoubled: boolean;
  readonly isReordered: boolean;
  readonly kinds: readonly FaultKind[];
}

/** What happens to an open WebSocket; null for nothing. */
export interface Disconnection {
  readonly profile: string;
  readonly kind: FaultKind;
  /** Code of the close frame; null for a cut. */
  readonly closeCode: number | null;
}

export const undisturbed: RequestPlan & FramePlan = {
  ...{ profile: null, kinds: [], interruption: null },
  ...{ delayInMs: 0, delayOutMs: 0, delayMs: 0, skewMs: 0 },
  ...{ isDropped: false, isDoubled: false, isReordered: false },
};

/** An open WebSocket: an object that stands for it, the name of its client, and when it was opened. */
export interface OpenConnection {
  readonly connection: object;
  readonly client: string;
  readonly sinceMs: number;
}

/** A fault with its number in the profile and its filter. */
interface PreparedFault {
  readonly fault: Fault;
  readonly index: number;
  readonly filter: FilterMatch;
}

/** One application of a profile. */
export class AppliedProfile {
  readonly name: string;
  readonly target: FaultTarget;
  readonly #seed: number;
  readonly #startedMs: number;
  readonly #untilMs: number;
  readonly #draws: FaultDraws;
  readonly #faults: readonly PreparedFault[];
  readonly #counts = new Map<FaultKind, number>();
  /** The numbers of the faults that are to end a connection, drawn when the connection is first looked at. */
  readonly #ends = new WeakMap<object, ReadonlySet<number>>();

  constructor({ profile, target, seed, forMs }: FaultApplication, nowMs: number) {
    this.name = profile.name;
    this.target = target;
    this.#seed = seed;
    this.#startedMs = nowMs;
    this.#untilMs = forMs === null ? Number.POSITIVE_INFINITY : nowMs + forMs;
    this.#draws = new FaultDraws(seed);
    this.#faults = profile.faults.map((fault, index) => {
      return { fault, index, filter: new FilterMatch(fault.on) };
    });
  }

  isOver(nowMs: number): boolean {
    return nowMs >= this.#untilMs;
  }

  shown(): object {
    const until = Number.isFinite(this.#untilMs) ? new Date(this.#untilMs).toISOString() : null;
    return {
      profile: this.name,
      ...this.target,
      seed: this.#seed,
      since: new Date(this.#startedMs).toISOString(),
      until,
      happened: Object.fromEntries(this.#counts),
    };
  }

  planRequest(subject: FaultSubject, client: string, nowMs: number): RequestPlan {
    const kinds: FaultKind[] = [];
    let [delayInMs, delayOutMs, skewMs] = [0, 0, 0];
    let interruption: Interruption | null = null;
    for (const prepared of this.#faults) {
      const { fault } = prepared;
      if (!isOfRequest(fault, subject) || !prepared.filter.matches(subject)) continue;
      const delayMs = this.#drawnMs(prepared, this.#drawName(client), nowMs);
      if (delayMs === null) continue;
      if (fault.kind === "latency-in") delayInMs += delayMs;
      else if (fault.kind === "clock-skew") skewMs += fault.by_ms;
      else if (!isInterruption(fault)) delayOutMs += delayMs;
      else if (interruption === null) interruption = fault;
      else continue;
      kinds.push(fault.kind);
    }
    return { profile: this.name, delayInMs, delayOutMs, skewMs, interruption, kinds };
  }

  planFrame(subject: FaultSubject, client: string, nowMs: number): FramePlan {
    const kinds: FaultKind[] = [];
    const happens = (kind: FaultKind) => kinds.includes(kind);
    let delayMs = 0;
    for (const prepared of this.#faults) {
      const { fault } = prepared;
      if (!isOfFrame(fault, subject) || !prepared.filter.matches(subject)) continue;
      const drawn = this.#drawnMs(prepared, `${this.#drawName(client)} ${subject.stream}`, nowMs);
      if (drawn === null) continue;
      delayMs += drawn;
      kinds.push(fault.kind);
    }
    return {
      ...{ profile: this.name, delayMs, kinds },
      isDropped: happens("gap-depth"),
      isDoubled: happens("duplicate"),
      isReordered: happens("reorder"),
    };
  }

  /** What ends `connection` now; it was opened at `sinceMs`. */
  disconnection(
    subject: FaultSubject,
    { connection, client, sinceMs }: OpenConnection,
    nowMs: number,
  ): Disconnection | null {
    const ends = this.#ends.get(connection) ?? this.#drawEnds(connection, client);
    for (const { fault, index, filter } of this.#faults) {
      if (!ends.has(index) || !filter.matches(subject)) continue;
      if (!isWithin(fault.during, nowMs - this.#startedMs)) continue;
      if (fault.kind === "outage") return { profile: this.name, kind: fault.kind, closeCode: null };
      if (fault.kind !== "disconnect") continue;
      if (nowMs - Math.max(sinceMs, this.#startedMs) < fault.every_ms) continue;
      return { profile: this.name, kind: fault.kind, closeCode: fault.close_code ?? null };
    }
    return null;
  }

  #drawEnds(connection: object, client: string): ReadonlySet<number> {
    const ends = new Set<number>();
    const name = this.#drawName(client);
    for (const { fault, index } of this.#faults) {
      if (fault.kind !== "disconnect" && fault.kind !== "outage") continue;
      if (this.#draws.of(index, `${name} connections`).happens(fault.rate)) ends.add(index);
    }
    this.#ends.set(connection, ends);
    return ends;
  }

  /** The name of the draws: each client has its own. That of a single key is fixed, because a key is new in each venue. */
  #drawName(client: string): string {
    return "key" in this.target ? "key" : client;
  }

  count(kinds: readonly FaultKind[]): void {
    for (const kind of kinds) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  /**
   * Draws whether the fault happens, and its delay; null if it does not happen. It draws outside its window too, so that
   * the draws of a request depend on its place in the sequence only.
   */
  #drawnMs({ fault, index }: PreparedFault, subject: string, nowMs: number): number | null {
    const draws = this.#draws.of(index, subject);
    const happens = draws.happens(fault.rate);
    const delayMs = delayOf(fault, draws);
    return happens && isWithin(fault.during, nowMs - this.#startedMs) ? delayMs : null;
  }
}

function delayOf(fault: Fault, draws: ReturnType<FaultDraws["of"]>): number {
  if (fault.kind === "latency-in" || fault.kind === "latency-out")
    return draws.delayMs(fault.delay);
  return fault.kind === "stale-depth" ? fault.delay_ms : 0;
}

function isInterruption(fault: Fault): fault is Interruption {
  const { kind } = fault;
  return (
    kind === "lose-request" || kind === "lose-answer" || kind === "refuse" || kind === "outage"
  );
}

const requestKinds: ReadonlySet<FaultKind> = new Set([
  ...(["latency-in", "latency-out", "lose-request", "lose-answer"] as const),
  ...(["refuse", "outage", "clock-skew"] as const),
]);
const frameKinds: ReadonlySet<FaultKind> = new Set(["latency-out", "reorder", "duplicate"]);

function isOfRequest({ kind }: Fault, subject: FaultSubject): boolean {
  return requestKinds.has(kind) || (kind === "stale-depth" && subject.isDepth);
}

function isOfFrame({ kind }: Fault, { isDepth }: FaultSubject): boolean {
  return frameKinds.has(kind) || (isDepth && (kind === "stale-depth" || kind === "gap-depth"));
}

export class AppliedFaults {
  #applied: AppliedProfile[] = [];

  /** Whether any profile is applied. */
  get isEmpty(): boolean {
    return this.#applied.length === 0;
  }

  /** Applies a profile in place of the one with the same target; throws if too many are applied. */
  apply(application: FaultApplication, nowMs: number): AppliedProfile {
    const others = this.#withoutTarget(application.target, nowMs);
    if (others.length >= appliedMax)
      throw new Error(`at most ${appliedMax} profiles can be applied: clear some`);
    const made = new AppliedProfile(application, nowMs);
    this.#applied = [...others, made];
    return made;
  }

  /** Ends the profile of one target, or all of them; returns how many ended. */
  clear(target: FaultTarget | null, nowMs: number): number {
    const before = this.#withoutOver(nowMs).length;
    this.#applied = target === null ? [] : this.#withoutTarget(target, nowMs);
    return before - this.#applied.length;
  }

  /** The profile that happens to a client; null for none. */
  of({ key, address }: FaultClient, nowMs: number): AppliedProfile | null {
    if (this.isEmpty) return null;
    const applied = this.#withoutOver(nowMs);
    const find = (isFor: (target: FaultTarget) => boolean) =>
      applied.find(({ target }) => isFor(target));
    return (
      find((target) => "key" in target && target.key === key) ??
      find((target) => "address" in target && target.address === address) ??
      find((target) => "all" in target) ??
      null
    );
  }

  shown(nowMs: number): object[] {
    return this.#withoutOver(nowMs).map((applied) => applied.shown());
  }

  #withoutOver(nowMs: number): AppliedProfile[] {
    if (this.#applied.some((applied) => applied.isOver(nowMs)))
      this.#applied = this.#applied.filter((applied) => !applied.isOver(nowMs));
    return this.#applied;
  }

  #withoutTarget(target: FaultTarget, nowMs: number): AppliedProfile[] {
    const name = JSON.stringify(target);
    return this.#withoutOver(nowMs).filter((one) => JSON.stringify(one.target) !== name);
  }
}

/** The name by which clients are told apart: the key, else the address. */
export function clientName({ key, address }: FaultClient): string {
  return key ?? address;
}
