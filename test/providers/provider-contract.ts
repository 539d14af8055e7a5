// The contract of every liquidity provider, as a test suite: the shapes of its answers, refusals of requests that
// the venue did not sign, and the same answer to a repeated request. The suite needs the provider's address and a
// function that signs as a venue which the provider trusts.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import {
  healthAnswer,
  quoteAnswer,
  quoteBody,
  refusalAnswer,
} from "../../schemas/http/provider-api.ts";
import type { SignatureHeaders, SignedParts } from "../../src/services/access/message-signature.ts";
import { sendRelayed } from "./relayed-request.ts";

export interface ProviderSubject {
  readonly url: string;
  /** Symbol of a market that the provider quotes. */
  readonly pair: string;
  sign(parts: SignedParts, idempotencyKey: string): SignatureHeaders;
}

interface Sent {
  readonly status: number;
  readonly text: string;
}

interface SentRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
  readonly key?: string;
  /** Returns the headers to send instead of the correct signature headers. */
  readonly headers?: (signed: SignatureHeaders) => Record<string, string>;
}

async function send({ url, sign }: ProviderSubject, given: SentRequest): Promise<Sent> {
  const { method, path } = given;
  const body = given.body === undefined ? "" : JSON.stringify(given.body);
  const place = new URL(url);
  const whole = (place.pathname === "/" ? "" : place.pathname) + path;
  const parts = { method, authority: place.host, path: whole, body };
  const signed = sign(parts, given.key ?? randomUUID());
  const headers = { "content-type": "application/json", ...(given.headers?.(signed) ?? signed) };
  const sent = body === "" ? {} : { body };
  const response = await fetch(url + path, { method, headers, redirect: "manual", ...sent });
  return { status: response.status, text: await response.text() };
}

function request(pair: string): object {
  return quoteBody.parse({
    rfq_id: randomUUID(),
    pair,
    side: "BUY",
    qty: "100.0",
    trader_tag: "contract",
    respond_by_ms: Date.now() + 1_500,
  });
}

function acceptance(swapId: string): object {
  const party = (name: string) => `${name}::1220${"a".repeat(64)}`;
  const leg = (id: string, sender: string, receiver: string, asset: string) => ({
    leg_id: id,
    sender: party(sender),
    receiver: party(receiver),
    instrument_id: { admin: party("issuer"), id: asset },
    amount: "1.0000000000",
  });
  return {
    quote_id: "never-given",
    legs: [leg("base", "maker", "user", "CC"), leg("quote", "user", "maker", "USDC")],
    settlement: {
      executor: party("operator"),
      settlement_ref: swapId,
      allocate_before: new Date(Date.now() + 60_000).toISOString(),
      settle_before: new Date(Date.now() + 120_000).toISOString(),
    },
    proposal_cid: "00ab",
    disclosed_contracts: [],
  };
}

/** Defines the tests. `subjectOf` is called when they run, so the provider may be opened later. */
export function providerContract(name: string, subjectOf: () => ProviderSubject): void {
  test(`LPP-5 ${name} reports its health and markets`, async () => {
    const subject = subjectOf();
    const { status, text } = await send(subject, { method: "GET", path: "/health" });
    assert.equal(status, 200);
    assert.ok(healthAnswer.parse(JSON.parse(text)).pairs.includes(subject.pair));
  });

  test(`LPP-5 ${name} answers 401 to a request that the venue did not sign`, async () => {
    const subject = subjectOf();
    const health = { method: "GET", path: "/health" } as const;
    const kept: { signed?: SignatureHeaders } = {};
    const keep = (signed: SignatureHeaders) => {
      kept.signed = signed;
      return { ...signed };
    };
    const first = { ...health, headers: keep };
    assert.equal((await send(subject, first)).status, 200);
    const wrong: readonly ((signed: SignatureHeaders) => Record<string, string>)[] = [
      () => ({}),
      () => ({ ...(kept.signed as SignatureHeaders) }),
      (signed) => ({ ...signed, "venue-idempotency-key": "another" }),
      (signed) => ({ ...signed, signature: signed.signature.replace("venue", "other") }),
      (signed) => ({ ...signed, "content-digest": `sha-256=:${"A".repeat(43)}=:` }),
    ];
    for (const headers of wrong)
      assert.equal((await send(subject, { ...health, headers })).status, 401, headers.toString());
  });

  test(`LPS-5 LPP-5 ${name} answers 401 to a request that the venue signed for another provider`, async () => {
    const { url, sign } = subjectOf();
    const path = `${new URL(url).pathname.replace(/\/$/, "")}/health`;
    const host = "other-provider.example";
    const headers = sign({ method: "GET", authority: host, path, body: "" }, randomUUID());
    assert.equal((await sendRelayed(url, { path, host, headers })).status, 401);
  });

  test(`LPP-5 ${name} quotes in the agreed format, or answers 204`, async () => {
    const subject = subjectOf();
    const path = "/rfq/quotes";
    const own = await send(subject, { method: "POST", path, body: request(subject.pair) });
    if (own.status !== 204) {
      assert.equal(own.status, 200, own.text);
      const quote = quoteAnswer.parse(JSON.parse(own.text));
      assert.equal(Number(quote.qty), 100);
      assert.ok(quote.valid_until_ms > Date.now() + 2_000);
    }
    const other = await send(subject, { method: "POST", path, body: request("NONE-SUCH") });
    assert.ok(other.status === 204 || other.status === 422, `${other.status}`);
  });

  test(`LPP-5 ${name} refuses a quote that it never gave, and repeats the refusal`, async () => {
    const subject = subjectOf();
    const swapId = randomUUID();
    const path = `/rfq/trades/${swapId}/accept-and-allocate`;
    const again = {
      method: "POST",
      path,
      body: acceptance(swapId),
      key: `accept-${swapId}`,
    } as const;
    const first = await send(subject, again);
    assert.ok(first.status === 409 || first.status === 422, `${first.status} ${first.text}`);
    refusalAnswer.parse(JSON.parse(first.text));
    const second = await send(subject, again);
    assert.deepEqual([second.status, second.text], [first.status, first.text]);
  });

  test(`LPP-5 ${name} accepts repeated notices that a swap has ended`, async () => {
    const subject = subjectOf();
    const path = `/rfq/trades/${randomUUID()}`;
    for (const [end, body] of [
      ["cancel", { reason: "trader_late" }],
      ["result", { status: "not_selected" }],
      ["result", { status: "not_selected" }],
    ] as const) {
      const { status } = await send(subject, { method: "POST", path: `${path}/${end}`, body });
      assert.ok(status >= 200 && status < 300, `${end}: ${status}`);
    }
  });
}
