// Proves that the reference describes the answers that only a venue with a ledger and a provider gives.

import assert from "node:assert/strict";
import { randomBytes, sign } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ledgerAnswerSchemas } from "../../schemas/http/generated/ledger-answer-schemas.ts";
import { systemEntropy } from "../../src/adapters/runtime/system-entropy.ts";
import { identityIn } from "../../src/tools/provider/provider-home.ts";
import { compareForms } from "../guides/answer-forms.ts";
import type { Answered } from "../guides/sample-answers.ts";
import type { NativeAnswer, NativeClient } from "../support/client/native-client.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";
import { until } from "../support/venue/ledger-venue.ts";
import { QuotingVenue } from "../support/venue/quoting-venue.ts";
import { newProviderKey, type SignedRequest, sendSigned } from "./signed-request.ts";
import { SwapCustomer } from "./swap-customer.ts";

let quoting: QuotingVenue;
/** Folder with the provider's stored data, including its key. */
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-provider-"));
  quoting = await QuotingVenue.open({ SWAP_QUOTE_WINDOW_MS: "15000" }, { folder });
});
after(async () => {
  await quoting.close();
  await rm(folder, { recursive: true, force: true });
});

const answers: Answered[] = [];

/** Records the answer of a route for comparison, and returns it. */
function kept(route: string, { status, text, json }: NativeAnswer): NativeAnswer {
  assert.equal(status, 200, `${route}: ${text}`);
  answers.push([route, json]);
  return { status, text, json, type: "application/json" };
}

const swap = "/v1/swaps/rfq/{swap_id}";

async function swapsOf(customer: SwapCustomer): Promise<void> {
  const { user } = customer;
  const send = { pair: "CC-USDC", side: "BUY", qty: "100" };
  const requested = kept("POST /v1/swaps/rfq", await user.post("/v1/swaps/rfq", send));
  const id: string = requested.json.swap_id;
  const { quotes } = await customer.until(id, ({ status }) => status === "quoted");
  kept(`GET ${swap}`, await user.get(`/v1/swaps/rfq/${id}`));
  const [quote] = quotes;
  const taken = await customer.send(id, "accept", { quote_id: quote?.quote_id });
  kept(`POST ${swap}/accept`, taken);
  kept(`POST ${swap}/prepare`, await customer.send(id, "prepare"));
  kept(`POST ${swap}/execute`, await customer.signed(id));
  assert.equal((await customer.over(id)).status, "settled");
  kept(`GET ${swap}`, await user.get(`/v1/swaps/rfq/${id}`));
  const other = await customer.request();
  kept(`POST ${swap}/cancel`, await customer.send(other, "cancel"));
  kept("GET /v1/swaps/rfq", await user.get("/v1/swaps/rfq"));
}

/** Records the venue's answers to the provider that quoted in `swapsOf`, requested with the provider's own key. */
async function providerAnswers(): Promise<void> {
  const { address } = quoting.venue.fixture;
  const own = await identityIn(folder, systemEntropy);
  const send = (requested: SignedRequest) => sendSigned(address, own, requested);
  const read = async (path: string) => kept(`GET ${path}`, await send({ method: "GET", path }));
  const { provider_id: id } = (await read("/v1/lp/status")).json;
  await read("/v1/lp/statistics");
  await read("/v1/lp/swaps");
  const next = newProviderKey();
  const text = `rialto provider key\nprovider: ${id}\npublic key: ${next.publicKey}`;
  const proof = sign(null, Buffer.from(text), next.key).toString("base64");
  const path = "/v1/lp/keys";
  const added = { method: "POST", path, body: { public_key: next.publicKey, proof } } as const;
  kept("POST /v1/lp/keys", await send(added));
  const retired = await send({ method: "DELETE", path: `${path}/${next.keyId}` });
  assert.deepEqual([retired.status, retired.text], [204, ""]);
  await read("/v1/lp/status");
  const key = newProviderKey();
  const body = {
    ...{ name: "another", url: "http://127.0.0.1:9", party_id: strangerParty() },
    ...{ public_key: key.publicKey, pairs: ["CC-USDC"] },
  };
  const register = { method: "POST", path: "/v1/lp/register", body } as const;
  kept("POST /v1/lp/register", await sendSigned(address, key, register));
}

function strangerParty(): string {
  return `other::1220${randomBytes(32).toString("hex")}`;
}

/** Records the answers of a withdrawal from its request to its completion. */
async function withdrawalAnswers(): Promise<void> {
  const user = await quoting.venue.user();
  await user.post("/v1/deposits/seed", { asset: "USDC", amount: "100", wallet: "spot" });
  const destination = strangerParty();
  await (await quoting.venue.control()).host(destination);
  const requested = { asset: "USDC", amount: "10", destination, idempotency_key: "out" };
  const { json } = kept("POST /v1/withdrawals", await user.post("/v1/withdrawals", requested));
  const shown = () => user.get(`/v1/withdrawals/${json.withdrawal_id}`);
  await until(async () => (await shown()).json.status === "completed");
  kept("GET /v1/withdrawals/{wid}", await shown());
  kept("GET /v1/withdrawals", await user.get("/v1/withdrawals"));
  await depositAnswers(user);
  await walletAnswers(user);
}

/** Records the answers about a deposit that has been credited. */
async function depositAnswers(user: NativeClient): Promise<void> {
  const address = kept(
    "GET /v1/deposits/address",
    await user.get("/v1/deposits/address?asset=USDC"),
  );
  const control = await quoting.venue.control();
  const payer = strangerParty();
  await control.host(payer);
  await control.tap(payer, "USDC", "100");
  await control.spend(payer, address.json.party_id, "USDC", "40", address.json.reference);
  const list = () => user.get("/v1/deposits");
  await until(async () => (await list()).json.items[0]?.status === "credited");
  kept("GET /v1/deposits", await list());
}

/** Records the answers of signed routes that need a ledger, of a user who has made a deposit and a withdrawal. */
async function walletAnswers(user: NativeClient): Promise<void> {
  const made = await user.post("/v1/api-keys", { label: "wallet" });
  const { address } = quoting.venue.fixture;
  const read = async (path: string, parameters: Readonly<Record<string, string>> = {}) => {
    const request = { method: "GET", path, parameters } as const;
    const { status, json } = await signedFetch(address, made.json, request);
    assert.equal(status, 200, JSON.stringify(json));
    answers.push([`GET ${path}`, json]);
  };
  await read("/sapi/v1/capital/deposit/address", { coin: "USDC" });
  await read("/sapi/v1/capital/deposit/hisrec");
  await read("/sapi/v1/capital/withdraw/history");
  await read("/sapi/v1/capital/config/getall");
  await read("/sapi/v1/asset/assetDetail");
}

test("DOC-8 answers about swaps and custody and answers to providers have the documented schema", async () => {
  const customer = await SwapCustomer.open(quoting.venue, { USDC: "1000", CC: "1000" });
  await swapsOf(customer);
  const { user } = customer;
  kept("GET /v1/solvency", await user.get("/v1/solvency"));
  kept("POST /v1/wallet/enroll", await user.post("/v1/wallet/enroll"));
  await providerAnswers();
  await withdrawalAnswers();
  compareForms(
    {
      file: "ledger-answer-schemas.ts",
      name: "ledgerAnswerSchemas",
      forms: ledgerAnswerSchemas,
      samples: "ledger-sample-answers.json",
      only: "providers/answer-forms",
    },
    answers,
  );
});
