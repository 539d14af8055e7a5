// Proves that a stranger cannot attack the native surface of a whole venue over real sockets: everything is refused
// with a message of the error map, and the state hash does not change.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { routesOf } from "../../src/adapters/gateway/routes.ts";
import { loginsPerMinute } from "../../src/core/limits.ts";
import {
  type NativeAnswer,
  NativeClient,
  newWallet,
  signText,
  type Wallet,
} from "../support/client/native-client.ts";
import { sendRaw } from "../support/client/raw-request.ts";
import { untilRoomIn } from "../support/clock/clock-windows.ts";
import { nativeListed } from "../support/tidy/listed-errors.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

/** A well-formed id of no existing object, for requests whose path is checked before their body. */
const absentId = "00000000-0000-7000-8000-00000000ffff";

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** How far the venue's clock may be behind this process's, in ms. */
const clockMsMax = 5_000;

let fixture: VenueFixture;
let addresses = 0;

before(async () => {
  // Start well before the next funding time, because funding is an event: here once a day.
  await untilRoomIn(dayMs, 300_000);
  fixture = await VenueFixture.open({
    ...{ DEV_TOOLS: "1", TRUSTED_PROXIES: "127.0.0.1", FUNDING_INTERVAL_MS: String(dayMs) },
  });
});
after(() => fixture.close());

/** Creates a client with its own address, so that the limit of one attack stops no other. */
function stranger(at = fixture): NativeClient {
  const client = new NativeClient(at.address);
  addresses++;
  client.address = `10.1.${addresses >> 8}.${addresses & 255}`;
  return client;
}

async function newUser(wallet?: Wallet): Promise<NativeClient> {
  const user = stranger();
  await user.login(wallet);
  return user;
}

async function hashNow(): Promise<string> {
  return (await fixture.venue.snapshots.fold()).stateHash;
}

/** Runs an attack and asserts that the venue's state hash is unchanged. */
async function unchanged(attack: () => Promise<void>): Promise<void> {
  const before = await hashNow();
  await attack();
  assert.equal(await hashNow(), before, "the state hash must be unchanged");
}

/** Returns the message of a refusal, in any of its forms. */
function wordsOf({ json, text }: NativeAnswer): string {
  return json === null ? text : String(json.error);
}

const listed = new Set(nativeListed.map(({ status, msg }) => `${status} ${msg}`));

/** Asserts that an answer is a refusal from the error map, in which `…` stands for the field's name. */
function assertListed(answer: NativeAnswer, what: string): void {
  const detail = wordsOf(answer).replace(/((?:field|parameter): ).*$/, "$1…");
  assert(listed.has(`${answer.status} ${detail}`), `${what}: ${answer.status} ${answer.text}`);
  const isRefusal = answer.status >= 400 && answer.status < 500;
  // This venue has no ledger, so requests that need one get this refusal.
  assert(isRefusal || detail === "the ledger network is unreachable", what);
}

test("NAT-40 SES-4 a used nonce is refused", async () => {
  const wallet = newWallet();
  const user = stranger();
  const public_key = wallet.publicKey;
  const { nonce, message } = (await user.post("/v1/wallet/challenge", { public_key })).json;
  const proof = { public_key, nonce, signature: signText(wallet, message) };
  assert.equal((await user.post("/v1/wallet/verify", proof)).status, 200);
  await unchanged(async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => stranger().post("/v1/wallet/verify", proof)),
    );
    for (const answer of answers) {
      assert.equal(answer.status, 401);
      assert.deepEqual(answer.json, { error: "invalid nonce or signature" });
    }
  });
});

test("NAT-40 SES-8 an expired token is refused", async () => {
  const short = await VenueFixture.open({ DEV_TOOLS: "1", SESSION_MS: "1000" });
  try {
    const user = new NativeClient(short.address);
    const { json } = await user.login();
    const endMs = Date.parse(json.expires_at);
    while (Date.now() <= endMs) await wait(50);
    // The venue's clock may be a moment behind this one.
    for (;;) {
      const sentMs = Date.now();
      if ((await user.get("/v1/api-keys")).status !== 200) break;
      assert.ok(sentMs < endMs + clockMsMax, `valid ${sentMs - endMs} ms after its end`);
      await wait(50);
    }
    for (const path of ["/v1/api-keys", "/v1/referral/dashboard"]) {
      const { status, text } = await user.get(path);
      assert.deepEqual([status, text], [401, "invalid session"]);
    }
    const out = await user.post("/v1/wallet/logout");
    assert.deepEqual([out.status, out.json], [401, { error: "invalid session" }]);
  } finally {
    await short.close();
  }
});

