// Proves that no method of an order session does harm, whatever parameters a client that has logged on sends with it: each
// request is answered, the session goes on, and what is refused whole changes nothing.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import fc from "fast-check";
import { routesOf } from "../../src/adapters/gateway/routes.ts";
import { Wallet } from "../../src/core/accounts.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { fuzz } from "./fuzz.ts";

let front: FrontFixture;
let key: TestKey;

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
  front.venue.credit(key.account, Wallet.spot, 1, 10n ** 14n);
});
after(() => front.close());

type Parameters = Readonly<Record<string, string>>;

interface Method {
  readonly surface: "ws-api/v3" | "ws-fapi/v1";
  readonly name: string;
  /** Parameters that the route's document gives as an example. */
  readonly sound: Parameters;
}

/** The parameters of an example, in which lists are written as arguments of a shell function that encodes them. */
function parametersOf(example: string): Parameters {
  const encoded = /\$\(encoded '(.*?)'\)/g;
  const query = example.replace(encoded, (_, text: string) => encodeURIComponent(text));
  return Object.fromEntries(new URLSearchParams(query));
}

/** Methods that are no routes. */
const others = ["session.status", "userDataStream.subscribe", "userDataStream.unsubscribe"];
const surfaces = ["ws-api/v3", "ws-fapi/v1"] as const;

const methods: readonly Method[] = [
  ...routesOf(true).flatMap(({ path, session, example = "" }) => {
    if (session === undefined) return [];
    const surface = path.startsWith("/fapi") ? "ws-fapi/v1" : "ws-api/v3";
    return [{ surface, name: session, sound: parametersOf(example) } as const];
  }),
  ...surfaces.flatMap((surface) => others.map((name) => ({ surface, name, sound: {} }))),
];

const names = [...new Set(methods.flatMap(({ sound }) => Object.keys(sound)))];
const values = fc.oneof(
  fc.constantFrom("", "0", "-1", "1e309", "NaN", "null", "[]", "{}", "\u0000", "9".repeat(40)),
  fc.constantFrom(...new Set(methods.flatMap(({ sound }) => Object.values(sound)))),
  fc.string({ unit: "grapheme", maxLength: 16 }),
);
/** A parameter that is set, or left out if there is no value. */
const change = fc.record({
  name: fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 8 })),
  value: fc.option(values, { freq: 4 }),
});
const requests = fc.constantFrom(...surfaces).chain((surface) =>
  fc.record({
    surface: fc.constant(surface),
    sent: fc.array(
      fc.record({
        method: fc.constantFrom(...methods.filter((method) => method.surface === surface)),
        changes: fc.array(change, { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  }),
);

async function loggedOn(surface: Method["surface"]): Promise<StreamClient> {
  const url = `${front.base.replace("http", "ws")}/compat/${surface}`;
  const client = await StreamClient.open(url);
  const params = { apiKey: key.value, timestamp: Math.floor(front.nowUs() / 1000) };
  const signature = key.sign(`apiKey=${params.apiKey}&timestamp=${params.timestamp}`);
  client.send({ id: 0, method: "session.logon", params: { ...params, signature } });
  const logon = await client.next(({ id }) => id === 0);
  assert.equal(logon.status, 200, JSON.stringify(logon));
  return client;
}

fuzz(
  "STR-29 ERR-17 whatever a method of a session is sent, it is answered, and what is refused whole changes nothing",
  requests,
  async ({ surface, sent }) => {
    front.advance(60_000);
    const client = await loggedOn(surface);
    for (const [at, { method, changes }] of sent.entries()) {
      const params: Record<string, string | number> = { ...method.sound };
      for (const { name, value } of changes) {
        if (value === null) delete params[name];
        else params[name] = value;
      }
      params["timestamp"] ??= Math.floor(front.nowUs() / 1000);
      const earlier = stateHash(front.venue.state);
      client.send({ id: at + 1, method: method.name, params });
      const { status, error } = await client.next(({ id }) => id === at + 1);
      const words = `${method.name} ${JSON.stringify(params)}: ${status} ${JSON.stringify(error)}`;
      assert.ok(status === 200 || (status >= 400 && status < 500), words);
      if (status === 200) continue;
      assert.equal(typeof error.code, "number", words);
      // A replacement may be refused when its cancel is done, and the error says so.
      if (error.data?.cancelResult === "SUCCESS") continue;
      assert.equal(stateHash(front.venue.state), earlier, words);
    }
    assert.equal(client.closed, null);
    client.close();
  },
);
