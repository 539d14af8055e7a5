// Proves that one command, `rialto swap`, works against a venue started by `rialto start`. It creates a wallet,
// swaps with the development venue's own provider, settles in one ledger transaction, and verifies the proof of each
// step.

import assert from "node:assert/strict";
import { createHash, generateKeyPairSync } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { verifyDocument } from "../../src/services/epochs/proof-verifier.ts";
import type { Json } from "../support/client/json.ts";
import { CliProcess } from "../support/venue/cli-process.ts";
import { DevVenue } from "../support/venue/dev-venue.ts";
import { until } from "../support/venue/ledger-venue.ts";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

/** A quantity that exceeds what the provider quotes. */
const tooMuch = "7000000";

let venue: DevVenue;

before(async () => {
  venue = await DevVenue.start();
});
after(() => venue.close());

/**
 * Runs `rialto swap`, and repeats it while no provider quotes. On a busy machine the provider can miss a health
 * check, and the venue leaves it out until it answers the next one. `begun` is what the first run printed.
 */
async function swap(args: readonly string[]) {
  const untilMs = performance.now() + 120_000;
  for (let begun: string | null = null; ; await sleep(500)) {
    const ended = await venue.run(["swap", ...args]);
    begun ??= ended.printed;
    const isUnquoted = ended.complained.includes("(no_quote)") && !args.includes(tooMuch);
    if (!isUnquoted || performance.now() > untilMs) return { ...ended, begun };
  }
}

async function swapped(args: readonly string[]): Promise<Json> {
  const { code, printed, complained } = await swap([...args, "--json"]);
  assert.equal(code, 0, complained);
  return JSON.parse(printed);
}

async function listed(): Promise<Json[]> {
  const { printed } = await venue.run(["providers", "list", "--json"]);
  return JSON.parse(printed);
}

test("OPS-99 the swap that a start suggests names the venue's own data folder", async () => {
  const line = `  DATA_DIR=${venue.dataDir} npm run -s cli -- swap CC-USDC BUY 100\n`;
  await venue.process.untilPrinted(/swap CC-USDC BUY 100$/m);
  assert.ok(venue.process.printed.includes(line), venue.process.printed);
});

test("RFQ-21 LPP-6 a new wallet swaps, and the command prints the transaction and its proof", async () => {
  const { code, printed, complained, begun } = await swap(["CC-USDC", "BUY", "100"]);
  assert.equal(code, 0, complained);
  assert.match(begun, /^Created the key \S+\/trader\.pem: party user::1220[0-9a-f]{64}$/m);
  assert.match(printed, /quote \d+: buy 100\.0 CC at 0\.1503, 15\.030000 USDC, from reference$/m);
  assert.match(printed, /^ {2}ok {5}It proposes the swap, locks your payment/m);
  assert.match(printed, /executing → settled$/m);
  assert.match(printed, /^Ledger transaction 1220[0-9a-f]{64} at offset \d+/m);
  assert.match(printed, /^ {2}quote {2}15\.0300000000 USDC {2}user::1220\w+ → reference::1220/m);
  assert.match(printed, /^ {2}base {3}100\.0000000000 CC {2}reference::1220\w+ → user::1220/m);
  assert.match(printed, /on the ledger in update 1220[0-9a-f]{64}; compared with the ledger$/m);
  assert.match(printed, /^7 of 7 steps of the swap verified against the journal$/m);
  assert.equal((await stat(join(venue.dataDir, "trader.pem"))).mode & 0o077, 0);
});

