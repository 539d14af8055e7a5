// Proves that the reference provider is safe to restart. A relay records the venue's requests to commit, so that a test
// can send them again; the provider must then repeat its earlier answer. If the provider has lost the quote of a swap
// that the ledger does not know, it must refuse the swap and send nothing to the ledger.

import assert from "node:assert/strict";
import { appendFile, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { PostgresSigningKeys } from "../../src/adapters/postgres/queries/swaps/signing-keys.ts";
import { systemEntropy } from "../../src/adapters/runtime/system-entropy.ts";
import { formatLedgerAmount } from "../../src/core/money/ledger-amount.ts";
import type { Holding } from "../../src/ports/ledger/ledger.ts";
import { VenueSigner } from "../../src/services/access/venue-signer.ts";
import { openDevnetWallet } from "../../src/tools/provider/open-wallet.ts";
import { portIn } from "../../src/tools/provider/provider-home.ts";
import { until } from "../support/venue/ledger-venue.ts";
import { QuotingVenue } from "../support/venue/quoting-venue.ts";
import { SwapCustomer } from "./swap-customer.ts";

interface Relayed {
  readonly asked: string;
  readonly status: number;
  readonly answered: string;
}

let quoting: QuotingVenue;
let signer: VenueSigner;
/** Commit requests and their answers, as the relay passed them on. */
const relayed: Relayed[] = [];
/** Actions to run before the relay passes on the first request to commit to a swap; each runs once. */
const beforeCommit: (() => Promise<void>)[] = [];
/** The provider's data folder, in which the relay finds the provider's port. */
let folder = "";

const relay = createServer((incoming, answer) => {
  pass(incoming, answer).catch(() => answer.destroy());
});

before(async () => {
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const { port } = relay.address() as AddressInfo;
  folder = await mkdtemp(join(tmpdir(), "rialto-provider-"));
  quoting = await QuotingVenue.open({}, { folder, url: `http://127.0.0.1:${port}` });
  const { database, keys } = quoting.venue.fixture.venue;
  const store = new PostgresSigningKeys(database.sql);
  const nowMs = () => Date.now();
  signer = new VenueSigner({ store, box: keys.box, entropy: systemEntropy, nowMs });
  await signer.refresh();
});

after(async () => {
  await quoting.close();
  relay.closeAllConnections();
  relay.close();
});

async function pass(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
  const isCommit = incoming.url?.endsWith("/accept-and-allocate") === true;
  const body = await textOf(incoming);
  // A retry by the venue has the same bytes as the first request.
  const isFirst = relayed.every(({ asked: earlier }) => earlier !== body);
  if (isCommit && isFirst) await beforeCommit.shift()?.();
  const port = await portIn(folder);
  const { method, url: path, headers } = incoming;
  const sent = { host: "127.0.0.1", port, method, path, headers, agent: false };
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    request(sent, resolve).on("error", reject).end(body);
  });
  const status = reply.statusCode ?? 0;
  const answered = await textOf(reply);
  if (isCommit) relayed.push({ asked: body, status, answered });
  answer.writeHead(status, reply.headers).end(answered);
}

