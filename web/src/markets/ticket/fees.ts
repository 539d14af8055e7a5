// What the venue would charge for an order, by the roles that the order can trade in.

import { bare } from "../../decimal-text.ts";
import { cutTo, exact, exactPlaces, times } from "../exact.ts";
import { isWaiting, orderKinds } from "../order-kinds.ts";
import type { Ticket } from "../order-ticket.ts";

/** Fees of an account in a market, as parts of the value: "0.00100000". */
export interface FeeRates {
  readonly maker: string;
  readonly taker: string;
}

interface Fee {
  readonly role: keyof FeeRates;
  /** In percent. */
  readonly percent: string;
  /** In the asset of the amount it is taken from; null if that is unknown. */
  readonly amount: string | null;
}

/** An order that trades at once takes, one that is post-only makes; any other limit order can do both. */
function rolesOf({ kind, lifetime }: Ticket): readonly Fee["role"][] {
  const canRest = orderKinds[kind].hasPrice || kind === "PEGGED";
  if (!canRest || lifetime === "IOC" || lifetime === "FOK") return ["taker"];
  return lifetime === "GTX" && !isWaiting(kind) ? ["maker"] : ["maker", "taker"];
}

/** The greatest fee that an order of that value can pay, in exact units; zero for a rebate and while rates are unknown. */
export function worstFee(ticket: Ticket, value: bigint, rates: FeeRates | undefined): bigint {
  let worst = 0n;
  for (const role of rolesOf(ticket)) {
    const fee = times(value, exact(rates?.[role]) ?? 0n);
    if (fee > worst) worst = fee;
  }
  return worst;
}

/**
 * Returns the exact fees of an order, if all of it traded in one role. `from` is the amount that they are a part of: on spot
 * the quantity bought or the value sold, on perpetuals the value.
 */
export function feesOf(ticket: Ticket, from: string | undefined, rates: FeeRates): Fee[] {
  const units = exact(from);
  return rolesOf(ticket).map((role) => {
    const rate = exact(rates[role]) ?? 0n;
    const amount = units === null ? null : cutTo(times(units, rate), exactPlaces);
    return { role, percent: percentText(rates[role]), amount };
  });
}

/** A rate in percent: "0.00100000" as "0.1". */
export function percentText(rate: string): string {
  return bare(cutTo((exact(rate) ?? 0n) * 100n, exactPlaces));
}
