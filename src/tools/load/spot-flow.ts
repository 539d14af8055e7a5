// Generates spot orders of many accounts: limit orders at geometric distances from the mid price, a share of orders
// that cross the book, and a share of cancels. The flow is seeded, so two runs send the same orders in the same
// sequence; which of them fill depends on their arrival. Each account stays below the venue's limit on open orders:
// when it has too many, it cancels one. A cancel that arrives after the order's fill is refused, which is not a
// failure.

import { formatScaled } from "../../core/money/amounts.ts";
import type { FlowCounts, RequestSource } from "./load-run.ts";
import { SeededRandom } from "./seeded-random.ts";
import { type LoadKey, RequestSigner, virtualAddress } from "./signed-requests.ts";

/** A market of the flow: the mid price in ticks, and the order size. */
export interface FlowMarket {
  readonly symbol: string;
  readonly tickDecimals: number;
  readonly lotDecimals: number;
  readonly middleTicks: number;
  /** Smallest order in lots; the flow sends one to three times this quantity. */
  readonly qtyLotsMin: number;
}

export interface SpotFlowOptions {
  readonly keys: readonly LoadKey[];
  readonly markets: readonly FlowMarket[];
  readonly host: string;
  /** Share of orders priced to fill immediately, from 0 to 1. */
  readonly crossingShare: number;
  /** Share of requests that cancel an earlier order, from 0 to 1. */
  readonly cancelShare: number;
  readonly seed: number;
  /** Time in force of the LIMIT orders; GTC by default. */
  readonly timeInForce?: "GTC" | "IOC";
  /** The format of answers in the compat view; the root view by default. Resting orders cannot be cancelled in SBE. */
  readonly compat?: "json" | "sbe";
}

/** Writes a request as the text that a connection sends. */
export interface RequestWriter {
  request(method: "POST" | "DELETE", path: string, query: string): string;
}

/**
 * Maximum number of open orders tracked per account: below the venue's limit of 200 per market and account, with room
 * for orders in flight.
 */
const openOrdersRemembered = 150;
/** Mean and maximum distance of a resting order from the mid price, in ticks. */
const distanceMean = 20;
const distanceMax = 200;

const sbeHeaders = "Accept: application/sbe\r\nX-MBX-SBE: 3:5\r\n";

const orderIdField = Buffer.from('"orderId":');
const filledStatus = Buffer.from('"status":"FILLED"');

interface Participant {
  readonly signer: RequestWriter;
  /** Orders that were acknowledged as resting and not cancelled since, in no particular order. */
  readonly open: { symbol: string; orderId: number }[];
}

interface Sent {
  participant: Participant | null;
  /** Symbol of the order; null for a cancel. */
  symbol: string | null;
}

export class SpotFlow implements RequestSource {
  readonly counts: FlowCounts = {
    orders: 0,
    cancels: 0,
    cancelsLate: 0,
    limited: 0,
    unavailable: 0,
    refused: 0,
    unknown: 0,
  };
  /** Body of the last unexpected refusal. */
  lastRefusal = "";
  readonly #options: SpotFlowOptions;
  readonly #random: SeededRandom;
  readonly #participants: Participant[];
  readonly #sent: Sent[] = [];
  readonly #orderSuffix: string;
  readonly #path: string;
  /** True if unfilled orders rest in the book and must be cancelled later. */
  readonly #rests: boolean;
  #turn = 0;

  /** True if connection i sends the requests of key i only. */
  readonly #isBound: boolean;