test("NAT-40 KEY-6 a token gives no access to another user's data", async () => {
  const [owner, thief] = [await newUser(), await newUser()];
  const { json: key } = await owner.post("/v1/api-keys", { label: "mine" });
  await unchanged(async () => {
    const stolen = await thief.delete(`/v1/api-keys/${key.id}`);
    assert.deepEqual([stolen.status, stolen.text], [404, "API key not found"]);
    assert.deepEqual((await thief.get("/v1/api-keys")).json.keys, []);
  });
  const half = Object.assign(stranger(), { token: owner.token.slice(0, -1) });
  const turned = Object.assign(stranger(), { token: [...owner.token].reverse().join("") });
  for (const forged of [half, turned]) {
    const { status, text } = await forged.get("/v1/api-keys");
    assert.deepEqual([status, text], [401, "invalid session"]);
  }
  assert.equal((await owner.delete(`/v1/api-keys/${key.id}`)).status, 200);
});

/** Every encoding of a point of small order, canonical or not, with either sign. */
const smallOrder = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
].flatMap((hex) => {
  const bytes = Buffer.from(hex, "hex");
  const signed = Buffer.from(bytes);
  signed[31] = (signed[31] ?? 0) | 0x80;
  return [bytes.toString("base64"), signed.toString("base64")];
});

test("NAT-40 SES-1 KEY-3 a key of small order, for which anybody can sign, is refused everywhere", async () => {
  const user = await newUser();
  const error = "public_key must be the base64 of a valid 32-byte Ed25519 public key";
  // With such a key, R = the identity point and S = 0 are a valid signature of at least one message in eight.
  const signature = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]).toString("base64");
  await unchanged(async () => {
    for (const public_key of smallOrder) {
      const someone = stranger();
      const bodies = [
        ["/v1/wallet/challenge", { public_key }],
        ["/v1/wallet/verify", { public_key, nonce: "A".repeat(43), signature }],
        ["/v1/wallet/session-key", { public_key }],
        ["/v1/api-keys", { key_type: "ED25519", public_key }],
      ] as const;
      for (const [path, body] of bodies) {
        someone.token = user.token;
        const answer = await someone.post(path, body);
        assert.deepEqual([answer.status, wordsOf(answer)], [400, error], `${path} ${public_key}`);
      }
    }
  });
});

test("NAT-40 KEY-2 labels with control characters are refused", async () => {
  // A session may create sixty keys per minute, so each of two users tries half of the labels.
  const users = [await newUser(), await newUser()];
  await unchanged(async () => {
    const codes = [...Array(32).keys(), ...Array.from({ length: 33 }, (_, at) => 127 + at)];
    for (const [index, code] of codes.entries()) {
      const label = `a${String.fromCharCode(code)}b`;
      const answer = await users[index % 2]?.post("/v1/api-keys", { label });
      assert.deepEqual(
        [answer?.status, answer?.text],
        [400, "label must not contain control characters"],
        `U+${code.toString(16)}`,
      );
    }
  });
});

/** Whether the client got the status or, because it was still sending when the connection ended, only the reset. */
function isRefused(text: string, status: number): boolean {
  return text === "" || text.startsWith(`HTTP/1.1 ${status} `);
}

