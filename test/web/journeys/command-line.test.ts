// A trader who works on the command line with a key that was made in the terminal, and sees there what was done.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "../../epochs/epoch-waits.ts";
import type { Json } from "../../support/client/json.ts";
import { runCli } from "../../support/venue/cli-process.ts";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-command-line-"));
  const deposits = [{ asset: "USDC", wallet: "spot", amount: "1000" }] as const;
  trader = await OrderJourney.open({ view: "keys", deposits });
});
after(async () => {
  await trader?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command that must succeed, with `more` in its environment; returns its JSON. */
async function done(args: readonly string[], more: Record<string, string> = {}): Promise<Json> {
  const settings = { RIALTO_CONFIG_DIR: join(folder, "config"), HOME: folder, ...more };
  const { code, printed, complained } = await runCli([...args, "--json"], settings);
  assert.equal(code, 0, `${args.join(" ")}: ${complained}`);
  return JSON.parse(printed);
}

test("OPS-94 OPS-95 a key made in the terminal trades on the command line, and the terminal shows the order and its end", async () => {
  const { page } = trader;
  await page.getByLabel("Label", { exact: true }).fill("shell");
  await page.getByLabel("Trade spot").check();
  await page.getByRole("button", { name: "Create API key" }).click();
  const made = page.getByRole("region", { name: "New API key" });
  await made.waitFor();
  const [key = "", secret = ""] = await made.getByRole("definition").allTextContents();
  const add = ["profile", "add", "shell", "--key", key, "--venue", trader.fixture.address];
  await done(add, { RIALTO_SECRET: secret });
  await page.goto(`${trader.fixture.address}/#/trade/CC-USDC`);
  const order = await done(["order", "buy", "CC-USDC", "100", "--price", "0.1"]);
  assert.equal(order.status, "NEW");
  const row = trader.row("BUY", "0.1000");
  await row.waitFor();
  await until("the bid in the book", async () => {
    const [level] = await done(["book", "CC-USDC"]);
    return level?.bid === "0.1000" ? true : null;
  });
  await done(["cancel", "CC-USDC", "--all"]);
  await row.waitFor({ state: "detached" });
});
