// Proves that malformed FIX does no harm: bytes that are not quite messages, cut into pieces of any size, and messages with
// any fields in a session that is logged on. Each gets the protocol's own reject or loses its connection; nothing stops,
// no state changes, and other clients are still served. Spec FIX-22.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { FixDecoder, type FixMessage } from "../../src/adapters/gateway/fix/fix-codec.ts";
import { requestOf } from "../../src/adapters/gateway/fix/fix-requests.ts";
import {
  faultOfRequest,
  streamsWanted,
} from "../../src/adapters/gateway/fix/market-data/market-data-request.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { bytesOf, FixClient, type FixKey, fixKey } from "../fix/fix-client.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { FrontFixture } from "../surface/front-fixture.ts";
import { fuzz } from "./fuzz.ts";
import { spoiltBytes } from "./spoilt-bytes.ts";

let front: FrontFixture;
let key: FixKey;

before(async () => {
  const fix = { port: 0, marketDataPort: 0, tls: null };
  front = await FrontFixture.open({ isLive: true, connectionsPerAddressMax: 500, fix });
  const { account } = await front.newTrader();
  key = await fixKey(front, account);
});
after(() => front.close());

const head = [
  [35, "D"],
  [34, "2"],
  [49, "CLIENT"],
  [52, "20240611-09:01:46.228"],
  [56, "SPOT"],
] as const;
const order = [
  [11, "id"],
  [38, "100.0"],
  [40, "2"],
  [44, "0.1500"],
  [54, "1"],
  [55, "CC-USDC"],
  [59, "1"],
] as const;
const subscription = [
  [262, "id"],
  [263, "1"],
  [264, "10"],
  [146, "1"],
  [55, "CC-USDC"],
  [267, "2"],
  [269, "0"],
  [269, "1"],
] as const;
const sound = fc.constantFrom(
  bytesOf([...head, ...order]),
  bytesOf([["35", "A"] as never, ...head.slice(1), [95, "5"], [96, "a=b=c"], [141, "Y"]]),
  bytesOf([[35, "2"], ...head.slice(1), [7, "1"], [16, "0"]]),
  Buffer.concat([bytesOf([...head, ...order]), bytesOf([[35, "0"], ...head.slice(1)])]),
  bytesOf([[35, "V"], ...head.slice(1), ...subscription]),
  bytesOf([[35, "x"], ...head.slice(1), [320, "id"], [559, "0"], [55, "CC-USDC"]]),
);

fuzz(
  "FIX-22 spoilt bytes in pieces of any size are messages with a fault, or the end of the stream",
  fc.tuple(spoiltBytes(sound), fc.integer({ min: 1, max: 64 })),
  ([bytes, size]) => {
    const decoder = new FixDecoder();
    for (let at = 0; at < bytes.length; at += size) {
      const each = (message: FixMessage) => {
        const request = requestOf(message);
        assert.ok("query" in request || request.text !== "");
        const fault = faultOfRequest(message);
        if (fault !== undefined) assert.ok(fault.text !== "");
        else if (message.type === "V") streamsWanted(message, testMarkets);
      };
      if (decoder.take(bytes.subarray(at, at + size), each, () => true) !== null) return;
    }
  },
);

const value = fc.oneof(
  fc.constantFrom("0", "1", "2", "Y", "N", "CC-USDC", "-1", "99999999999999999999", "a&b=c", "%00"),
  fc.string({ minLength: 1, maxLength: 20 }).map((text) => text.replace(/[^ -~]/g, "?")),
);
const tag = fc.oneof(
  fc.constantFrom(
    7,
    11,
    16,
    36,
    37,
    38,
    40,
    41,
    44,
    54,
    55,
    59,
    112,
    ...[123, 146, 262, 263, 264, 266, 267, 269, 320],
    ...[530, 559],
    1102,
    1109,
    9001,
    25000,
  ),
  fc.integer({ min: 1, max: 99_999 }),
);
const type = fc.constantFrom(
  "0",
  "1",
  "2",
  "3",
  "4",
  "8",
  "A",
  "D",
  "E",
  "F",
  "q",
  "XAK",
  "XCN",
  "XLQ",
  ...["V", "x", "??"],
);
const message = fc.tuple(type, fc.array(fc.tuple(tag, value), { maxLength: 12 }));

for (const port of ["orders", "marketData"] as const)
  test(`FIX-22 any messages of a session that is logged on leave the state as it was: ${port}`, async (t) => {
    const before = stateHash(front.state);
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 40, maxLength: 80 }), async (messages) => {
        const client = new FixClient(front.gateway.fixPorts[port], `F${sent % 1_000_000}`);
        client.logon(key);
        await client.ofType("A");
        for (const [kind, fields] of messages) {
          client.send(kind, fields);
          sent++;
        }
        await Promise.race([client.settled().catch(() => null), client.closed()]);
        client.drop();
        await client.closed();
      }),
      { seed: 1, numRuns: 12 },
    );
    t.diagnostic(`${sent} messages`);
    const client = new FixClient(front.gateway.fixPorts[port], "LAST");
    client.logon(key);
    await client.ofType("A");
    client.drop();
    assert.equal(stateHash(front.state), before);
  });
