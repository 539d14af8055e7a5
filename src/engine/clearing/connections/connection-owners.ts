// Whether those who serve order connections, gateways and the venue's own fronts, are alive. One that is silent for too
// long has lost its connections. A new leader first hears each gateway again; until then it accepts no orders, because
// the gateway may have died together with the leader before. None of this is part of the state: what follows from a
// silence is journaled.
//
// Silence is counted in clock ticks of limited length, not measured as elapsed time, so that a pause of the venue does
// not look like silence of all others.

import {
  connectionOwnerLostMs,
  connectionOwnerReturnMs,
  frontLostMs,
} from "../../../core/connection-limits.ts";
import type { OrderConnections } from "../../state/tables/order-connections.ts";

/** Time in µs between two ticks that count, and the longest time that one of them adds to a silence. */
const countEveryUs = 100_000;
const countedUsMax = 150_000;

/** Whether an owner, as `ownerOf` returns it, is a gateway; if not, it is a front of the venue. */
function isGateway(owner: number): boolean {
  return owner > 0;
}

export class ConnectionOwners {
  readonly #connections: OrderConnections;
  /** By owner: the counted time at which it was last heard. */
  readonly #heardUs = new Map<number, number>();
  /** Owners that the leader before has left, and that this one has not heard. */
  readonly #awaited: Set<number>;
  #countedUs = 0;
  #tickUs = 0;

  constructor(connections: OrderConnections) {
    this.#connections = connections;
    this.#awaited = new Set([...connections.owners()].filter(isGateway));
  }

  /** True while a gateway with connections from before this leader has not been heard. */
  get isAwaiting(): boolean {
    for (const owner of this.#awaited) if (this.#connections.isOwner(owner)) return true;
    return false;
  }

  /** The time of the next tick that counts; +∞ if there are no connections. */
  get nextUs(): number {
    return this.#connections.count > 0 ? this.#tickUs + countEveryUs : Number.POSITIVE_INFINITY;
  }

  /** Called when the owner gave a sign of life; does nothing if it serves no open connection. */
  heard(owner: number): void {
    this.#awaited.delete(owner);
    if (!this.#connections.isOwner(owner)) return;
    this.#heardUs.set(owner, this.#countedUs);
  }

  /** Counts the time until `nowUs`; returns the owners of open connections that have been silent for too long. */
  tick(nowUs: number): number[] {
    // The clock was set back.
    if (nowUs < this.#tickUs) this.#tickUs = nowUs;
    if (nowUs < this.nextUs) return [];
    this.#countedUs += Math.min(nowUs - this.#tickUs, countedUsMax);
    this.#tickUs = nowUs;
    for (const owner of this.#heardUs.keys()) {
      if (!this.#connections.isOwner(owner)) this.#heardUs.delete(owner);
    }
    const lost = [...this.#connections.owners()].filter((owner) => this.#isLost(owner));
    for (const owner of lost) this.#awaited.delete(owner);
    return lost;
  }

  #isLost(owner: number): boolean {
    const heardUs = this.#heardUs.get(owner);
    if (heardUs === undefined) return this.#countedUs >= 1000 * connectionOwnerReturnMs;
    const limitMs = isGateway(owner) ? connectionOwnerLostMs : frontLostMs;
    return this.#countedUs - heardUs >= 1000 * limitMs;
  }
}
