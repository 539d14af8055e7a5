// Proves that the scripted providers of other tests fulfil the contract of the real port.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { AcceptRequest, ProviderQuote } from "../../src/ports/swaps/liquidity-providers.ts";
import { type ProviderScript, ScriptedProviders } from "../support/swaps/scripted-providers.ts";

const party = "maker::1220";
const forever = new Promise<never>(() => undefined);

const terms: AcceptRequest = {
  quote_id: "q-1",
  legs: [],
  settlement: {
    executor: "operator::1220",
    settlement_ref: "s-1",
    allocate_before: "2026-01-01T00:00:00.000Z",
    settle_before: "2026-01-01T00:01:00.000Z",
  },
  proposal_cid: "00",
  disclosed_contracts: [],
};

function script(change: Partial<ProviderScript>): ProviderScript {
  return {
    party,
    quote: async ({ respond_by_ms: valid_until_ms }) => ({
      quote_id: "q-1",
      price: "1.5",
      qty: "10",
      valid_until_ms,
      provider_party: party,
    }),
    accept: async () => ({ kind: "rejected", reason: "no" }),
    ...change,
  };
}

async function round(providers: ScriptedProviders, windowMs: number) {
  const quotes: ProviderQuote[] = [];
  const request = { rfq_id: "r-1", pair: "CC-USDC", side: "BUY", qty: "10" } as const;
  const requested = await providers.requestQuotes(
    { ...request, trader_tag: "t", respond_by_ms: Date.now() + windowMs },
    (quote) => quotes.push(quote),
  );
  return { quotes, asked: requested };
}

test("a round of quotes ends with its window, and silent, failing and lying providers have no quote", async () => {
  const providers = new ScriptedProviders({
    honest: script({}),
    silent: script({ quote: () => forever }),
    broken: script({ quote: async () => Promise.reject(new Error("down")) }),
    liar: script({ party: "other::1220" }),
  });
  const { quotes, asked: requested } = await round(providers, 500);
  assert.deepEqual(requested, ["honest", "silent", "broken", "liar"]);
  assert.deepEqual(
    quotes.map(({ provider }) => provider),
    ["honest"],
  );
});

test("at most eight providers get a request, and suspended ones get none", async () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
  const scripts = Object.fromEntries(names.map((name) => [name, script({})]));
  const providers = new ScriptedProviders(scripts);
  await providers.suspend("a", "it lied");
  const { asked: requested } = await round(providers, 1_000);
  assert.deepEqual(requested, ["b", "c", "d", "e", "f", "g", "h", "i"]);
});

test("a commit call without an answer ends at its deadline with an unknown outcome", async () => {
  const providers = new ScriptedProviders({
    silent: script({ accept: () => forever }),
    broken: script({ accept: async () => Promise.reject(new Error("down")) }),
    unwilling: script({}),
  });
  const send = async (name: string) =>
    (await providers.acceptAndAllocate(name, terms, Date.now() + 20)).kind;
  assert.deepEqual(
    [await send("silent"), await send("broken"), await send("unwilling"), await send("nobody")],
    ["unknown", "unknown", "rejected", "unknown"],
  );
});
