// Proves that parsers of unauthenticated input (queries, forms, addresses, stream names, signature headers,
// decimals) return a value or a refusal for any input, and that everything they accept can be encoded again.

import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey } from "node:crypto";
import { isIP } from "node:net";
import fc from "fast-check";
import { sessionRequest } from "../../schemas/streams/requests.ts";
import { ClientAddresses } from "../../src/adapters/gateway/server/client-address.ts";
import { queryOf, readFrame } from "../../src/adapters/gateway/streams/sessions/session-request.ts";
import { readStreamList } from "../../src/adapters/gateway/streams/stream-list.ts";
import { readStreamName } from "../../src/adapters/gateway/streams/stream-name.ts";
import { PublicIdKind, parsePublicId, publicId } from "../../src/core/ids/public-id.ts";
import { parametersMax, streamsPerConnectionMax } from "../../src/core/limits.ts";
import { formatScaled, parseAmount, parseScaled } from "../../src/core/money/amounts.ts";
import { formatLedgerAmount, parseLedgerAmount } from "../../src/core/money/ledger-amount.ts";
import { signMessage, verifyMessage } from "../../src/services/access/message-signature.ts";
import { RequestParameters } from "../../src/services/access/signed-request.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { fuzz } from "./fuzz.ts";
import { spoiltText } from "./spoilt-bytes.ts";

const signature = "a1".repeat(32);
const queries = spoiltText(
  fc.constantFrom(
    `symbol=CC-USDC&side=BUY&quantity=200&price=0.1&timestamp=1700000000000&signature=${signature}`,
    "symbols=%5B%22CC-USDC%22%2C%22CBTC-USDC%22%5D&limit=5",
    "newClientOrderId=a%2Bb%3D&x=%e2%82%ac&y=+z+",
    "",
  ),
);

