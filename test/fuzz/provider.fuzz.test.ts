// Proves that damaged signed requests of a liquidity provider are refused, over real sockets. Damage in headers,
// host, time or body causes no fault of the venue. The venue accepts only exactly what the key signed, and only
// once.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { request as requestHttp } from "node:http";
import { after, before, test } from "node:test";
import fc from "fast-check";
import {
  contentDigest,
  type SignatureHeaders,
  signatureHeaderNames,
  signMessage,
} from "../../src/services/access/message-signature.ts";
import { newProviderKey } from "../providers/signed-request.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { fuzz } from "./fuzz.ts";
import { spoiltText } from "./spoilt-bytes.ts";

const [key, stranger] = [newProviderKey(), newProviderKey()];
const terms = JSON.stringify({
  name: "Maker",
  url: "http://127.0.0.1:20001",
  party_id: `maker::1220${"a".repeat(64)}`,
  public_key: key.publicKey,
  pairs: ["CC-USDC"],
});

let venue: VenueFixture;
let sent = 0;
let taken = 0;

before(async () => {
  venue = await VenueFixture.open({ DEV_TOOLS: "1", TRUSTED_PROXIES: "127.0.0.1" });
  assert.equal((await send(signed(register, 0))).status, 200);
});
after(() => venue.close());

interface SentRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body: string;
}

const register: SentRequest = { method: "POST", path: "/v1/lp/register", body: terms };
const asks: readonly SentRequest[] = [
  register,
  { method: "GET", path: "/v1/lp/status", body: "" },
  { method: "GET", path: "/v1/lp/statistics", body: "" },
];

/** A request as it is sent: for each signature header, the lines with that name. */
interface Outgoing extends SentRequest {
  readonly host: string;
  readonly lines: Readonly<Record<keyof SignatureHeaders, readonly string[]>>;
}

function signed(request: SentRequest, offsetMs: number, by = key): Outgoing {
  const { host } = new URL(venue.address);
  const made = signMessage(
    { ...request, authority: host },
    {
      ...{ keyId: key.keyId, key: by.key, idempotencyKey: randomBytes(8).toString("hex") },
      ...{ nonce: randomBytes(16), nowMs: Date.now() + offsetMs },
    },
  );
  const lines = signatureHeaderNames.map((name) => [name, [made[name]]]);
  return { ...request, host, lines: Object.fromEntries(lines) };
}

