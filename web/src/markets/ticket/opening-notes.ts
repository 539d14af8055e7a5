// What an order of a perpetual opens that its user may have meant to close, and what the leverage does not allow it to open.
// Independent of the page.

import { shown } from "../../decimal-text.ts";
import { cutTo, exact } from "../exact.ts";
import type { Market } from "../market.ts";
import { isWaiting } from "../order-kinds.ts";
import type { Means, Ticket } from "../order-ticket.ts";

type Opening = Pick<Means, "opening">;

/**
 * Says that open orders of the ticket's side already close the position, so that this one counts as opening (ACC-9); empty if
 * they leave enough of it, and for an order that reduces only.
 */
export function closedByOrdersNote(
  { kind, side, isReduceOnly }: Ticket,
  { opening }: Opening,
  quantity: string | undefined,
): string {
  const [wanted, held, left] = [exact(quantity) ?? 0n, opening?.reducible ?? 0n, opening?.closable];
  if (isReduceOnly || isWaiting(kind) || left === undefined) return "";
  if (held === 0n || left >= held || wanted <= left) return "";
  const orders = side === "BUY" ? "buys" : "sells";
  const closed = left === 0n ? "the position" : "a part of the position";
  return `Your open ${orders} already close ${closed}. Tick Reduce only to close now.`;
}

/** Says that an order would make the position larger than the leverage allows (ACC-22), with the figure; empty if not. */
export function tooLargeNote(
  { isReduceOnly }: Ticket,
  { base, quote, quantityPlaces }: Market,
  { opening, leverage }: Pick<Means, "opening" | "leverage">,
  quantity: string | undefined,
): string {
  const [wanted, most] = [exact(quantity) ?? 0n, opening?.quantityMax ?? null];
  if (opening === undefined || most === null || isReduceOnly) return "";
  if (wanted <= most || wanted <= opening.closable) return "";
  const largest = shown(cutTo(opening.valueMax ?? 0n, 0), 0);
  const left = `${shown(cutTo(most, quantityPlaces), quantityPlaces)} ${base}`;
  return `At ${leverage}× a position is at most ${largest} ${quote}: this order can be at most ${left}.`;
}
