// Generates mass quotes of makers: each has its 15 pairs in a market and moves them, as a maker does who follows a price.
// Pairs are far enough from the middle never to meet, so every side is placed once and then amended in place.

import { formatScaled } from "../../src/core/money/amounts.ts";
import type { FlowCounts, RequestSource } from "../../src/tools/load/load-run.ts";
import {
  type LoadKey,
  RequestSigner,
  virtualAddress,
} from "../../src/tools/load/signed-requests.ts";
import type { FlowMarket } from "../../src/tools/load/spot-flow.ts";

export const pairsPerQuote = 15;

export interface QuoteFlowOptions {
  readonly keys: readonly LoadKey[];
  readonly markets: readonly FlowMarket[];
  readonly host: string;
  /** Number of connections; each sends for its share of the keys in turn. */
  readonly connections: number;
}

interface Maker {
  readonly signer: RequestSigner;
  readonly market: FlowMarket;
  moves: number;
}

const refusedSide = Buffer.from('"code":');

export class QuoteFlow implements RequestSource {
  readonly counts: FlowCounts = {
    ...{ orders: 0, cancels: 0, cancelsLate: 0 },
    ...{ limited: 0, unavailable: 0, refused: 0, unknown: 0 },
  };
  /** Body of the answer to the last mass quote that had a refused side. */
  lastRefusal = "";
  readonly #makers: readonly Maker[];
  readonly #connections: number;
  /** How many mass quotes each connection has sent. */
  readonly #sent: Uint32Array;

  /** Each key belongs to one connection: an account has one mass quote in flight in a market. */
  constructor({ keys, markets, host, connections }: QuoteFlowOptions) {
    this.#connections = connections;
    this.#sent = new Uint32Array(connections);
    this.#makers = keys.map((key, index) => {
      const market = markets[index % markets.length];
      if (market === undefined) throw new Error("a quote flow must have at least one market");
      return { signer: new RequestSigner(key, host, virtualAddress(index)), market, moves: 0 };
    });
  }

  next(index: number): string | null {
    const share = Math.floor(this.#makers.length / this.#connections);
    const turn = (this.#sent[index] ?? 0) % share;
    const maker = this.#makers[index + turn * this.#connections];
    if (maker === undefined) return null;
    this.#sent[index] = (this.#sent[index] ?? 0) + 1;
    const { market } = maker;
    maker.moves++;
    const pairs = Array.from({ length: pairsPerQuote }, (_, at) => pairOf(maker, at));
    const query = `symbol=${market.symbol}&quotes=${encodeURIComponent(JSON.stringify(pairs))}`;
    return maker.signer.request("POST", "/api/v3/massQuote", query);
  }

  answered(_index: number, status: number, body: Buffer): void {
    const { counts } = this;
    if (status === 429) counts.limited++;
    else if (status === 503) counts.unavailable++;
    else if (status === 200 && !body.includes(refusedSide)) counts.orders++;
    else {
      counts.refused++;
      this.lastRefusal = `${status} ${body.toString("latin1", 0, 400)}`;
    }
  }

  lost(): void {
    this.counts.unknown++;
  }
}

/** One pair of a maker's quotes: all of them move by a tick from one mass quote to the next. */
function pairOf({ market, moves }: Maker, at: number): object {
  const { middleTicks, tickDecimals, lotDecimals, qtyLotsMin } = market;
  const away = 30 + 2 * at + (moves % 7);
  const qty = formatScaled(qtyLotsMin, lotDecimals);
  return {
    id: at + 1,
    bidPrice: formatScaled(middleTicks - away, tickDecimals),
    bidQty: qty,
    askPrice: formatScaled(middleTicks + away, tickDecimals),
    askQty: qty,
  };
}
