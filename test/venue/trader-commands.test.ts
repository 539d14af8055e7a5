// Proves what a trader sees on the command line: profiles whose secrets stay in their files, orders on both surfaces,
// suggestions for mistyped commands, and JSON for every failure.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Json } from "../support/client/json.ts";
import { runCli } from "../support/venue/cli-process.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;
let trader: Trader;
let folder: string;
let settings: Record<string, string>;

before(async () => {
  fixture = await VenueFixture.open();
  trader = await fixture.trader();
  folder = await mkdtemp(join(tmpdir(), "rialto-trader-"));
  settings = { RIALTO_CONFIG_DIR: join(folder, "config"), HOME: folder };
});
after(async () => {
  await fixture?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command that must succeed; returns its JSON. */
async function done(...args: string[]): Promise<Json> {
  const { code, printed, complained } = await runCli([...args, "--json"], settings);
  assert.equal(code, 0, `${args.join(" ")}: ${complained}`);
  assert.ok(!printed.includes(trader.secret), "no command prints a secret");
  return JSON.parse(printed);
}

async function refused(args: readonly string[], code: number, message: RegExp): Promise<void> {
  const ran = await runCli([...args, "--json"], settings);
  assert.equal(ran.code, code, `${args.join(" ")}: ${ran.printed}${ran.complained}`);
  assert.match(JSON.parse(ran.printed).error, message);
  assert.match(ran.complained, message);
}

test("OPS-94 a profile keeps its secret in a file of its owner, whatever way it comes, and shows it nowhere", async () => {
  const add = ["profile", "add", "desk", "--key", trader.key, "--venue", fixture.address];
  const file = join(folder, "secret.txt");
  await writeFile(file, `${trader.secret}\n`, { mode: 0o600 });
  assert.deepEqual(await done(...add, "--secret-file", file), {
    ...{ profile: "desk", address: fixture.address, key: trader.key },
  });
  const { code } = await runCli([...add.with(2, "other")], {
    ...settings,
    RIALTO_SECRET: trader.secret,
  });
  assert.equal(code, 0);
  const config = join(folder, "config");
  assert.equal((await stat(config)).mode & 0o777, 0o700);
  assert.deepEqual((await readdir(config)).sort(), [
    "desk.secret",
    "other.secret",
    "profiles.json",
  ]);
  for (const name of await readdir(config))
    assert.equal((await stat(join(config, name))).mode & 0o777, 0o600, name);
  const profiles = await done("profile", "list");
  assert.deepEqual(
    profiles.map((one: Json) => [one.name, one.in_use]),
    [
      ["desk", true],
      ["other", false],
    ],
  );
  await done("profile", "use", "other");
  assert.equal((await done("profile", "list"))[1].in_use, true);
  await done("profile", "remove", "other");
  await refused(["balance"], 1, /no profile is in use/);
  await refused(["profile", "use", "nobody"], 1, /no profile nobody/);
  await refused([...add.with(2, "../evil"), "--secret-file", file], 2, /a profile's name has/);
  await done("profile", "use", "desk");
});

test("OPS-94 a secret that others can read is not used", async () => {
  const file = join(folder, "config/desk.secret");
  await chmod(file, 0o644);
  await refused(["balance"], 1, /can be read by others: run 'chmod 600/);
  await chmod(file, 0o600);
});

test("OPS-95 a trader places, lists and cancels orders on both surfaces, and sees book, balances and positions", async () => {
  const spot = await done("order", "buy", "cc-usdc", "100", "--price", "0.1", "--id", "first");
  assert.deepEqual([spot.id, spot.status, spot.quantity], ["first", "NEW", "100.0"]);
  const [level] = await done("book", "CC-USDC", "--limit", "5");
  assert.deepEqual(level, { buy_quantity: "100.0", bid: "0.1000", ask: null, sell_quantity: null });
  const fine = await done("order", "buy", "CC-PERP", "100", "--price", "0.1433", "--post-only");
  assert.equal(Number(fine.price), 0.1433);
  await done("cancel", "CC-PERP", "--all");
  const perp = await done("order", "sell", "BTC-PERP", "0.01", "--price", "70000", "--post-only");
  assert.deepEqual([perp.market, perp.status], ["BTC-PERP", "NEW"]);
  const [open] = await done("orders", "BTC-PERP");
  assert.equal(open.order, perp.order);
  const other = await fixture.trader();
  const order = { symbol: "BTCUSDT", side: "BUY", type: "MARKET", quantity: "0.01" };
  assert.equal((await fixture.signed(other, "POST", "/fapi/v1/order", order)).status, 200);
  const [position] = await done("positions");
  assert.deepEqual([position.market, Number(position.quantity)], ["BTC-PERP", -0.01]);
  assert.equal(position.liquidation, null, "no price could liquidate a small position");
  const balances = await done("balance");
  const of = (wallet: string, asset: string) =>
    balances.find((row: Json) => row.wallet === wallet && row.asset === asset);
  assert.equal(of("spot", "USDC").locked, "10.000000");
  // OPS-95: the collateral has one name on every command, that of the venue.
  const perps = balances.filter((row: Json) => row.wallet === "perp");
  assert.deepEqual(
    perps.map((row: Json) => row.asset),
    ["USDC"],
  );
  assert.equal((await done("cancel", "CC-USDC", "--id", "first")).status, "CANCELED");
  assert.deepEqual(await done("orders", "CC-USDC"), []);
  await done("order", "buy", "CC-USDC", "100", "--price", "0.1", "--post-only");
  await done("order", "buy", "BTC-PERP", "0.01", "--price", "50000", "--post-only");
  const everywhere = (await done("orders")).map((row: Json) => row.market);
  assert.deepEqual(everywhere, ["CC-USDC", "BTC-PERP"]);
  for (const market of ["CC-USDC", "BTC-PERP"])
    assert.deepEqual(await done("cancel", market, "--all"), { market, canceled: 1 });
  assert.deepEqual(await done("orders"), []);
});

test("OPS-111 an order that traded shows its average price and its fee, and none where it has none", async () => {
  const other = await fixture.trader();
  const sell = async (path: string, symbol: string, quantity: string, price: string) => {
    const order = { symbol, side: "SELL", type: "LIMIT", timeInForce: "GTC", quantity, price };
    assert.equal((await fixture.signed(other, "POST", path, order)).status, 200);
  };
  await sell("/api/v3/order", "CC-USDC", "100", "0.15");
  await sell("/api/v3/order", "CC-USDC", "100", "0.1502");
  const spot = await done("order", "buy", "CC-USDC", "200");
  assert.deepEqual(
    [spot.status, spot.price, spot.filled, spot.average_price],
    ["FILLED", null, "200.0", "0.15010000"],
  );
  // The taker of spot pays 10 basis points of what it gets.
  assert.deepEqual([Number(spot.fee), spot.fee_asset], [0.2, "CC"]);
  await sell("/fapi/v1/order", "BTCUSDT", "0.01", "60000");
  await sell("/fapi/v1/order", "BTCUSDT", "0.01", "60002");
  const perpetual = await done("order", "buy", "btcusdt", "0.02");
  assert.deepEqual(
    [perpetual.market, perpetual.status, perpetual.price, Number(perpetual.average_price)],
    ["BTC-PERP", "FILLED", null, 60001],
  );
  // 5 basis points of 1200.02, from two fills.
  assert.deepEqual([Number(perpetual.fee), perpetual.fee_asset], [0.60001, "USDC"]);
  const resting = await done("order", "buy", "CC-USDC", "100", "--price", "0.1");
  assert.deepEqual([resting.average_price, resting.fee, resting.fee_asset], [null, null, null]);
  await done("cancel", "CC-USDC", "--all");
});

test("OPS-111 balances have the same columns in every wallet", async () => {
  const rows = await done("balance");
  for (const row of rows)
    assert.deepEqual(Object.keys(row), ["wallet", "asset", "free", "locked", "total"]);
  const cc = rows.find((row: Json) => row.wallet === "spot" && row.asset === "CC");
  assert.equal(Number(cc.total), Number(cc.free) + Number(cc.locked));
});

test("OPS-110 a refusal names the market that was meant, or the limit that was missed", async () => {
  const every = /no market \S+; markets: CC-USDC, .*BTC-PERP/;
  for (const [args, meant] of [
    [["order", "buy", "CCUSDC", "100", "--price", "0.1"], "CC-USDC"],
    [["order", "buy", "CC-USD", "100"], "CC-USDC"],
    [["orders", "BTC-PRP"], "BTC-PERP"],
    [["cancel", "CC-USCD", "--all"], "CC-USDC"],
    [["book", "CBTC-USD"], "CBTC-USDC"],
  ] as const) {
    await refused(args, 1, every);
    await refused(args, 1, new RegExp(`Did you mean ${meant}\\?$`, "m"));
  }
  await refused(["orders", "NOPE"], 1, /no market NOPE; markets: [A-Z-]+(, [A-Z-]+)*$/m);
  const limited = (words: string, told: RegExp) => refused(["order", ...words.split(" ")], 1, told);
  await limited(
    "buy CC-USDC 100.05 --price 0.1",
    /LOT_SIZE \(400, -1013\); CC-USDC takes quantities in steps of 0\.1, from 0\.1 to \d+\.0$/m,
  );
  await limited(
    "buy CC-USDC 100 --price 0.10005",
    /PRICE_FILTER .*; CC-USDC takes prices in steps of 0\.0001, at most [\d.]+$/m,
  );
  await limited(
    "buy CC-USDC 1 --price 0.1",
    /NOTIONAL .*; CC-USDC takes orders of at least 10\.000000 USDC$/m,
  );
  await limited(
    "buy BTC-PERP 0.0015 --price 60000",
    /-1111\); BTC-PERP takes prices in steps of 0\.01, .* and quantities in steps of 0\.001, from/,
  );
  await limited(
    "buy BTC-PERP 0.001 --price 1",
    /from 0\.2000 to 5\.0000 times its current price$/m,
  );
  await limited("buy CC-PERP 1 --price 0.1", /notional must be no smaller than 5 /);
});

test("OPS-95 an order that cannot be meant is not sent, and a refusal is shown in the venue's words", async () => {
  await refused(["order", "buy", "CC-USDC", "1e3"], 2, /expected a decimal number/);
  await refused(["order", "hold", "CC-USDC", "1"], 2, /Allowed choices are buy, sell/);
  await refused(["order", "buy", "CC-USDC", "100", "--post-only"], 2, /need a --price/);
  await refused(["order", "buy", "CC-USDC", "100", "--reduce-only"], 2, /is for perpetuals/);
  await refused(["cancel", "CC-USDC"], 2, /give an order's number, --id or --all/);
  await refused(["cancel", "CC-USDC", "999999"], 1, /Order does not exist\. \(422, -2011\)/);
  await refused(["book", "CC-USDC", "--venue", "http://127.0.0.1:9"], 1, /no answer from/);
});

test("OPS-95 an order that a proxy answers with an error of its own may have been placed, and the command says so", async (t) => {
  const proxy = createServer((_, answer) => answer.writeHead(502).end("<h1>Bad Gateway</h1>"));
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  t.after(() => proxy.close());
  const file = join(folder, "secret.txt");
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const own = ["--key", trader.key, "--venue", address, "--secret-file", file];
  await done("profile", "add", "proxied", ...own);
  t.after(() => done("profile", "use", "desk"));
  const order = ["order", "buy", "CC-USDC", "100", "--price", "0.1", "--id", "lost"];
  await refused(
    [...order, "--profile", "proxied"],
    1,
    /it is unknown whether order lost was placed: look with 'rialto orders'/,
  );
});

test("OPS-95 a venue that follows another has placed no order, and the command says so", async (t) => {
  const body = JSON.stringify({
    error: { code: "unavailable", message: "this venue follows another" },
  });
  const follower = createServer((_, answer) => answer.writeHead(503).end(body));
  await once(follower.listen(0, "127.0.0.1"), "listening");
  t.after(() => follower.close());
  const file = join(folder, "secret.txt");
  const address = `http://127.0.0.1:${(follower.address() as AddressInfo).port}`;
  const own = ["--key", trader.key, "--venue", address, "--secret-file", file];
  await done("profile", "add", "follower", ...own);
  t.after(() => done("profile", "use", "desk"));
  const order = ["order", "buy", "CC-USDC", "100", "--price", "0.1", "--profile", "follower"];
  await refused(order, 1, /this venue follows another \(503, -1008\)/);
});

test("OPS-94 a key and an address that cannot be right are refused", async () => {
  const file = join(folder, "secret.txt");
  const add = (key: string, venue: string) => [
    "profile",
    "add",
    "wrong",
    "--key",
    key,
    "--venue",
    venue,
    "--secret-file",
    file,
  ];
  await refused(add("a\u0007b", fixture.address), 2, /--key: expected an API key/);
  await refused(
    add(trader.key, "http://127.0.0.1:1/path"),
    2,
    /--venue: expected a URL without a path/,
  );
});

test("OPS-96 a mistyped command or option is answered with the one that was meant, as JSON too", async () => {
  await refused(
    ["acounts", "list"],
    2,
    /rialto has no command 'acounts'.* Did you mean 'rialto accounts'\?$/m,
  );
  await refused(["keys", "creat", "1"], 2, /Did you mean 'rialto keys create'\?/);
  await refused(["zzzzzz"], 2, /lists them\.$/m);
  await refused(
    ["start", "--acept-clock"],
    2,
    /unknown option '--acept-clock'\n\(Did you mean --accept-clock\?\)/,
  );
  await refused(["keys", "create"], 2, /missing required argument 'account'/);
  const { code, printed } = await runCli(["start", "--json"], { ...settings, PORT: "eighty" });
  assert.equal(code, 2);
  assert.match(JSON.parse(printed).error, /PORT="eighty"/);
});

test("OPS-98 OPS-109 a list is a table on a terminal, cut where it is narrow, and lines of fields elsewhere", {
  skip: existsSync("/usr/bin/script") ? false : "the system has no program that gives a terminal",
}, async () => {
  const cli = fileURLToPath(new URL("../../bundle/src/venue/rialto.js", import.meta.url));
  const env = { PATH: process.env["PATH"] ?? "", ...settings, NO_COLOR: "1" };
  const shown = async (columns: number) => {
    const line = `stty cols ${columns}; '${process.execPath}' '${cli}' profile list`;
    const run = promisify(execFile)("script", ["-qec", line, "/dev/null"], { env });
    return (await run).stdout.replaceAll("\r", "");
  };
  const wide = await shown(200);
  assert.match(wide, /^name +address +key +in_use\n/);
  assert.match(wide, /^desk +http:\S+ +\w{64} +true$/m);
  assert.match(await shown(60), /^desk +http:\S+ +\w{8,63}… +true$/m);
  assert.match(await shown(24), /^name +desk\naddress +http/);
  assert.match((await runCli(["profile", "list"], settings)).printed, /^name +desk\naddress +http/);
});
