// Which notices are shown over the page together. Independent of page and network.

import type { Notice } from "./notices.ts";

/** One message over the page. */
interface Toast extends Pick<Notice, "kind" | "atMs" | "text" | "proof"> {
  readonly group: string;
}

/** The notices that share a message: the cancels of a market, the changes of orders in a market, else only a notice itself. */
export function groupOf({ key, kind, symbol, orderNo }: Notice): string {
  const isShared = kind === "cancel" || (kind === "change" && orderNo !== 0);
  return isShared ? `${kind} ${symbol}` : key;
}

/** A notice that comes later than this after the one before it is not of the same action. */
const burstMs = 2_000;

/** Whether two notices of a group were one action, such as the cancel of many orders, and are counted together. */
export function isOneAction(before: Pick<Notice, "atMs">, after: Pick<Notice, "atMs">): boolean {
  return after.atMs - before.atMs <= burstMs;
}

/** The message for `count` notices of one group: their number if they are cancels, else the newest. */
export function toastOf(newest: Notice, count: number): Toast {
  const { kind, atMs, text, proof, symbol } = newest;
  const group = groupOf(newest);
  if (kind !== "cancel" || count === 1) return { group, kind, atMs, text, proof };
  return { group, kind, atMs, text: `Cancelled: ${count} orders on ${symbol}`, proof: "" };
}
