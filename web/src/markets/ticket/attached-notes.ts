// What the take profit and stop loss that an order of a perpetual brings will do: they are for the entire position, and each
// takes the place of the one that the position has (spec NAT-49). Independent of the page.

import { shown, signed } from "../../decimal-text.ts";
import { cutTo, exact, exactPlaces, sizeOf, whole } from "../exact.ts";
import type { Market } from "../market.ts";
import { type Estimate, marginOf } from "../order-estimate.ts";
import { type Means, type Ticket, takesTpSl } from "../order-ticket.ts";
import { lateStopHint, percentOfMargin, profitAt } from "../positions/guard-terms.ts";
import type { AttachedPrices } from "./attached-guards.ts";

export interface Bringing {
  readonly ticket: Ticket;
  readonly market: Market;
  readonly means: Pick<Means, "leverage" | "opening">;
  readonly estimate: Estimate | null;
  /** Those of the position as it is; an empty text for none. */
  readonly held: AttachedPrices;
}

interface AttachedNotes {
  /** What happens to the position, and what each would bring. */
  readonly lines: readonly string[];
  /** That the stop loss comes after the liquidation; empty if it does not. */
  readonly late: string;
}

const nothing: AttachedNotes = { lines: [], late: "" };
const names = { takeProfit: "take profit", stopLoss: "stop loss" } as const;
const kinds = ["takeProfit", "stopLoss"] as const;

export function attachedNotes(bringing: Bringing): AttachedNotes {
  const { ticket, market, means, estimate, held } = bringing;
  const typed = kinds.filter((kind) => exact(ticket[kind]) !== null);
  if (!market.isPerpetual || !takesTpSl(ticket, market) || typed.length === 0) return nothing;
  if (estimate !== null && onlyCloses(estimate, means)) {
    return {
      ...nothing,
      lines: ["The order only closes, so it brings no take profit or stop loss."],
    };
  }
  const { pricePlaces } = market;
  const replaced = typed.filter((kind) => held[kind] !== "" && exact(held[kind]) !== null);
  const old = replaced.map((kind) => `${names[kind]} ${shown(held[kind], pricePlaces)}`);
  const replaces = old.length === 0 ? "" : ` Replaces ${old.join(" and ")}.`;
  const position = positionAfter(bringing);
  const results =
    position === null ? [] : typed.map((kind) => resultOf(kind, ticket[kind], position));
  const liquidation = { side: sideOf(ticket), liquidation_price: estimate?.liquidation ?? null };
  return {
    lines: [`For the entire position.${replaces}`, ...results.filter((text) => text !== "")],
    late: lateStopHint(liquidation, pricePlaces, ticket.stopLoss) ?? "",
  };
}

function sideOf({ side }: Ticket): "LONG" | "SHORT" {
  return side === "BUY" ? "LONG" : "SHORT";
}

/** Whether what trades only makes the position smaller. */
function onlyCloses({ traded }: Estimate, { opening }: Bringing["means"]): boolean {
  const units = exact(traded) ?? 0n;
  return units > 0n && units <= (opening?.reducible ?? 0n);
}

interface Position {
  readonly side: "LONG" | "SHORT";
  readonly qty: string;
  readonly entry_price: string;
  readonly margin: string;
}

/** The position once what trades has traded; null while that is unknown, or if it would be one of the other side. */
function positionAfter({ ticket, means, estimate }: Bringing): Position | null {
  if (estimate === null) return null;
  const { quantity, cost } = estimate.after;
  const size = sizeOf(quantity);
  if (size === 0n || quantity > 0n !== (ticket.side === "BUY")) return null;
  return {
    side: sideOf(ticket),
    qty: cutTo(size, exactPlaces),
    entry_price: cutTo((sizeOf(cost) * whole) / size, exactPlaces),
    margin: marginOf(sizeOf(cost), means.leverage),
  };
}

/** What one would bring: "Take profit: +30.00 USDC (+50.0 % of margin)". */
function resultOf(kind: (typeof kinds)[number], price: string, position: Position): string {
  const profit = profitAt(position, price);
  if (profit === null) return "";
  const percent = percentOfMargin(profit, position.margin);
  const part = percent === null ? "" : ` (${signed(percent, 1)} % of margin)`;
  const name = kind === "takeProfit" ? "Take profit" : "Stop loss";
  return `${name}: ${signed(profit, 2)} USDC${part}`;
}
