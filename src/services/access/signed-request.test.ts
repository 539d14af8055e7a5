// Parsing of query and form body: which ones are refused, and which value counts if a name is in both. Signatures:
// published test vectors, changes in transport that leave them valid, and the time window.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { parametersMax } from "../../core/limits.ts";
import {
  canonicalPublicKey,
  Ed25519Signature,
  HmacSignature,
  isSignedBy,
  presenceFault,
  RequestParameters,
  windowEnd,
} from "./signed-request.ts";

function parsed(query: string, body = ""): RequestParameters {
  const parameters = RequestParameters.parse(query, body);
  assert.ok(parameters instanceof RequestParameters);
  return parameters;
}

test("values are decoded once, empty ones are absent, and empty parts between separators are skipped", () => {
  const parameters = parsed("a=1&&b=%20x+y&c=&d&e=k%3Dv=w&");
  assert.equal(parameters.get("a"), "1");
  assert.equal(parameters.get("b"), " x y");
  assert.equal(parameters.get("c"), undefined);
  assert.equal(parameters.get("d"), undefined);
  assert.equal(parameters.get("e"), "k=v=w");
  assert.equal(parameters.get("f"), undefined);
});

test("AUT-20 a name in both query and body has the query's value, and both are signed", () => {
  const parameters = parsed("a=1&b=2", "b=3&c=4");
  assert.equal(parameters.get("b"), "2");
  assert.equal(parameters.get("c"), "4");
  assert.equal(parameters.signedText, "a=1&b=2b=3&c=4");
});

test("the signature parameter is removed with one separator, at any position", () => {
  for (const text of ["signature=ab&x=1&y=2", "x=1&signature=ab&y=2", "x=1&y=2&signature=ab"]) {
    assert.equal(parsed(text).signedText, "x=1&y=2");
    assert.equal(parsed("", text).signedText, "x=1&y=2");
    assert.equal(parsed(text).signature, "ab");
  }
  assert.equal(parsed("signature=ab").signedText, "");
});

test("AUT-20 duplicates, broken escapes, broken UTF-8 and too many parameters are faults", () => {
  const kind = (query: string, body = "") => {
    const fault = RequestParameters.parse(query, body);
    return fault instanceof RequestParameters ? "none" : `${fault.kind} ${fault.name}`.trim();
  };
  assert.equal(kind("a=1&a=1"), "duplicate a");
  assert.equal(kind("", "a=1&b=2&a=3"), "duplicate a");
  assert.equal(kind("%61=1&a=2"), "duplicate a");
  assert.equal(kind("signature=1&signature=2"), "duplicate signature");
  assert.equal(kind("a=%zz"), "malformed a");
  assert.equal(kind("a=%ff%fe"), "malformed a");
  assert.equal(kind("a=\ufffd"), "malformed");
  assert.equal(kind("=1"), "malformed");
  const many = Array.from({ length: parametersMax + 1 }, (_, at) => `p${at}=1`);
  assert.equal(kind(many.join("&")), "tooMany");
  assert.equal(kind(many.slice(1).join("&")), "none");
  assert.equal(kind("a=1", "a=2"), "none");
});

test("AUT-28 a signed text has one meaning, wherever it is split into query and body", () => {
  const meaning = (query: string, body: string) => {
    const read = RequestParameters.parse(query, body);
    if (!(read instanceof RequestParameters)) return `${read.kind} ${read.name}`;
    return `${read.signedText} ${names.map((name) => read.get(name)).join()}`;
  };
  const names = ["symbol", "quantity", "reduceOnly", "price"];
  const text = "symbol=CC-USDC&quantity=2000&reduceOnly=true&price=0.15";
  const whole = meaning(text, "");
  let refused = 0;
  for (let at = 1; at < text.length; at++) {
    const result = meaning(text.slice(0, at), text.slice(at));
    const isRefused = /^(split|malformed) /.test(result);
    if (isRefused) refused++;
    else assert.equal(result, whole, text.slice(at));
  }
  // The text may be split only directly before or after one of its three separators, so at six positions.
  assert.equal(refused, text.length - 1 - 6);
  assert.equal(meaning("quantity=200", "0&price=1"), "split quantity");
  assert.equal(meaning("quantity=200&signature=a", "0&price=1"), "split quantity");
  assert.equal(meaning("quantity=200", "signature=a&0&price=1"), "split quantity");
  assert.equal(meaning("price=1&quan", "tity=2000"), "split quan");
  assert.equal(meaning("symbol=CC-USDC", "quantity=1"), "symbol=CC-USDCquantity=1 CC-USDC,1,,");
  const bare = "0f".repeat(32);
  assert.equal(
    meaning("quantity=1", bare),
    `quantity=1${bare} ,1,,`,
    "a signature without its name",
  );
  assert.equal(meaning("quantity=1&signature=a", bare), "split quantity");
  assert.equal(meaning("signature=a", "quantity=1&x"), "quantity=1&x ,1,,");
});

test("no text makes the parser throw", () => {
  const piece = fc.constantFrom(
    "a",
    "=",
    "&",
    "%",
    "%41",
    "%e2%82",
    "+",
    "signature=",
    "é",
    "\u0000",
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece).map((list) => list.join("")),
  );
  fc.assert(
    fc.property(text, text, (query, body) => {
      const parameters = RequestParameters.parse(query, body);
      if (parameters instanceof RequestParameters) {
        assert.ok(parameters.signedText.length <= query.length + body.length);
        assert.doesNotThrow(() => parameters.decodedSignedText);
      }
    }),
    { numRuns: 500 },
  );
});

