// What a request costs of the weight limit, where that follows from its parameters. The weights that routes declare are
// Binance's figures of its 1200-a-minute era, except where the specification gives its own (exchangeInfo 10, klines 5);
// LIM-5. A route that had no weight then has the weight of its nearest relative.

import type { RequestParameters } from "./signed-request.ts";

/** Request weight, or how it follows from the parameters; bad texts count as the standard case. */
export type Weight = number | ((parameters: RequestParameters) => number);

/** Upper bounds, ascending, with what costs up to them. */
type Steps = readonly (readonly [limitMax: number, weight: number])[];

function stepWeight(limit: number, steps: Steps): number {
  for (const [limitMax, weight] of steps) if (limit <= limitMax) return weight;
  return steps.at(-1)?.[1] ?? 1;
}

export const spotDepthSteps: Steps = [
  [100, 1],
  [500, 5],
  [1000, 10],
  [5000, 50],
];

export const fapiDepthSteps: Steps = [
  [50, 2],
  [100, 5],
  [500, 10],
  [1000, 20],
];

const symbolsSteps: Steps = [
  [20, 1],
  [100, 20],
  [Number.POSITIVE_INFINITY, 40],
];

/** Spot depth by number of levels. */
export function spotDepthWeight(limit: number): number {
  return stepWeight(limit, spotDepthSteps);
}

/** By the number of rows asked for, `standard` where none is. */
export function byLimit(steps: Steps, standard: number): Weight {
  return (parameters) => {
    const limit = Number(parameters.get("limit") ?? standard);
    return stepWeight(Number.isNaN(limit) ? standard : limit, steps);
  };
}

/** One market, or all of them. */
export function bySymbol(one: number, all: number): Weight {
  return (parameters) => (parameters.get("symbol") === undefined ? all : one);
}

/** Statistics on spot: up to 20 symbols 1, up to 100 20, more or all 40. */
export const bySymbols: Weight = (parameters) => {
  if (parameters.get("symbol") !== undefined) return 1;
  const symbols = parameters.get("symbols");
  // Commas of the JSON list: whether its entries are symbols is the route's business.
  const count = symbols === undefined ? Number.POSITIVE_INFINITY : symbols.split(",").length;
  return stepWeight(count, symbolsSteps);
};

/** What a request costs at least, whose parameters are not known. */
export function leastOf(amount: Weight | undefined, least: number): number {
  return typeof amount === "number" ? amount : least;
}