fuzz(
  "AUT-20 any query and form gives parameters or a fault, and encoded parameters are read the same again",
  fc.tuple(queries, queries),
  ([query, body]) => {
    const read = RequestParameters.parse(query, body);
    if (!(read instanceof RequestParameters)) {
      assert.ok(["malformed", "duplicate", "tooMany", "split"].includes(read.kind));
      return;
    }
    assert.ok(read.signedText.length <= query.length + body.length);
    void read.decodedSignedText;
    const names = new Set(`${query}&${body}`.split("&").map((pair) => pair.split("=")[0] ?? ""));
    const told = [...names].flatMap((name) => {
      const value = read.get(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    assert.ok(told.length <= parametersMax);
    const text = told.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    const again = RequestParameters.parse(text, "");
    assert.ok(again instanceof RequestParameters);
    for (const [name, value] of told)
      if (name !== "signature") assert.equal(again.get(name), value);
  },
);

const sessionValues = fc.dictionary(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.double(),
    fc.boolean(),
    fc.array(fc.jsonValue(), { maxLength: 3 }),
  ),
);

fuzz(
  "STR-29 any parameters of a session give a query that is read the same, or name an invalid one",
  sessionValues,
  (values) => {
    const made = queryOf(values);
    if ("illegal" in made) {
      assert.ok(made.illegal in values);
      return;
    }
    const read = RequestParameters.parse(made.query, "");
    if (!(read instanceof RequestParameters)) return;
    for (const [name, value] of Object.entries(values)) {
      if (name === "signature" || value === "") continue;
      assert.equal(read.get(name), Array.isArray(value) ? JSON.stringify(value) : String(value));
    }
  },
);

const frames = fc.record(
  {
    id: fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.integer(), fc.string({ maxLength: 70 })),
    method: fc.oneof(fc.constant("order.place"), fc.jsonValue({ maxDepth: 1 })),
    params: fc.oneof(
      fc.dictionary(fc.string({ maxLength: 70 }), fc.jsonValue({ maxDepth: 2 })),
      fc.jsonValue({ maxDepth: 1 }),
    ),
    illegal: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: [] },
);

fuzz("STR-29 a frame is a request if its schema accepts it", frames, (frame) => {
  const text = JSON.stringify(frame);
  const read = readFrame(text);
  const { success, data, error } = sessionRequest.safeParse(JSON.parse(text));
  assert.equal("illegal" in read, !success);
  if (success) assert.deepEqual(JSON.parse(JSON.stringify(read)), JSON.parse(JSON.stringify(data)));
  else assert.equal("illegal" in read && read.illegal, String(error.issues[0]?.path[0] ?? ""));
});

const streamNames = spoiltText(
  fc.constantFrom(
    "cc-usdc@depth@100ms",
    "cc-usdc@order",
    "btcusdt@kline_1m",
    "CCUSDC@TRADE",
    "!forceOrder@arr",
    "ethusdt@markPrice@1s",
    "btcusdt_perpetual@continuousKline_1M",
    "cc-usdc@ticker_4h",
    "!miniTicker@arr@1000ms",
    "!bookTicker",
  ),
);

fuzz(
  "STR-1 any stream name is parsed to a stream with that key, or is refused",
  streamNames,
  (name) => {
    for (const scope of [
      { view: "root", isFutures: false, isStrict: false, isSbe: false },
      { view: "compat", isFutures: false, isStrict: false, isSbe: false },
      { view: "compat", isFutures: false, isStrict: true, isSbe: false },
      { view: "compat", isFutures: true, isStrict: true, isSbe: false },
      { view: "compat", isFutures: false, isStrict: false, isSbe: true },
    ] as const) {
      const found = readStreamName(name, testMarkets, scope);
      if (found === undefined) continue;
      assert.equal(found.requested, name);
      const { feed, market } = found;
      const pair = feed.startsWith("continuousKline") ? "_perpetual" : "";
      const list = feed === "bookTicker" ? "!bookTicker" : `!${feed}@arr`;
      const canonical = market === null ? list : `${market.alias.toLowerCase()}${pair}@${feed}`;
      assert.equal(readStreamName(canonical, testMarkets, scope)?.key, found.key);
    }
  },
);

const paths = spoiltText(
  fc.constantFrom(
    "/ws/cc-usdc@trade/cbtc-usdc@depth5",
    "/stream",
    "/compat/ws/btcusdt@depth",
    "/compat/ws/cc-usdc@order",
    "/compat/private/ws",
    `/compat/ws/${"k".repeat(64)}`,
  ),
);
const streamQueries = spoiltText(
  fc.constantFrom(
    "streams=cc-usdc@trade/ccusdc@ticker",
    "streams=a%2Fb&resume=12",
    `listenKey=${"k".repeat(64)}&resume=1`,
    "",
  ),
);

fuzz(
  "STR-3 STR-5 any address of a connection gives a bounded list of streams or a fault",
  fc.tuple(paths, streamQueries),
  ([path, query]) => {
    const { names, fault, resumeFrom } = readStreamList(path, query, testMarkets);
    assert.ok(names.length <= streamsPerConnectionMax);
    assert.ok(
      fault === "" || names.length === 0 || fault.includes("resume") || fault.includes("listenKey"),
    );
    assert.ok(fault !== "" || resumeFrom === null || Number.isSafeInteger(resumeFrom));
  },
);

const addresses = new ClientAddresses(["127.0.0.0/8", "10.0.0.0/8", "fd00::/8"]);
const proxy = addresses.ofPeer(Uint8Array.of(127, 0, 0, 1).buffer);
const hops = spoiltText(
  fc.constantFrom(
    "198.51.100.7",
    "203.0.113.9, 10.0.0.1,fd00::1",
    "2001:db8::1, ::ffff:10.1.1.1",
    "unknown, 1.1.1.1",
  ),
);

fuzz("LIM-10 any X-Forwarded-For gives an address or none", hops, (header) => {
  const client = addresses.behind(proxy, header);
  assert.ok(
    header === "" || client.text === "" || isIP(client.text) !== 0 || !/^[\d.]+$/.test(client.text),
  );
  assert.equal(client.hash, client.hash | 0 || client.hash >>> 0);
  assert.deepEqual(addresses.behind(proxy, header), client);
});

const key = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${"17".repeat(32)}`, "hex"),
  format: "der",
  type: "pkcs8",
});
const publicKey = createPublicKey(key)
  .export({ format: "der", type: "spki" })
  .subarray(-32)
  .toString("base64");
const nowMs = 1_700_000_000_000;
const message = { method: "POST", authority: "venue.example", path: "/v1/x", body: '{"a":1}' };
const signed = signMessage(message, {
  keyId: "k1",
  key,
  idempotencyKey: "i-1",
  nonce: new Uint8Array(16),
  nowMs,
});
const headerText = JSON.stringify(signed);

fuzz(
  "LPS-1 a signed message with any changed header is refused with a value",
  spoiltText(fc.constant(headerText)),
  async (text) => {
    let headers: typeof signed;
    try {
      headers = { ...signed, ...JSON.parse(text) };
    } catch {
      return;
    }
    if (Object.values(headers).some((value) => typeof value !== "string")) return;
    const verdict = await verifyMessage(message, headers, {
      isAuthority: (host) => host === message.authority,
      publicKey: (id) => (id === "k1" ? publicKey : null),
      takeNonce: () => true,
      nowMs: () => nowMs,
    });
    // Compare decoded bytes: the last base64 character has unused bits, so different texts can stand for the same
    // signature.
    const bytes = (name: string, text: unknown) =>
      name === "signature" ? Buffer.from(String(text).slice(7), "base64").toString("hex") : text;
    const isSame = Object.entries(signed).every(
      ([name, value]) => bytes(name, Reflect.get(headers, name)) === bytes(name, value),
    );
    if (typeof verdict === "object") assert.ok(isSame, JSON.stringify(headers));
  },
);

const decimals = spoiltText(
  fc.constantFrom("0.1", "60000", "12345678901234567890.123456789", "0.00000001", "1"),
);

fuzz(
  "ERR-17 any decimal is parsed to a value that is written the same way, or is refused",
  fc.tuple(decimals, fc.nat(10)),
  ([text, places]) => {
    const plain = (one: string) => {
      const kept = one.includes(".") ? one.replace(/0+$/, "").replace(/\.$/, "") : one;
      return kept.replace(/^0+(?=\d)/, "").replace(/^(?=\.)|^$/, "0");
    };
    const scaled = parseScaled(text, places);
    if (scaled >= 0) assert.equal(plain(formatScaled(scaled, places)), plain(text));
    const amount = parseAmount(text, places);
    if (amount !== null && amount >= 0n)
      assert.equal(plain(formatScaled(amount, places)), plain(text));
    const units = parseLedgerAmount(text);
    if (units !== null && units >= 0n && !text.startsWith("-"))
      assert.equal(plain(formatLedgerAmount(units)), plain(text));
  },
);

const ids = spoiltText(fc.nat().map((number) => publicId(PublicIdKind.withdrawal, number, nowMs)));

fuzz(
  "any text is parsed to a public id that is written the same way, or is refused",
  ids,
  (text) => {
    for (const kind of Object.values(PublicIdKind)) {
      const id = parsePublicId(kind, text);
      if (id !== null) assert.equal(publicId(kind, id.number, id.bornMs), text.toLowerCase());
    }
  },
);
