// Which notices are shown over the page together. Independent of page and network.

import type { Notice } from "./notices.ts";

/** One message over the page. */
export interface Toast extends Pick<Notice, "kind" | "atMs" | "text" | "proof"> {
  readonly group: string;
}

/** The notices that share a message: the cancels of a market, the changes in a market, else only a notice itself. */
export function groupOf({ key, kind, symbol }: Notice): string {
  return kind === "cancel" || kind === "change" ? `${kind} ${symbol}` : key;
}

/** The message for notices of one group, newest first: their number if many orders were cancelled, else the newest. */
export function toastOf(group: string, notices: readonly Notice[]): Toast | null {
  const [newest] = notices;
  if (newest === undefined) return null;
  const { kind, atMs, text, proof, symbol } = newest;
  if (kind !== "cancel" || notices.length === 1) return { group, kind, atMs, text, proof };
  const summary = `Cancelled: ${notices.length} orders on ${symbol}`;
  return { group, kind, atMs, text: summary, proof: "" };
}
