// Weight of requests where it depends on their parameters. Routes have the weights that Binance charged when its limit
// was 1200 a minute, except where the specification sets its own (exchangeInfo 10, klines 5); LIM-5. A route for which
// neither gives a weight has the weight of the most similar route.

import type { RequestParameters } from "./signed-request.ts";

/** A request's weight, or a function that computes it from the parameters. Invalid values cost the standard weight. */
export type Weight = number | ((parameters: RequestParameters) => number);

/** Weight of opening a connection of streams or FIX: the weight of the smallest request. */
export const connectionWeight = 1;

/** Ascending upper bounds, each with the weight of requests up to that bound. */
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

/** The orders of a book are searched at each request, so even a few of them cost more than levels. */
export const queuedOrdersSteps: Steps = [
  [100, 5],
  [500, 10],
  [1000, 20],
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

/** The weight of a spot depth request for `limit` levels. */
export function spotDepthWeight(limit: number): number {
  return stepWeight(limit, spotDepthSteps);
}

/** A weight by the requested number of rows, which is `standard` if none is given. */
export function byLimit(steps: Steps, standard: number): Weight {
  return (parameters) => {
    const limit = Number(parameters.get("limit") ?? standard);
    return stepWeight(Number.isNaN(limit) ? standard : limit, steps);
  };
}

/** The weight `one` if a request names one market, and `all` if it names none. */
export function bySymbol(one: number, all: number): Weight {
  return (parameters) => (parameters.get("symbol") === undefined ? all : one);
}

/** Weight of spot statistics: 1 for up to 20 symbols, 20 for up to 100, 40 for more symbols or for all of them. */
export const bySymbols: Weight = (parameters) => {
  if (parameters.get("symbol") !== undefined) return 1;
  const symbols = parameters.get("symbols");
  // Counts the commas of the JSON list; the route validates its entries.
  const count = symbols === undefined ? Number.POSITIVE_INFINITY : symbols.split(",").length;
  return stepWeight(count, symbolsSteps);
};

/** The weight of a request whose parameters are unknown: `least` if the weight depends on the parameters. */
export function leastOf(amount: Weight | undefined, least: number): number {
  return typeof amount === "number" ? amount : least;
}
