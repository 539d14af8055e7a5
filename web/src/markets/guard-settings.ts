// The user's own limits on orders, remembered in this browser. A change in one tab applies in all tabs.

import { keptSignal } from "../kept-signal.ts";
import { acceptGuards, noGuards, type OrderGuards } from "./order-guards.ts";

export const orderGuards = keptSignal<OrderGuards>("rialto-order-guards", noGuards, acceptGuards, {
  isShared: true,
});
