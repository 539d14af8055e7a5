// The lease in shared memory: until when this venue may acknowledge, its writer epoch, its role, the distance of
// followers, and since when it is connected to the bus. The main thread stores them, and the bus thread the last one;
// who delivers checks the lease before, and fronts show the rest.
//
//   int64 0              1              2       3            4          5
//   ┌──────────────────┬──────────────┬───────┬────────────┬──────────┬──────────────┐
//   │ valid until, µs  │ writer epoch │ role  │ renewed µs │ distance │ bus, µs      │   monotonic clock; the bus:
//   └──────────────────┴──────────────┴───────┴────────────┴──────────┴──────────────┘   lost since if negative, 0 none

/** Single: without a lease, so nothing runs out. */
export const VenueRole = { single: 0, following: 1, leading: 2 } as const;
export type VenueRole = (typeof VenueRole)[keyof typeof VenueRole];

const slots = { validUntil: 0, epoch: 1, role: 2, renewed: 3, distance: 4, bus: 5 };
const unknownDistance = -1n;

export class LeaseBuffer {
  readonly #i64: BigInt64Array;

  /** Memory of a venue without a lease. */
  static allocate(): SharedArrayBuffer {
    const memory = new SharedArrayBuffer(
      Object.keys(slots).length * BigInt64Array.BYTES_PER_ELEMENT,
    );
    new BigInt64Array(memory)[slots.distance] = unknownDistance;
    return memory;
  }

  constructor(memory: SharedArrayBuffer) {
    this.#i64 = new BigInt64Array(memory);
  }

  /** True if this venue may acknowledge at `nowMs` of the monotonic clock. */
  mayAcknowledge(nowMs: number): boolean {
    // Sequentially consistent, so that a lease that was taken back is seen before anything stored after it.
    if (this.role() === VenueRole.single) return true;
    return BigInt(Math.ceil(nowMs * 1000)) < Atomics.load(this.#i64, slots.validUntil);
  }

  /** Records that the lease was renewed at `nowMs` and is valid until `untilMs`, both of the monotonic clock. */
  renewed(nowMs: number, untilMs: number): void {
    Atomics.store(this.#i64, slots.renewed, BigInt(Math.floor(nowMs * 1000)));
    Atomics.store(this.#i64, slots.validUntil, BigInt(Math.floor(untilMs * 1000)));
  }

  /** Ends the lease at `untilMs` of the monotonic clock, if it would last longer. */
  shorten(untilMs: number): void {
    const us = BigInt(Math.floor(untilMs * 1000));
    if (us < Atomics.load(this.#i64, slots.validUntil))
      Atomics.store(this.#i64, slots.validUntil, us);
  }

  /** Takes the lease back at once. */
  end(): void {
    Atomics.store(this.#i64, slots.validUntil, 0n);
  }

  role(): VenueRole {
    return Number(Atomics.load(this.#i64, slots.role)) as VenueRole;
  }

  setRole(role: VenueRole): void {
    Atomics.store(this.#i64, slots.role, BigInt(role));
  }

  /** The writer epoch of this venue; 0 before it leads. */
  epoch(): number {
    return Number(Atomics.load(this.#i64, slots.epoch));
  }

  setEpoch(epoch: string): void {
    Atomics.store(this.#i64, slots.epoch, BigInt(epoch));
  }

  /** Milliseconds since the last renewal; null for a venue without a lease of its own. */
  ageMs(nowMs: number): number | null {
    if (this.role() !== VenueRole.leading) return null;
    return Math.max(0, nowMs - Number(Atomics.load(this.#i64, slots.renewed)) / 1000);
  }

  /** Events that the slowest follower lacks, or that this follower lacks; null if there is no follower. */
  distance(): number | null {
    const distance = Atomics.load(this.#i64, slots.distance);
    return distance === unknownDistance ? null : Number(distance);
  }

  setDistance(events: number | null): void {
    Atomics.store(this.#i64, slots.distance, events === null ? unknownDistance : BigInt(events));
  }

  /** Records that the connection to the bus was made or lost at `nowMs` of the monotonic clock. */
  setBus(isConnected: boolean, nowMs: number): void {
    const sinceUs = BigInt(Math.max(1, Math.floor(nowMs * 1000)));
    Atomics.store(this.#i64, slots.bus, isConnected ? sinceUs : -sinceUs);
  }

  /** Milliseconds since the connection to the bus was made; null while there is none, and without a bus. */
  busConnectedMs(nowMs: number): number | null {
    const sinceUs = Number(Atomics.load(this.#i64, slots.bus));
    return sinceUs <= 0 ? null : Math.max(0, nowMs - sinceUs / 1000);
  }

  /** Milliseconds for which the bus has been away; null while it is connected, and without a bus. */
  busAwayMs(nowMs: number): number | null {
    const sinceUs = Number(Atomics.load(this.#i64, slots.bus));
    return sinceUs >= 0 ? null : Math.max(0, nowMs + sinceUs / 1000);
  }
}
