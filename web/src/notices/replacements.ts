// The orders that this page replaces by others. The venue reports the end of the old order as a cancel, before or after it
// answers the request; to the user it is a part of the change. Independent of page and network.

import type { Notice } from "./notices.ts";

//   begun ──cancel comes──▶ held ──replaced──▶ forgotten
//     │                      └─────kept─────▶ told after all
//     ├──kept──▶ forgotten
//     └──replaced──▶ awaited ──cancel comes──▶ forgotten
type State = "begun" | "awaited" | Notice;

export class Replacements {
  readonly #states = new Map<number, State>();

  begin(orderNo: number): void {
    this.#states.set(orderNo, "begun");
  }

  /** Whether this cancel is a part of a replacement, and is not to be told now. */
  takes(notice: Notice): boolean {
    const state = this.#states.get(notice.orderNo);
    if (notice.kind !== "cancel" || state === undefined) return false;
    if (state === "awaited") this.#states.delete(notice.orderNo);
    else this.#states.set(notice.orderNo, notice);
    return true;
  }

  /** The order was replaced: its cancel is no news. */
  replaced(orderNo: number): void {
    if (this.#states.get(orderNo) === "begun") this.#states.set(orderNo, "awaited");
    else this.#states.delete(orderNo);
  }

  /** The order is still the same, or the change failed. Returns the cancel that has come all the same; null for none. */
  kept(orderNo: number): Notice | null {
    const state = this.#states.get(orderNo);
    this.#states.delete(orderNo);
    return typeof state === "object" ? state : null;
  }

  forget(): void {
    this.#states.clear();
  }
}