test("RFQ-21 the command's JSON output can be verified independently", async () => {
  const { swap, signed, ledger, proofs } = await swapped(["cc-usdc".toUpperCase(), "buy", "200"]);
  assert.equal(swap.status, "settled");
  assert.equal(ledger.update_id, swap.update_id);
  const { holdings, isSound } = await (await venue.control()).audit();
  assert.equal(isSound, true);
  const [leg] = ledger.legs.filter(({ leg_id }: Json) => leg_id === "base");
  const own = holdings.filter(({ owner }) => owner === leg.receiver);
  const held = Object.fromEntries(
    own.map(({ instrument, amount }) => [instrument.split("::")[0], Number(amount)]),
  );
  const coins = Object.values(held);
  assert.deepEqual(
    coins,
    [300],
    "both swaps must bring coins, and all coins from the faucet must be spent",
  );
  assert.equal(signed.checks.length, 8);
  assert(signed.checks.includes("Operator, issuers and contract match those this wallet knows."));
  const moves = swap.moves as Json[];
  assert.deepEqual(
    proofs.map(({ move_no, seq, holds, root_from_ledger }: Json) => [
      move_no,
      seq,
      holds,
      root_from_ledger,
    ]),
    moves.map(({ move_no, seq }) => [move_no, seq, true, true]),
  );
  // Public proofs of the same entries, which do not reveal their contents.
  for (const { seq } of moves) {
    const answer = await fetch(`${venue.address}/v1/chain/proof?seq=${seq}`);
    const [verdict] = await verifyDocument(await answer.json(), { sha256 });
    assert.equal(verdict?.isValid, true, JSON.stringify(verdict));
  }
});

test("RFQ-21 the command rejects quotes outside the given limits, and says why", async () => {
  const refused = async (args: string[], code: number, why: RegExp) => {
    const ended = await swap(args);
    assert.equal(ended.code, code, ended.printed + ended.complained);
    assert.match(ended.complained, why);
  };
  await refused(["CC-USDC", "BUY", "100", "--limit-price", "0.15"], 1, /is worse than 0\.15;/);
  await refused(["CC-USDC", "BUY", "100", "--quote", "2"], 1, /no quote 2: 1 arrived/);
  await refused(["CC-USDC", "BUY", tooMuch], 1, /is expired \(no_quote\): no provider quoted/);
  const least =
    /below the minimum of the market; a swap of CC-USDC must be worth at least 10\S* USDC$/m;
  await refused(["CC-USDC", "BUY", "10"], 1, least);
  await refused(
    ["CC-USDC", "BUY", "--quote-qty", "1"],
    1,
    /minimum order value; .* at least 10\S* USDC$/m,
  );
  const other = join(venue.dataDir, "other.pem");
  const poor = ["CC-USDC", "BUY", "100", "--no-faucet", "--key", other];
  await refused(poor, 1, /409 your party has only 0\.000000 USDC free on the ledger/);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const wrong = join(venue.dataDir, "wrong.pem");
  await writeFile(wrong, privateKey.export({ format: "pem", type: "pkcs8" }));
  // None of these gets as far as a quote.
  await Promise.all([
    refused(["BTC-PERP", "BUY", "1"], 1, /400 pair must be a spot market, such as CC-USDC/),
    refused(["CC-USDC", "HOLD", "1"], 2, /Allowed choices are BUY, SELL/),
    refused(["CC-USDC", "BUY", "much"], 2, /expected a decimal/),
    refused(["CC-USDC", "BUY"], 2, /give either qty or --quote-qty/),
    refused(["CC-USDC", "BUY", "1", "--venue", "http://127.0.0.1:9"], 1, /no venue answers at/),
    refused(["CC-USDC", "BUY", "100", "--key", wrong], 1, /holds no Ed25519 key/),
  ]);
});

test("RFQ-21 OPS-29 with --json a failed swap prints one document with the reason", async () => {
  const failed = async (args: string[]) => {
    const ended = await swap(["CC-USDC", "BUY", ...args, "--json"]);
    assert.equal(ended.code, 1, ended.printed + ended.complained);
    const told = JSON.parse(ended.printed) as Json;
    assert.equal(ended.complained, `${told.error}\n`);
    return told;
  };
  const ended = await failed([tooMuch]);
  assert.match(ended.error, /is expired \(no_quote\): no provider quoted/);
  assert.deepEqual([ended.swap.status, ended.swap.reason], ["expired", "no_quote"]);
  const dear = await failed(["100", "--limit-price", "0.15"]);
  assert.match(dear.error, /is worse than 0\.15;/);
  assert.equal(dear.swap.status, "quoted");
  const refused = await failed(["10"]);
  assert.match(refused.error, /a swap of CC-USDC must be worth at least 10\S* USDC$/);
  assert.deepEqual(Object.keys(refused), ["error"], "the document must not contain a swap");
});