  /** `bound` writes the requests of connections that are each logged on with the key of their number. */
  constructor(options: SpotFlowOptions, bound?: RequestWriter) {
    this.#isBound = bound !== undefined;
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    const timeInForce = options.timeInForce ?? "GTC";
    this.#path = options.compat === undefined ? "/api/v3/order" : "/compat/api/v3/order";
    this.#rests = timeInForce === "GTC";
    this.#orderSuffix = `&type=LIMIT&timeInForce=${timeInForce}`;
    this.#participants = options.keys.map((key, index) => ({
      signer:
        bound ??
        new RequestSigner(
          key,
          options.host,
          virtualAddress(index),
          options.compat === "sbe" ? sbeHeaders : "",
        ),
      open: [],
    }));
  }

  next(index: number): string {
    const turn = this.#isBound ? index : this.#turn++;
    const participant = this.#participants[turn % this.#participants.length];
    if (participant === undefined) throw new Error("an order flow must have at least one API key");
    this.#sent[index] ??= { participant: null, symbol: null };
    const sent = this.#sent[index];
    sent.participant = participant;
    const isCancel =
      participant.open.length >= openOrdersRemembered ||
      (this.#options.cancelShare > 0 && this.#random.next() < this.#options.cancelShare);
    const victim = isCancel ? this.#takeOpen(participant) : undefined;
    if (victim !== undefined) {
      sent.symbol = null;
      const query = `symbol=${victim.symbol}&orderId=${victim.orderId}`;
      return participant.signer.request("DELETE", this.#path, query);
    }
    const market = this.#options.markets[this.#random.below(this.#options.markets.length)];
    if (market === undefined) throw new Error("an order flow must have at least one market");
    sent.symbol = market.symbol;
    return participant.signer.request("POST", this.#path, this.#order(market));
  }

  answered(index: number, status: number, body: Buffer): void {
    const sent = this.#sent[index];
    if (sent === undefined) return;
    if (status !== 200) this.#countRefusal(status, sent.symbol === null, body);
    else if (sent.symbol === null) this.counts.cancels += 1;
    else {
      this.counts.orders += 1;
      if (this.#rests && !body.includes(filledStatus)) {
        sent.participant?.open.push({ symbol: sent.symbol, orderId: orderIdIn(body) });
      }
    }
  }

  lost(): void {
    this.counts.unknown += 1;
  }

  /** Removes and returns a random open order of a participant. */
  #takeOpen({ open }: Participant): { symbol: string; orderId: number } | undefined {
    const index = this.#random.below(open.length);
    const last = open.pop();
    const taken = open[index] ?? last;
    if (last !== undefined && index < open.length) open[index] = last;
    return taken;
  }

  #order(market: FlowMarket): string {
    const random = this.#random;
    const isBuy = random.next() < 0.5;
    const isCrossing = random.next() < this.#options.crossingShare;
    const away = 1 + Math.floor(random.exponential(distanceMean));
    const distance = isCrossing ? -distanceMax : Math.min(away, distanceMax);
    const price = market.middleTicks + (isBuy ? -distance : distance);
    const qty = market.qtyLotsMin + random.below(2 * market.qtyLotsMin);
    return (
      `symbol=${market.symbol}&side=${isBuy ? "BUY" : "SELL"}${this.#orderSuffix}` +
      `&quantity=${formatScaled(qty, market.lotDecimals)}` +
      `&price=${formatScaled(price, market.tickDecimals)}`
    );
  }

  #countRefusal(status: number, isCancel: boolean, body: Buffer): void {
    const counts = this.counts;
    if (status === 429) counts.limited += 1;
    else if (status === 503) counts.unavailable += 1;
    else if (status === 408) counts.unknown += 1;
    else if (isCancel && status === 422) counts.cancelsLate += 1;
    else {
      counts.refused += 1;
      this.lastRefusal = `${status} ${body.toString("latin1", 0, 200)}`;
    }
  }
}

/** Returns the number after the first `"orderId":` of a response; 0 if there is none. */
function orderIdIn(body: Buffer): number {
  const at = body.indexOf(orderIdField);
  if (at < 0) return 0;
  let value = 0;
  for (let index = at + orderIdField.length; index < body.length; index++) {
    const digit = (body[index] ?? 0) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return value;
}
