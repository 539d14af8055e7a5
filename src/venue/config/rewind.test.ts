// Tests which settings a venue may have that is started with --rewind.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readConfig } from "./config.ts";
import type { RewindOptions } from "./rewind.ts";

function refusalsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment, { isRewind: true });
  } catch (error) {
    assert(error instanceof ConfigError);
    return error.faults;
  }
  return [];
}

test("REW-1 a venue on its own development servers may be rewound, one that could hold money may not", () => {
  const database = { DATABASE_URL: "postgres://a@b/c" };
  assert.equal(readConfig({}).isRewind, false);
  assert.equal(readConfig({}, { isRewind: true }).isRewind, true);
  assert.deepEqual(refusalsOf({ LEDGER_PROFILE: "none" }), []);
  assert.deepEqual(refusalsOf({ ...database, DEV_TOOLS: "1" }), []);

  const hex = "ab".repeat(32);
  const participant = {
    LEDGER_URL: "https://participant.example",
    LEDGER_OPERATOR_PARTY: `operator::1220${hex}`,
    LEDGER_CUSTODY_PARTY: `custody::1220${hex}`,
    LEDGER_TOKEN: "token",
  };
  const refused: [Record<string, string>, RegExp[]][] = [
    [{ NODE_ENV: "production", DEV_TOOLS: "1" }, [/NODE_ENV/]],
    [{ NODE_ENV: "production" }, [/NODE_ENV/, /DEV_TOOLS/]],
    [{ DEV_TOOLS: "0" }, [/DEV_TOOLS=0/]],
    [database, [/DEV_TOOLS=1.*DATABASE_URL/]],
    [participant, [/embedded ledger/]],
    [{ NATS_URL: "nats://127.0.0.1:4222" }, [/NATS_URL/]],
    [{ PORT: "9000", FAULT_PORT: "9000" }, [/FAULT_PORT other than PORT/]],
  ];
  for (const [environment, reasons] of refused) {
    const refusals = refusalsOf(environment).filter((line) => line.startsWith("start --rewind"));
    assert.equal(refusals.length, reasons.length, JSON.stringify([environment, refusals]));
    for (const [index, reason] of reasons.entries()) assert.match(refusals[index] ?? "", reason);
  }
});

test("REW-19 REW-18 REW-113 --market-time and --step need --rewind, and what they need beside it is named", () => {
  const faultsOf = (environment: Record<string, string>, options: RewindOptions) => {
    try {
      readConfig(environment, options);
    } catch (error) {
      assert(error instanceof ConfigError);
      return error.faults.join("\n");
    }
    return "";
  };
  const marketTime = "2026-01-31T09:30:00Z";
  const alone = { LEDGER_PROFILE: "none" };
  const rewound = (time: string) => faultsOf(alone, { isRewind: true, marketTime: time });
  assert.equal(rewound("2199-12-31T23:59:59Z"), "");
  for (const time of ["2026-02-30T00:00:00Z", "2200-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    assert.match(
      rewound(time),
      /^--market-time=.*: expected a time in UTC .*, before the year 2200$/,
    );
  assert.match(faultsOf(alone, { marketTime }), /^--market-time: expected --rewind too$/);
  assert.match(faultsOf(alone, { isStepped: true }), /^--step: expected --rewind too$/);
  for (const wrong of ["yesterday", "2026-01-31", "2026-02-31T25:00:00Z"])
    assert.match(faultsOf(alone, { isRewind: true, marketTime: wrong }), /^--market-time=.*UTC/);
  assert.equal(faultsOf(alone, { isRewind: true, marketTime, isStepped: true }), "");
  const { marketTime: read } = readConfig(alone, { isRewind: true, marketTime });
  assert.deepEqual(read, { startMs: Date.parse(marketTime), isStepped: false });
  const stepped = { isRewind: true, isStepped: true };
  assert.match(faultsOf({}, stepped), /start --step: expected LEDGER_PROFILE=none/);
  assert.match(faultsOf({ ...alone, FRONT_THREADS: "2" }, stepped), /expected FRONT_THREADS=1/);
  assert.match(faultsOf({ ...alone, DEV_FLEET: "1" }, stepped), /expected DEV_FLEET=0/);
  const feeds = { PRICE_FEEDS: "http://127.0.0.1:1/prices" };
  assert.match(faultsOf({ ...alone, ...feeds }, stepped), /expected PRICE_FEEDS empty/);
});

test("REW-32 only a venue that can be rewound trusts this machine to tell clients' addresses", () => {
  const trusted = (host: string, isRewind: boolean) =>
    readConfig({ HOST: host, TRUSTED_PROXIES: "10.0.0.1" }, { isRewind }).trustedProxies;
  assert.deepEqual(trusted("127.0.0.1", false), ["10.0.0.1"]);
  const loopback = ["10.0.0.1", "127.0.0.1", "::1"];
  assert.deepEqual(trusted("localhost", true), loopback);
  assert.deepEqual(trusted("0.0.0.0", true), loopback);
  assert.deepEqual(trusted("192.0.2.7", true), [...loopback, "192.0.2.7"]);
});