test("RFQ-22 RFQ-34 a wallet is bound to its venue, and signs for no other", async () => {
  const elsewhere = venue.address.replace("127.0.0.1", "localhost");
  const args = ["CC-USDC", "BUY", "100", "--venue", elsewhere, "--no-proof"];
  const first = await swap(args);
  assert.equal(first.code, 0, first.complained);
  assert.match(first.printed, /^ {2}ok {5}New to this wallet, .* the venue's operator operator::/m);
  const second = await swap(args);
  assert.match(
    second.printed,
    /^ {2}ok {5}Operator, issuers and contract match those this wallet knows/m,
  );
  const path = join(venue.dataDir, "trader.pem.known.json");
  assert.equal((await stat(path)).mode & 0o077, 0);
  const kept = JSON.parse(await readFile(path, "utf8"));
  const { operator } = kept[elsewhere];
  kept[elsewhere].operator = operator.replace("operator", "other");
  await writeFile(path, JSON.stringify(kept));
  const third = await swap(args);
  assert.equal(third.code, 1);
  assert.match(
    third.printed,
    /FAILED It names the venue's operator operator::\w+, but this wallet knows other::/,
  );
  assert.match(third.complained, /nothing was signed, .* delete its entry in .*known\.json/);
  await writeFile(path, "[]");
  const broken = await swap(args);
  assert.match(broken.complained, /trader\.pem\.known\.json holds no JSON object/);
});

test("SES-14 SES-17 the command does not sign a challenge that was relayed from the venue", async () => {
  const requested: string[] = [];
  const relay = createServer(async (call, response) => {
    requested.push(call.url ?? "");
    const body = await text(call);
    const answer = await fetch(`${venue.address}${call.url}`, { method: "POST", body });
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const { port } = relay.address() as AddressInfo;
  const args = ["swap", "CC-USDC", "BUY", "100", "--venue", `http://127.0.0.1:${port}`];
  const { code, complained } = await venue.run(args);
  relay.close();
  assert.equal(code, 1);
  const why = new RegExp(`is not the text of a login at 127.0.0.1:${port}: nothing was signed`);
  assert.match(complained, why);
  assert.deepEqual(requested, ["/v1/wallet/challenge"]);
});

test("LPP-7 a provider finds the venue, locks its folder, and continues after a restart", async () => {
  const args = ["provider", "--approve", "--port", "0"];
  const first = new CliProcess(args, venue.settings, venue.dataDir);
  const [, url] = await first.untilPrinted(/answers at (http:\S+) as maker::/);
  await first.untilPrinted(/^Approved\./m);
  const same = await venue.run(args);
  assert.equal(same.code, 1);
  assert.match(same.complained, /a provider is already running in \S+\/provider\/maker/);
  const second = new CliProcess([...args, "--name", "maker-2"], venue.settings, venue.dataDir);
  await second.untilPrinted(/^Approved\./m);
  const port = new URL(url ?? "").port;
  const taken = await venue.run(["provider", "--name", "maker-3", "--port", port]);
  assert.equal(taken.code, 1);
  assert.match(taken.complained, new RegExp(`another program is listening on 127.0.0.1:${port}`));
  for (const each of [first, second]) {
    each.signal("SIGTERM");
    assert.equal(await each.ended, 0, each.complained);
  }
  const again = new CliProcess(args, venue.settings, venue.dataDir);
  const [, back] = await again.untilPrinted(/answers at (http:\S+) as maker::/);
  await again.untilPrinted(/^Status at the venue: approved\.$/m);
  assert.equal(back, url);
  again.signal("SIGTERM");
  await again.ended;
  const names = (await listed()).map(({ name }) => name);
  assert.deepEqual(names.toSorted(), ["maker", "maker-2", "reference"]);
});

test("LPP-6 the provider of a development venue ends with the venue, even after a kill", async () => {
  const [reference] = (await listed()).filter(({ name }) => name === "reference");
  const answers = () =>
    fetch(`${reference?.url}/health`).then(
      () => true,
      () => false,
    );
  assert.equal(await answers(), true);
  venue.process.signal("SIGKILL");
  await venue.process.ended;
  await until(async () => !(await answers()));
});
