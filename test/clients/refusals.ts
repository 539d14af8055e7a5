// Checks how a client reports each specified refusal (CNF-11): code and message must reach the caller, and the HTTP
// status if the client exposes it. Most refusals are provoked at the venue. The three that no request provokes come
// from a server that answers from the venue's own error map.

import assert from "node:assert/strict";
import type { Fault, RoutedClient, Values } from "./binance-routes.ts";
import type { ClientRun } from "./client-run.ts";

/** Clients of one library. `trader` is correct; each of the others is refused for its own reason. */
export interface RefusedClients<Route extends string> {
  readonly trader: RoutedClient<Route>;
  /** A client whose key has the standard tier, with a limit of weight 1200 a minute. */
  readonly standard: RoutedClient<Route>;
  readonly wrongSecret: RoutedClient<Route>;
  readonly malformedKey: RoutedClient<Route>;
  readonly unknownKey: RoutedClient<Route>;
  /**
   * Clients of the refusal server, by the code of the only answer they get: -1000, -2012, or -2010 for a frozen
   * account.
   */
  readonly fakes: ReadonlyMap<number, RoutedClient<Route>>;
}

/** The client's error class for each code that has its own class. */
export type ErrorClasses = Readonly<Record<number, string>>;

interface Expected {
  readonly code: number;
  readonly status: number;
  readonly msg: RegExp;
}

type RefusedRoute = "newOrder" | "getOrder" | "cancelOrder" | "openOrders" | "depth";

/** The values in which the refusals of spot and perpetuals differ. */
export interface RefusedMarket {
  readonly symbol: string;
  /** A valid order for any account with money. */
  readonly order: Values;
  /** A quantity no account can pay for. */
  readonly tooMuch: number;
  /** A quantity below the minimum, or null if the market does not refuse it with -1013. */
  readonly tooLittle: number | null;
}

export const spotMarket: RefusedMarket = {
  symbol: "CC-USDC",
  order: { side: "SELL", type: "LIMIT", timeInForce: "GTC", quantity: 500, price: 0.15 },
  tooMuch: 5_000_000,
  tooLittle: 1,
};

export const perpMarket: RefusedMarket = {
  symbol: "BTCUSDT",
  order: { side: "SELL", type: "LIMIT", timeInForce: "GTC", quantity: 0.1, price: 60_000 },
  tooMuch: 9000,
  tooLittle: null,
};

const weightOfOpenOrders = 40;
const standardWeight = 1200;

export async function tripRefusals<Route extends string>(
  run: ClientRun,
  clients: RefusedClients<Route | RefusedRoute>,
  { symbol, order, tooMuch, tooLittle }: RefusedMarket,
  classes: ErrorClasses,
): Promise<void> {
  const { trader } = clients;
  const refused = async (
    expected: Expected,
    client: RoutedClient<Route | RefusedRoute>,
    route: RefusedRoute,
    values: Values,
  ) =>
    run.step("refusals", `${expected.code} ${expected.msg.source}`, async () =>
      compare(await client.refused(route, values), expected, classes),
    );

  const query = { symbol, orderId: 1 };
  await refused(illegal, trader, "depth", { symbol: "NOPE" });
  await refused(missing, trader, "getOrder", { symbol });
  await refused(late, trader, "getOrder", { ...query, recvWindow: 60_001 });
  if (tooLittle !== null) {
    await refused(filter, trader, "newOrder", { symbol, ...order, quantity: tooLittle });
  }
  await refused(balance, trader, "newOrder", { symbol, ...order, quantity: tooMuch });
  await refused(unknown, trader, "cancelOrder", { symbol, orderId: 999_999_999 });
  await refused(signature, clients.wrongSecret, "getOrder", query);
  await refused(malformedKey, clients.malformedKey, "getOrder", query);
  await refused(unknownKey, clients.unknownKey, "getOrder", query);
  for (const expected of [fault, frozen, notEnrolled]) {
    const fake = clients.fakes.get(expected.code);
    assert.ok(fake !== undefined);
    await refused(expected, fake, "newOrder", { symbol, ...order });
  }
  await run.step("refusals", "-1003 once the minute's weight is spent", async () => {
    compare(await exhaust(clients.standard), limited, classes);
  });
}

/** Repeats a request until the rate limiter refuses it. One limit window may end meanwhile, but not two. */
async function exhaust<Route extends string>(
  client: RoutedClient<Route | "openOrders">,
): Promise<Fault> {
  for (let left = (2 * standardWeight) / weightOfOpenOrders + 2; left > 0; left--) {
    const outcome = await client.attempt("openOrders");
    if ("fault" in outcome) return outcome.fault;
  }
  return assert.fail("the rate limiter refused no request");
}

function compare(seen: Fault, expected: Expected, classes: ErrorClasses): void {
  const { code, msg, status } = seen;
  if (status !== undefined) assert.equal(status, expected.status);
  const wanted = classes[expected.code];
  if (wanted !== undefined) assert.equal(seen.name, wanted);
  // For a 5xx the official typed clients expose only the status.
  if (wanted === "ServerError") return;
  assert.equal(Number(code), expected.code, JSON.stringify(seen));
  assert.match(String(msg), expected.msg);
}

const illegal: Expected = { code: -1100, status: 400, msg: /^Illegal characters found/ };
const missing: Expected = { code: -1102, status: 400, msg: /^Mandatory parameter/ };
const filter: Expected = { code: -1013, status: 400, msg: /^Filter failure: NOTIONAL$/ };
const unknown: Expected = {
  code: -2011,
  status: 422,
  msg: /^(Order does not exist|Unknown order sent)\.$/,
};
const limited: Expected = { code: -1003, status: 429, msg: /^Too many requests/ };
const malformedKey: Expected = { code: -2014, status: 400, msg: /^API-key format invalid\.$/ };
const fault: Expected = { code: -1000, status: 500, msg: /^An unknown error occurred/ };
const frozen: Expected = { code: -2010, status: 422, msg: /^Account is frozen/ };
const notEnrolled: Expected = { code: -2012, status: 422, msg: /^Complete wallet enrollment/ };
const late: Expected = {
  code: -1021,
  status: 401,
  msg: /^Timestamp for this request is outside of the recvWindow\.$/,
};
const signature: Expected = {
  code: -1022,
  status: 401,
  msg: /^Signature for this request is not valid\.$/,
};
const unknownKey: Expected = {
  code: -2015,
  status: 401,
  msg: /^Invalid API-key, IP, or permissions for action\.$/,
};
const balance: Expected = {
  code: -2010,
  status: 422,
  msg: /^Account has insufficient balance for requested action\.$/,
};
