// How much of its share of the free traffic settlement has used of late. Only what this venue was charged
// since it started: it decides how long batches wait, nothing else.

/** The free allowance refills over this long (design of the network's synchronizer). */
const windowMs = 1_200_000;
const burstBytes = 400_000;
/** Settlement's lane has half of it, and is careful from four fifths of that on. */
const scarceBytes = burstBytes * 0.5 * 0.8;

export class TrafficWindow {
  readonly #charges: { readonly atMs: number; readonly bytes: number }[] = [];
  #used = 0;

  /** Notes `bytes` that a submission was charged. */
  add(bytes: number, atMs: number): void {
    this.#charges.push({ atMs, bytes });
    this.#used += bytes;
  }

  /** True where little of the lane's share is left. */
  isScarce(nowMs: number): boolean {
    for (let first = this.#charges[0]; first !== undefined; first = this.#charges[0]) {
      if (first.atMs > nowMs - windowMs) break;
      this.#used -= first.bytes;
      this.#charges.shift();
    }
    return this.#used > scarceBytes;
  }
}