/** Sends a request. Each comes from a different address, so that limits by address do not apply. */
function send(out: Outgoing): Promise<{ readonly status: number; readonly body: string }> {
  const { method, path, body, host, lines } = out;
  const at = ++sent;
  const from = `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
  const headers = { ...lines, host, "x-forwarded-for": from, "content-type": "application/json" };
  const length = method === "POST" ? { "content-length": Buffer.byteLength(body) } : {};
  return new Promise((resolve, reject) => {
    const options = { method, path, agent: false, headers: { ...headers, ...length } };
    const requested = requestHttp(venue.address, options as object, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    requested.on("error", reject).end(method === "POST" ? body : undefined);
  });
}

/**
 * Offsets in milliseconds from the venue's time, far enough from the ends of the accepted window that transit time
 * does not matter.
 */
const inTime = [0, -15_000, 3_000];
const outOfTime = [-120_000, -60_000, -45_000, 30_000, 60_000, 10 ** 12, -(10 ** 12)];

/** Replaces characters that a header line cannot contain. */
const sendable = (text: string) => text.replace(/[^\x20-\x7e]/g, "?");
const name = fc.constantFrom(...signatureHeaderNames);

interface Spoiling {
  readonly how: "line" | "double" | "drop" | "host" | "body" | "digest" | "move" | "late" | "key";
  readonly header: keyof SignatureHeaders;
  readonly offsetMs: number;
  readonly isBefore: boolean;
  /** Returns a damaged version of a text. */
  readonly wrong: (text: string) => string;
}

const spoiling: fc.Arbitrary<Spoiling> = fc
  .record({
    how: fc.constantFrom<Spoiling["how"]>(
      ...(["line", "line", "line", "double", "drop", "host", "body", "digest", "move"] as const),
      ...(["late", "key"] as const),
    ),
    header: name,
    offsetMs: fc.constantFrom(...outOfTime),
    isBefore: fc.boolean(),
    edits: fc.infiniteStream(fc.nat(2 ** 20)),
    text: spoiltText(fc.constant("0123456789abcdef")),
  })
  .map(({ edits, text, ...rest }) => ({ ...rest, wrong: wrongBy(edits, text) }));

/** Returns a function that replaces a stretch of a text; the result may equal the text. */
function wrongBy(edits: fc.Stream<number>, by: string): (text: string) => string {
  const [at = 0, length = 0] = [...edits.take(2)];
  return (text) => {
    const from = at % (text.length + 1);
    const inserted = by.slice(0, length % 20);
    return sendable(text.slice(0, from) + inserted + text.slice(from + (length % 7)));
  };
}

/** Returns the request with the drawn damage, which may leave it unchanged. */
function spoilt(sound: Outgoing, { how, header, offsetMs, isBefore, wrong }: Spoiling): Outgoing {
  const { lines, host, body } = sound;
  const [line = ""] = lines[header];
  const withLines = (changed: readonly string[]) => {
    return { ...sound, lines: { ...lines, [header]: changed } };
  };
  switch (how) {
    case "line":
      return withLines([wrong(line)]);
    case "double":
      return withLines(isBefore ? [wrong(line), line] : [line, wrong(line)]);
    case "drop":
      return withLines([]);
    case "host":
      return { ...sound, host: wrong(host).trim() || "nobody" };
    case "body":
      return { ...sound, body: `${body} ` };
    case "digest": {
      const other = body.replace("Maker", "Taker");
      return {
        ...sound,
        body: other,
        lines: { ...lines, "content-digest": [contentDigest(other)] },
      };
    }
    case "move":
      return { ...sound, path: `${sound.path}/` };
    case "late":
      return signed(sound, offsetMs);
    case "key":
      return signed(sound, 0, stranger);
  }
}

/** A header; the signature in its one form, because the last character of base64 may have bits that no byte uses. */
function canonical(each: string, line: string): string {
  if (each !== "signature") return line.trim();
  return line.trim().replace(/:([A-Za-z0-9+/]+={0,2}):/, (whole, text: string) => {
    const one = Buffer.from(text, "base64").toString("base64");
    return one.length === text.length ? `:${one}:` : whole;
  });
}

/**
 * Returns whether `out` still has everything that was signed in `sound`; blanks around a header's value are ignored.
 */
function hasAllOf(sound: Outgoing, out: Outgoing): boolean {
  const isThere = signatureHeaderNames.every((each) => {
    return out.lines[each].some(
      (line) => canonical(each, line) === canonical(each, sound.lines[each][0] ?? ""),
    );
  });
  const isForHost = out.host.toLowerCase() === sound.host.toLowerCase();
  const isSameBody = out.body === sound.body || sound.method === "GET";
  return isThere && isForHost && isSameBody && out.path === sound.path;
}

fuzz(
  "LPS-1 LPS-2 LPS-3 LPS-5 a request is refused without a fault unless its provider signed exactly this request",
  fc.tuple(fc.constantFrom(...asks), spoiling),
  async ([command, what]) => {
    const sound = signed(command, 0);
    const out = spoilt(sound, what);
    const { status, body } = await send(out);
    const message = `${what.how} ${status} ${body} to ${JSON.stringify(out)}`;
    assert.ok(status < 500, message);
    if (status === 200) assert.ok(hasAllOf(sound, out), message);
  },
);

fuzz(
  "LPS-3 LPS-4 a request that a provider has signed is accepted exactly once",
  fc.tuple(fc.constantFrom(...asks), fc.constantFrom(...inTime)),
  async ([command, offsetMs]) => {
    const out = signed(command, offsetMs);
    const { status, body } = await send(out);
    assert.ok([200, 429].includes(status), body);
    if (status === 200) taken++;
    assert.ok([401, 429].includes((await send(out)).status), "a repeated request must be refused");
  },
);

test("LPS-4 the generated requests include accepted ones", () => assert.ok(taken > 0));