interface Vectors {
  readonly hmac: ReadonlyArray<{
    readonly id: string;
    readonly secret: string;
    readonly query: string;
    readonly body: string;
    readonly signature: string;
  }>;
  readonly ed25519: ReadonlyArray<{
    readonly id: string;
    readonly publicKey: string;
    readonly publicKeyUrlSafe: string;
    readonly text: string;
    readonly signature: string;
  }>;
}

const vectors = JSON.parse(readFileSync("test/vectors/signing.json", "utf8")) as Vectors;

function joined(text: string, signature: string): string {
  const pair = `signature=${encodeURIComponent(signature)}`;
  return text === "" ? pair : `${text}&${pair}`;
}

for (const { id, secret, query, body, signature } of vectors.hmac) {
  test(`AUT-4 CNF-1 vector ${id} verifies with its signature at any position, and fails with a changed byte`, () => {
    const check = new HmacSignature(secret);
    assert.equal(check.sign(query + body), signature);
    assert.equal(isSignedBy(check, parsed(joined(query, signature), body)), true);
    assert.equal(isSignedBy(check, parsed(query, joined(body, signature))), true);
    assert.equal(isSignedBy(check, parsed(query, joined(body, signature.toUpperCase()))), true);
    const [text, at] = [query + body, query.length + body.length - 1];
    const changed = text.slice(0, at) + (text[at] === "0" ? "1" : "0");
    assert.equal(isSignedBy(check, parsed(joined(changed, signature))), false);
    check.erase();
    assert.equal(isSignedBy(check, parsed(joined(query, signature), body)), false);
  });
}

for (const { id, publicKey, publicKeyUrlSafe, text, signature } of vectors.ed25519) {
  test(`AUT-5 CNF-1 CNF-5 vector ${id} verifies with escapes, with a blank for plus, and in URL-safe base64`, async () => {
    assert.equal(canonicalPublicKey(publicKeyUrlSafe), publicKey);
    const check = new Ed25519Signature(publicKeyUrlSafe);
    const urlSafe = signature.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    for (const sent of [encodeURIComponent(signature), signature, urlSafe]) {
      assert.equal(await isSignedBy(check, parsed(`${text}&signature=${sent}`)), true);
    }
    assert.equal(await isSignedBy(check, parsed(`${text}0&signature=${urlSafe}`)), false);
    assert.equal(await isSignedBy(check, parsed(`${text}&signature=AAAA`)), false);
  });
}

test("AUT-21 a text that was signed before it was encoded verifies, unless a value could hide a parameter", () => {
  const check = new HmacSignature("secret");
  const plain = check.sign("newClientOrderId=a:b/c&timestamp=1");
  const sent = `newClientOrderId=a%3Ab%2Fc&timestamp=1&signature=${plain}`;
  assert.equal(isSignedBy(check, parsed(sent)), true);
  const hidden = check.sign("note=a&price=9&timestamp=1");
  assert.equal(
    isSignedBy(check, parsed(`note=a%26price%3D9&timestamp=1&signature=${hidden}`)),
    false,
  );
});

test("AUT-6 AUT-8 AUT-11 signature and timestamp are required, and a bare hexadecimal ending is a wrong signature", () => {
  assert.equal(presenceFault(parsed("timestamp=1")), "signatureMissing");
  assert.equal(presenceFault(parsed("timestamp=1&signature=")), "signatureMissing");
  assert.equal(presenceFault(parsed(`timestamp=1&${"0a".repeat(32)}`)), "signatureWrong");
  assert.equal(presenceFault(parsed("signature=aa")), "timestampMissing");
  for (const timestamp of ["", "x", "-1", "1.5", "1e9", "9".repeat(17)]) {
    assert.equal(presenceFault(parsed(`timestamp=${timestamp}&signature=aa`)), "timestampMissing");
  }
  assert.equal(presenceFault(parsed("timestamp=1&signature=aa")), undefined);
});

test("AUT-12 AUT-13 the time window is [now - recvWindow, now + 1 s), recvWindow at most 60 s", () => {
  const now = 1_700_000_000_000;
  const at = (age: number, recvWindow = "") => {
    const end = windowEnd(parsed(`timestamp=${now - age}&recvWindow=${recvWindow}`), now);
    return typeof end === "number" ? end - now : end;
  };
  assert.equal(at(-999), 5999);
  assert.equal(at(-1000), "outsideWindow");
  assert.equal(at(5000), 0);
  assert.equal(at(5001), "outsideWindow");
  assert.equal(at(59_000, "60000"), 1000);
  assert.equal(at(0, "60001"), "outsideWindow");
  assert.equal(at(11, "10.5"), "outsideWindow");
  assert.equal(at(0, "abc"), "recvWindowMalformed");
});

test("AUT-3 any parameters signed as sent verify, in any split between query and body", () => {
  const check = new HmacSignature("a secret");
  const name = fc.stringMatching(/^[a-z]{1,8}$/);
  const value = fc.string({ maxLength: 12 }).map(encodeURIComponent);
  const pairs = fc.uniqueArray(fc.tuple(name, value), { maxLength: 8, selector: ([key]) => key });
  fc.assert(
    fc.property(pairs, fc.nat(8), (list, cut) => {
      const safe = list.filter(([key]) => key !== "signature").map((pair) => pair.join("="));
      const query = safe.slice(0, cut).join("&");
      const body = safe.slice(cut).join("&");
      const signed = check.sign(query + body);
      assert.equal(isSignedBy(check, parsed(query, joined(body, signed))), true);
      assert.equal(isSignedBy(check, parsed(joined(query, signed), body)), true);
    }),
  );
});
