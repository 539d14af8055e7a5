// The forms of the answers that only a venue with a ledger and a provider gives, as the reference shows them.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ledgerAnswerSchemas } from "../../schemas/http/generated/ledger-answer-schemas.ts";
import { type Answered, compareForms } from "../guides/answer-forms.ts";
import type { NativeAnswer } from "../support/native-client.ts";
import { QuotingVenue } from "../support/quoting-venue.ts";
import { SwapCustomer } from "./swap-customer.ts";

let quoting: QuotingVenue;

before(async () => {
  quoting = await QuotingVenue.open({ SWAP_QUOTE_WINDOW_MS: "15000" });
});
after(() => quoting.close());

const answers: Answered[] = [];

/** Keeps an answer that is one of its route's. */
function kept(route: string, { status, text, json }: NativeAnswer): NativeAnswer {
  assert.equal(status, 200, `${route}: ${text}`);
  answers.push([route, json]);
  return { status, text, json, type: "application/json" };
}

const swap = "/v1/swaps/rfq/{swap_id}";

async function swapsOf(customer: SwapCustomer): Promise<void> {
  const { user } = customer;
  const ask = { pair: "CC-USDC", side: "BUY", qty: "100" };
  const asked = kept("POST /v1/swaps/rfq", await user.post("/v1/swaps/rfq", ask));
  const id: string = asked.json.swap_id;
  const { quotes } = await customer.until(id, ({ status }) => status === "quoted");
  kept(`GET ${swap}`, await user.get(`/v1/swaps/rfq/${id}`));
  const [quote] = quotes;
  const taken = await customer.ask(id, "accept", { quote_id: quote?.quote_id });
  kept(`POST ${swap}/accept`, taken);
  kept(`POST ${swap}/prepare`, await customer.ask(id, "prepare"));
  kept(`POST ${swap}/execute`, await customer.signed(id));
  assert.equal((await customer.over(id)).status, "settled");
  kept(`GET ${swap}`, await user.get(`/v1/swaps/rfq/${id}`));
  const other = await customer.request();
  kept(`POST ${swap}/cancel`, await customer.ask(other, "cancel"));
  kept("GET /v1/swaps/rfq", await user.get("/v1/swaps/rfq"));
}

test("DOC-8 answers of swaps and of custody have the form that the reference says", async () => {
  const customer = await SwapCustomer.open(quoting.venue, { USDC: "1000", CC: "1000" });
  await swapsOf(customer);
  const { user } = customer;
  kept("GET /v1/deposits/address", await user.get("/v1/deposits/address?asset=USDC"));
  kept("GET /v1/solvency", await user.get("/v1/solvency"));
  kept("POST /v1/wallet/enroll", await user.post("/v1/wallet/enroll"));
  compareForms(
    {
      file: "ledger-answer-schemas.ts",
      name: "ledgerAnswerSchemas",
      forms: ledgerAnswerSchemas,
      only: "providers/answer-forms",
    },
    answers,
  );
});
