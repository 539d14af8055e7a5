// What follows when a fill has triggered a maker group: all of its open orders are cancelled, those still with their
// matchers included. The cancels go on the lane of orders, behind what a matcher has received before and ahead of every
// later command, so nothing that anybody sends after the trigger can trade with the group. Reduce-only orders are in no
// group. A restart continues from the state, which shows the triggered groups.

import { CloseReason } from "../../../core/orders.ts";
import type { MakerGroup } from "../../state/tables/maker-groups.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MassCancels } from "./mass-cancels.ts";

export class MakerGroupCancels {
  readonly #state: VenueState;
  readonly #massCancels: MassCancels;
  /** Groups whose orders are to be cancelled. */
  #due: MakerGroup[];
  /** The trigger, by its time, for which a group's orders were cancelled. */
  readonly #handled = new WeakMap<MakerGroup, number>();

  constructor(state: VenueState, massCancels: MassCancels) {
    this.#state = state;
    this.#massCancels = massCancels;
    this.#due = state.makerGroups.all().filter(({ triggeredUs }) => triggeredUs > 0);
  }

  /** Groups whose orders are still to be cancelled. */
  get waiting(): number {
    return this.#due.length;
  }

  /** Notes the groups that a match has triggered. */
  traded({
    account,
    makerAccount,
    market,
  }: {
    readonly account: number;
    readonly makerAccount: number;
    readonly market: number;
  }): void {
    const { makerGroups } = this.#state;
    if (makerGroups.count === 0) return;
    this.#note(makerGroups.of(makerAccount, market));
    this.#note(makerGroups.of(account, market));
  }

  #note(group: MakerGroup | undefined): void {
    if (group === undefined || group.triggeredUs === 0) return;
    if (this.#handled.get(group) === group.triggeredUs) return;
    this.#handled.set(group, group.triggeredUs);
    this.#due.push(group);
  }

  /** Cancels the orders of triggered groups. Spec MMP-5. */
  pump(atUs: number): void {
    if (this.#due.length === 0) return;
    const due = this.#due;
    this.#due = [];
    for (const { terms, triggeredUs } of due) {
      if (triggeredUs === 0) continue;
      this.#massCancels.cancelAll({
        account: terms.account,
        markets: terms.markets,
        sparesReducing: true,
        isOrdered: true,
        atUs,
        reason: CloseReason.makerGroup,
        done: () => {},
      });
    }
  }
}
