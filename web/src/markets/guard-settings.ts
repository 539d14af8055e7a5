// The user's own limits on orders, remembered in this browser.

import { effect, signal } from "@preact/signals";
import { noGuards, type OrderGuards } from "./order-guards.ts";

const storageName = "rialto-order-guards";

function remembered(): OrderGuards {
  const text = localStorage.getItem(storageName);
  return text === null ? noGuards : { ...noGuards, ...(JSON.parse(text) as Partial<OrderGuards>) };
}

export const orderGuards = signal<OrderGuards>(remembered());

effect(() => localStorage.setItem(storageName, JSON.stringify(orderGuards.value)));
