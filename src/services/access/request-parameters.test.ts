// Taking a query and a form body apart: what is refused, and which value wins.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parametersMax } from "../../core/limits.ts";
import { RequestParameters } from "./request-parameters.ts";

function parsed(query: string, body = ""): RequestParameters {
  const parameters = RequestParameters.parse(query, body);
  assert.ok(parameters instanceof RequestParameters);
  return parameters;
}

test("values are decoded once, empty ones are absent, blanks between separators are skipped", () => {
  const parameters = parsed("a=1&&b=%20x+y&c=&d&e=k%3Dv=w&");
  assert.equal(parameters.get("a"), "1");
  assert.equal(parameters.get("b"), " x y");
  assert.equal(parameters.get("c"), undefined);
  assert.equal(parameters.get("d"), undefined);
  assert.equal(parameters.get("e"), "k=v=w");
  assert.equal(parameters.get("f"), undefined);
});

test("AUT-20 a name in query and body has the query's value; both are signed", () => {
  const parameters = parsed("a=1&b=2", "b=3&c=4");
  assert.equal(parameters.get("b"), "2");
  assert.equal(parameters.get("c"), "4");
  assert.equal(parameters.signedText, "a=1&b=2b=3&c=4");
});

test("the signature pair leaves with one separator, wherever it stands", () => {
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

test("AUT-28 a signed text has one meaning, wherever the border between query and body is moved", () => {
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
    const told = meaning(text.slice(0, at), text.slice(at));
    const isRefused = /^(split|malformed) /.test(told);
    if (isRefused) refused++;
    else assert.equal(told, whole, text.slice(at));
  }
  // Three separators can be on either side of the border.
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