async function textOf(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

/**
 * Restarts the provider without its record of the last outcome, as if it had been killed before it stored the
 * outcome.
 */
async function restartForgetful(): Promise<void> {
  await quoting.restart(async () => {
    const path = join(folder, "trades.jsonl");
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    const last = JSON.parse(lines.pop() ?? "") as { readonly state: string };
    assert.equal(last.state, "locked");
    await writeFile(path, `${lines.join("\n")}\n`);
  });
}

function answerTo(id: string): Relayed | undefined {
  return relayed.filter(({ asked: incoming }) => incoming.includes(id)).at(-1);
}

/** Sends the same bytes again, signed as the venue does, and returns the provider's answer. */
async function requestAgain(id: string, { asked: incoming }: Relayed): Promise<Relayed> {
  const path = `/rfq/trades/${id}/accept-and-allocate`;
  const { host } = new URL(quoting.provider.url);
  const signed = signer.sign(
    { method: "POST", authority: host, path, body: incoming },
    `accept-${id}`,
  );
  const headers = { ...signed, "content-type": "application/json" };
  const url = quoting.provider.url + path;
  const { status } = await fetch(url, { method: "POST", headers, body: incoming });
  const last = answerTo(id);
  assert.equal(last?.status, status);
  return last;
}

test("LPP-4 after a restart the provider repeats its answer to the first request", async () => {
  const customer = await SwapCustomer.open(quoting.venue, { USDC: "1000" });
  const id = await customer.accepted();
  assert.equal((await customer.signed(id)).status, 200);
  assert.equal((await customer.over(id)).status, "settled");
  // The venue settles by what it sees on the ledger, and may be faster than the provider's answer.
  await until(async () => answerTo(id)?.status === 200);
  const first = answerTo(id);
  assert.ok(first?.status === 200);
  await restartForgetful();
  assert.deepEqual(
    await requestAgain(id, first),
    first,
    "the provider must look the answer up on the ledger",
  );
  await quoting.restart();
  assert.deepEqual(
    await requestAgain(id, first),
    first,
    "the provider must repeat its stored answer",
  );
  assert.equal((await (await quoting.venue.control()).audit()).isSound, true);
});

test("LPP-8 a provider with too few coins requests a retry while some of them may be released, then refuses finally", async () => {
  const customer = await SwapCustomer.open(quoting.venue, { USDC: "1000" });
  const { party } = quoting.provider;
  const control = await quoting.venue.control();
  const { wallet } = await openDevnetWallet(join(quoting.venue.fixture.dataDir, "ledger"), "maker");
  const free = async () =>
    (await wallet.freeCoins(Date.now())).filter(({ instrument }) => instrument.id === "CC");
  await control.host(party);
  const [own, ...others] = (await free()).sort((a, b) => (a.amount < b.amount ? -1 : 1));
  assert.ok(own !== undefined && others.length > 0);
  // Reserve all coins but one for another swap whose outcome is unknown.
  const inputs = others.map(({ contractId }) => contractId);
  const begun = { swapId: "another", bodyHash: "", state: "begun", quoteId: "q", inputs };
  const attempt = { submissionId: "s", dedupOffset: 0, requestedAtMs: 0, answer: null };
  const line = `${JSON.stringify({ ...begun, ...attempt })}\n`;
  await quoting.restart(() => appendFile(join(folder, "trades.jsonl"), line));
  const spend = (coin: Holding) =>
    control.spend(party, customer.party, "CC", formatLedgerAmount(coin.amount));
  // Spend the one free coin before the commit, so that only reserved coins remain. It is the smallest, and a payment
  // uses the smallest coin first.
  beforeCommit.push(() => spend(own));
  const id = await customer.accepted();
  assert.equal((await customer.signed(id)).status, 200);
  await until(async () => answerTo(id) !== undefined);
  const first = answerTo(id);
  const aside = '{"reason":"the holdings are reserved for another swap"}';
  assert.deepEqual([first?.status, first?.answered], [503, aside]);
  for (const coin of others) await spend(coin);
  const last = await requestAgain(id, first as Relayed);
  const gone = '{"reason":"the holdings are no longer available"}';
  assert.deepEqual([last.status, last.answered], [409, gone]);
  for (const asset of ["CC", "USDC"]) await control.tap(party, asset, "1000000");
  assert.equal(
    (await requestAgain(id, first as Relayed)).answered,
    gone,
    "a repeated request must get the same answer",
  );
});

test("LPP-4 the provider refuses a swap that the ledger does not know, and sends nothing", async () => {
  const customer = await SwapCustomer.open(quoting.venue, { USDC: "1000" });
  // Quotes do not survive a restart, so the provider no longer has the terms to which it should commit.
  beforeCommit.push(() => quoting.restart());
  const id = await customer.accepted();
  assert.equal((await customer.signed(id)).status, 200);
  await until(async () => answerTo(id) !== undefined);
  const last = answerTo(id);
  assert.deepEqual([last?.status, last?.answered], [409, '{"reason":"no such quote"}']);
  // The provider writes this file before it sends anything, and the swap must not be in it.
  assert.doesNotMatch(await readFile(join(folder, "trades.jsonl"), "utf8"), new RegExp(id));
});