test("NAT-40 ERR-16 a body of ten megabytes is refused as too large", async () => {
  const body = `{"label":"${"x".repeat(10 * 2 ** 20)}"}`;
  await unchanged(async () => {
    for (const path of ["/v1/api-keys", "/v1/wallet/challenge"]) {
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`;
      const { text, isClosed } = await sendRaw(fixture.venue.port, head + body);
      const detail = "Request body is larger than 1 MiB.";
      const told = path === "/v1/api-keys" ? detail : JSON.stringify({ error: detail });
      assert(isClosed && text.startsWith("HTTP/1.1 413 ") && text.endsWith(told), text);
    }
    const head = "POST /v1/api-keys HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    const { text, isClosed } = await sendRaw(fixture.venue.port, head + chunk.repeat(20));
    assert(isClosed && isRefused(text, 413), text.slice(0, 60));
  });
});

test("NAT-40 LIM-16 a flood of headers ends its connection", async () => {
  const head = "GET /v1/markets HTTP/1.1\r\nHost: x\r\n";
  const floods = [
    `${head}${Array.from({ length: 500 }, (_, at) => `x-${at}: 1\r\n`).join("")}\r\n`,
    `${head}x-long: ${"a".repeat(2 ** 20)}\r\n\r\n`,
    `${head}authorization: Bearer ${"a".repeat(16_384)}\r\n\r\n`,
  ];
  await unchanged(async () => {
    for (const flood of floods) {
      const { text, isClosed } = await sendRaw(fixture.venue.port, flood);
      assert(isClosed && isRefused(text, 431), text.slice(0, 60));
    }
    assert.equal((await stranger().get("/v1/markets")).status, 200, "Other clients must be served");
  });
});

test("NAT-40 LIM-16 request line and headers may be 12 KiB in total, in any proportion", async () => {
  const head = "GET /v1/markets HTTP/1.1\r\nHost: x\r\n";
  const long = (bytes: number) => `${head}x-long: ${"a".repeat(bytes)}\r\n\r\n`;
  const status = async (bytes: string) => {
    const { text } = await sendRaw(fixture.venue.port, bytes, (come) => come.includes("\r\n\r\n"));
    return text.slice(9, 12);
  };
  const used = long(0).length;
  assert.equal(await status(long(12_288 - used)), "200");
  assert.equal(await status(long(12_289 - used)), "431");
  // Send the longest query; it leaves room for headers of 4 KiB.
  const query = `GET /api/v3/time?${"a".repeat(8192)} HTTP/1.1\r\nHost: x\r\n`;
  assert.equal(await status(`${query}x-long: ${"a".repeat(3900)}\r\n\r\n`), "200");
  assert.equal(await status(`${query}x-long: ${"a".repeat(4200)}\r\n\r\n`), "431");
});

test("NAT-40 LIM-17 LIM-31 a request that two parsers could read differently is refused", async () => {
  const post = "POST /v1/wallet/challenge HTTP/1.1\r\nHost: x\r\n";
  const hidden = "GET /v1/markets HTTP/1.1\r\nHost: x\r\n\r\n";
  await unchanged(async () => {
    for (const lengths of [
      "2\r\nContent-Length: 60",
      "60\r\nContent-Length: 2",
      "2\r\ncontent-length: 2",
    ]) {
      const bytes = `${post}Content-Length: ${lengths}\r\n\r\n{}${hidden}`;
      assert.deepEqual(await sendRaw(fixture.venue.port, bytes), { text: "", isClosed: true });
    }
    const spot = `POST /api/v3/order HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`;
    assert.deepEqual(await sendRaw(fixture.venue.port, spot), { text: "", isClosed: true });
    for (const lengths of ["3, 5", "-1", "+3", "0x3", "3\r\nTransfer-Encoding: chunked"]) {
      const bytes = `${post}Content-Length: ${lengths}\r\n\r\n{}${hidden}`;
      const refused = await sendRaw(fixture.venue.port, bytes);
      assert(refused.isClosed && refused.text.startsWith("HTTP/1.1 400 "), refused.text);
      assert.equal(refused.text.match(/HTTP\/1\.1/g)?.length, 1);
    }
  });
});

/** A value for each field. No request with these values can be executed, so that all answers are refusals. */
const refusable: Readonly<Record<string, unknown>> = {
  public_key: "",
  asset: "XRP",
  amount: "0",
  qty: "0",
  symbol: "XRP-PERP",
  label: "spot-session:",
  leverage: 5,
  reduce_only: false,
  post_only: false,
  quote_id: "1",
  submission: "wallet",
  pairs: ["CC-USDC"],
  permissions: ["READ"],
  allowed_addresses: [],
};

/**
 * Returns a function that gives another user each time, so that none reaches its limit. A login in between would change
 * the state.
 */
async function newCrowd(): Promise<() => NativeClient> {
  const users: NativeClient[] = [];
  for (let count = 0; count < 16; count++) users.push(await newUser());
  let turn = 0;
  return () => {
    const someone = stranger();
    someone.token = users[turn++ % users.length]?.token ?? "";
    return someone;
  };
}

function bodyOf(fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((name) => [name, refusable[name] ?? "x"]));
}

const natives = routesOf(true).filter(({ path }) => path.startsWith("/v1/"));
const mutating = natives.flatMap(({ method, path, body }) =>
  body === undefined ? [] : [{ method, path, fields: Object.keys(body.shape) }],
);

const injections = [
  "'; drop table accounts; --",
  "' or '1'='1",
  '" or ""="',
  "1); delete from journal; --",
  "\\'; select pg_sleep(5); --",
  "$1",
  "%' union select secret from api_keys --",
];

async function injectBody(
  anyone: () => NativeClient,
  { method, path, fields }: (typeof mutating)[number],
  field: string,
): Promise<void> {
  for (const text of injections) {
    const body = { ...bodyOf(fields), [field]: text };
    // Any text is a valid label, so make another field invalid.
    if (field === "label") body["key_type"] = "x";
    const target = path.replace(/\{\w+\}/g, "x");
    const answer = await anyone().send(method, target, JSON.stringify(body));
    assertListed(answer, `${method} ${path} ${field}`);
  }
}

test("NAT-40 SQL in any field of any body or query is treated as plain text", async () => {
  const anyone = await newCrowd();
  const tables = () => fixture.venue.database.sql`
    select relname, n_live_tup >= 0 as is_there from pg_stat_user_tables order by relname`;
  const before = [...(await tables())];
  await unchanged(async () => {
    for (const one of mutating)
      for (const field of one.fields) await injectBody(anyone, one, field);
  });
  await unchanged(async () => {
    for (const { method, path, reads } of natives) {
      if (method !== "GET") continue;
      for (const text of injections) {
        const encoded = encodeURIComponent(text);
        const named = Object.keys(reads?.shape ?? {}).map((field) => `${field}=${encoded}`);
        const target = path.replace(/\{\w+\}/g, encoded);
        const answer = await anyone().get(`${target}?${named.join("&")}`);
        const needsLedger = wordsOf(answer) === "the ledger network is unreachable";
        assert(answer.status < 429 || needsLedger, `${target} ${answer.status}`);
      }
    }
  });
  assert.deepEqual([...(await tables())], before);
  const label = injections[0];
  const made = await (await newUser()).post("/v1/api-keys", { label });
  assert.deepEqual(
    [made.status, made.json.label],
    [200, label],
    "Any text must be valid as a label",
  );
});

test("NAT-40 names of built-in object properties are unknown fields, and change no prototype", async () => {
  const anyone = await newCrowd();
  await unchanged(async () => {
    for (const { method, path, fields } of mutating) {
      for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
        const plain = JSON.stringify(bodyOf(fields)).slice(1, -1);
        const value = '{"isAdmin":true,"polluted":true,"label":"x"}';
        const sent = `{${plain === "" ? "" : `${plain},`}"${name}":${value}}`;
        const answer = await anyone().send(method, path.replace(/\{\w+\}/g, absentId), sent);
        assert.deepEqual(
          [answer.status, wordsOf(answer)],
          [422, `unknown field: ${name}`],
          `${method} ${path}`,
        );
      }
    }
    for (const value of ["[]", '"x"', "5", "null", "[[]]", "{}{}", '{"a":', "\u0000"]) {
      const answer = await anyone().send("POST", "/v1/referral/claim", value);
      assert.equal(answer.status, 422, value);
    }
  });
  assert.equal(Reflect.get({}, "polluted"), undefined);
});

test("NAT-40 SES-11 challenges and verifications of one address share a limit", async () => {
  const someone = stranger();
  const request = { public_key: newWallet().publicKey };
  const proof = { ...request, nonce: "A".repeat(43), signature: "x" };
  // All in one minute, in which they are counted.
  await untilRoomIn(minuteMs, 30_000);
  const answers = await Promise.all(
    Array.from({ length: loginsPerMinute + 20 }, (_, count) =>
      count % 2 === 0
        ? someone.post("/v1/wallet/challenge", request)
        : someone.post("/v1/wallet/verify", proof),
    ),
  );
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(refused.length, 20);
  for (const { json } of refused) assert.deepEqual(json, { error: "too many requests" });
  const other = await stranger().post("/v1/wallet/challenge", request);
  assert.equal(other.status, 200, "Other addresses must be able to log in");
});
