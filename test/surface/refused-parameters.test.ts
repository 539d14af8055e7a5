// Proves that the routes of amendments, prevented matches and market history refuse meaningless parameters with the
// field's name and a code, never with an internal error, and that nothing changes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { stateHash } from "../../src/engine/state-hash.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let key: TestKey;

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
});
after(() => front.close());

type Parameters = Readonly<Record<string, string>>;

/** A route with its usual parameters. Those with an empty value are optional. */
interface Endpoint {
  readonly path: string;
  readonly isSigned: boolean;
  readonly usual: Parameters;
}

const window = { startTime: "", endTime: "" };
const paged = { ...window, limit: "" };
const endpoints: readonly Endpoint[] = [
  {
    ...{ path: "/fapi/v1/orderAmendment", isSigned: true },
    usual: { symbol: "BTCUSDT", orderId: "1", origClientOrderId: "", ...paged },
  },
  {
    ...{ path: "/api/v3/order/amendments", isSigned: true },
    usual: { symbol: "CC-USDC", orderId: "1", fromExecutionId: "", limit: "" },
  },
  {
    ...{ path: "/api/v3/myPreventedMatches", isSigned: true },
    usual: { symbol: "CC-USDC", orderId: "1", fromPreventedMatchId: "", limit: "" },
  },
  ...[
    "openInterestHist",
    "topLongShortPositionRatio",
    "topLongShortAccountRatio",
    "globalLongShortAccountRatio",
    "takerlongshortRatio",
  ].map((name) => ({
    ...{ path: `/futures/data/${name}`, isSigned: false },
    usual: { symbol: "BTCUSDT", period: "5m", ...paged },
  })),
  {
    ...{ path: "/futures/data/basis", isSigned: false },
    usual: { pair: "BTCUSDT", contractType: "PERPETUAL", period: "5m", ...paged },
  },
  {
    ...{ path: "/fapi/v1/premiumIndexKlines", isSigned: false },
    usual: { symbol: "BTCUSDT", interval: "1m", ...paged },
  },
  {
    ...{ path: "/fapi/v1/indexPriceKlines", isSigned: false },
    usual: { pair: "BTCUSDT", interval: "1m", ...paged },
  },
  {
    ...{ path: "/fapi/v1/continuousKlines", isSigned: false },
    usual: { pair: "BTCUSDT", contractType: "PERPETUAL", interval: "1m", ...paged },
  },
];

/** Correct answers to a query that finds nothing: no rows, or the error of an unknown order. */
const nothing: readonly (readonly [status: number, code: number | undefined])[] = [
  [200, undefined],
  [422, -2013],
];
/** Codes whose messages name no single parameter: a wrong combination, a repeated parameter, an unknown interval. */
const unnamed = [-1128, -1101, -1120];
/** Klines of perpetuals answer a repeated parameter with this plain text. */
const repeated = "malformed or repeated parameter";
const values = [
  ...["x", "-1", "0", "1.5", "1e400", "99999999999999999999", "[1]", "1001", "1501"],
  ...["\u0000", "9999999999999", "5".repeat(300)],
];

async function call({ path, isSigned }: Endpoint, parameters: Parameters, more = "") {
  if (isSigned) return front.send("GET", `/compat${path}`, parameters, { key });
  return front.fetch(`/compat${path}?${new URLSearchParams(parameters)}${more}`);
}

/** Returns what is wrong with an answer; empty if it is as expected. */
function faultOf(answer: Awaited<ReturnType<typeof call>>, name: string): string {
  const { status, json, text } = answer;
  if (nothing.some(([known, code]) => known === status && code === json?.code)) return "";
  const isNamed = text.includes(name) || text.endsWith(repeated) || unnamed.includes(json?.code);
  return status === 400 && isNamed ? "" : `${status} ${text.slice(0, 120)}`;
}

for (const endpoint of endpoints) {
  test(`ERR-42 ERR-45 ${endpoint.path} refuses meaningless parameters by name, and nothing changes`, async () => {
    const before = stateHash(front.venue.state);
    const given = Object.fromEntries(
      Object.entries(endpoint.usual).filter(([, value]) => value !== ""),
    );
    const faults: string[] = [];
    const look = async (name: string, parameters: Parameters, more = "") => {
      const fault = faultOf(await call(endpoint, parameters, more), name);
      if (fault !== "") faults.push(`${name}=${parameters[name]}${more}: ${fault}`);
    };
    for (const [name, usual] of Object.entries(endpoint.usual)) {
      const { [name]: _, ...others } = given;
      await look(name, others);
      await look(name, { ...others, [name]: "" });
      for (const value of values) await look(name, { ...others, [name]: value });
      if (!endpoint.isSigned) await look(name, given, `&${name}=${usual || "1"}&${name}=2`);
    }
    assert.deepEqual(faults, []);
    if ("startTime" in endpoint.usual && !endpoint.path.endsWith("Klines")) {
      const { json } = await call(endpoint, { ...given, startTime: "200000", endTime: "100000" });
      assert.equal(json.code, -1128);
    }
    assert.equal(stateHash(front.venue.state), before);
  });
}
