// Proves that an operator sees an incident on one page: PostgreSQL stops under load and continues. The venue has its
// own database server for this test.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { assertAccessible } from "../support/client/accessibility.ts";
import { openBrowser } from "../support/client/browser.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";
import { freePort } from "../support/free-port.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { CliProcess } from "../support/venue/cli-process.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

let dataDir: string;
let settings: Record<string, string>;
let venue: CliProcess;
let address: string;
let trader: { account: number; key: string; secret: string };
let browser: Browser;
let page: Page;
const complaints: string[] = [];

before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "rialto-incident-"));
  settings = {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    LEDGER_PROFILE: "none",
    EPOCH_SECONDS: "1",
    DEV_PROVIDER: "0",
    SNAPSHOT_INTERVAL_MS: "2000",
  };
  venue = new CliProcess(["start"], settings);
  [, address = ""] = await venue.untilPrinted(/^Rialto is open at (http:\S+)$/m);
  const [, key = ""] = await venue.untilPrinted(/^ {2}key {5}(\S+)$/m);
  const [, secret = ""] = await venue.untilPrinted(/^ {2}secret {2}(\S+)$/m);
  trader = { account: 0, key, secret };
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${address}/ops`);
});
after(async () => {
  await browser?.close();
  venue?.signal("SIGTERM");
  await venue?.ended;
  rmSync(dataDir, { recursive: true, force: true });
});

/** Signals every process of the embedded server: the main process, which the pid file names, and its children. */
function signalDatabase(signal: NodeJS.Signals): void {
  const [main = ""] = readFileSync(join(dataDir, "postgres/cluster/postmaster.pid"), "utf8").split(
    "\n",
  );
  // First, because it starts children.
  process.kill(Number(main), signal);
  const children = readFileSync(`/proc/${main}/task/${main}/children`, "utf8").trim();
  for (const pid of children.split(" ").filter((text) => text !== "")) {
    try {
      process.kill(Number(pid), signal);
    } catch {
      // One that had no more work has ended.
    }
  }
}

function card(title: string): Locator {
  return page.getByRole("region", { name: title, exact: true });
}

/**
 * Places orders far from the market until the returned function is called. That function waits until at least one order
 * has been acknowledged, and returns how many were.
 */
function load(): () => Promise<number> {
  let isOver = false;
  const running = (async () => {
    let acknowledged = 0;
    while (!isOver || acknowledged === 0) {
      const parameters = {
        symbol: "CC-USDC",
        side: "BUY",
        type: "LIMIT",
        timeInForce: "IOC",
        quantity: "100",
        price: "0.1000",
      };
      const request = { method: "POST", path: "/api/v3/order", parameters } as const;
      const { status } = await signedFetch(address, trader, request).catch(() => ({ status: 0 }));
      if (status === 200) acknowledged++;
    }
    return acknowledged;
  })();
  return () => {
    isOver = true;
    return running;
  };
}

test("OPS-40 without an incident the page reports that all is well, in every theme and width", async () => {
  await card("Money").getByText("Safe.").waitFor();
  await page.getByRole("region", { name: "All threads" }).getByText("clearing").first().waitFor();
  await card("Money").getByText("no snapshot yet").waitFor({ state: "detached" });
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const needed = await page.evaluate("document.documentElement.scrollWidth");
    assert.equal(needed, width);
    await assertAccessible(page, { what: `no incident, ${width}` });
  }
  assert.deepEqual(complaints, []);
});

test("OPS-40 OPS-123 when PostgreSQL stops under load, the page shows what waits, what is safe and what is acknowledged", async () => {
  const loads = [load(), load(), load()];
  let counts: number[] = [];
  try {
    signalDatabase("SIGSTOP");
    await card("Threads").getByText("The journal waits: see Acknowledgements.").waitFor();
    const safe = card("Money").getByText(/Safe\. Events not yet durable: [\d,]+\. None of them/);
    await safe.waitFor();
    await card("Acknowledgements").getByText("new orders wait too, and are refused when").waitFor();
    const toDo = "To do: check that PostgreSQL runs, its log and its disk.";
    await card("Acknowledgements").getByText(toDo).waitFor();
    await card("Market status").getByText("No order is acknowledged now").waitFor();
    // After twenty seconds the page still reports the incident, and for how long it has lasted.
    await card("Acknowledgements")
      .getByText(/journal has waited [2-9]\d(\.\d)? s for PostgreSQL/)
      .waitFor();
    await safe.waitFor();
    // This picture is for people to look at.
    await page.screenshot({ path: join(projectRoot, "coverage/screenshots/ops-incident.png") });
  } finally {
    signalDatabase("SIGCONT");
    counts = await Promise.all(loads.map((end) => end()));
  }
  await card("Acknowledgements").getByText("acknowledged once they are durable").waitFor();
  await card("Threads").getByText("The journal waits").waitFor({ state: "detached" });
  await card("Money").getByText("All events are durable.").waitFor();
  assert(counts.every((count) => count > 0));
});

test("OPS-136 after a restart no figure mixes two processes, and the uptime is that of the new one", async () => {
  const program = card("Program");
  const started = async () =>
    ((await (await fetch(`${address}/v1/version`)).json()) as { started_at: string }).started_at;
  await program.getByText(/^\d+\.\d % of \d+$/).waitFor();
  // Every text of the figures from now on.
  await page.evaluate(`
    window.figures = new Set();
    new MutationObserver(() => {
      for (const cell of document.querySelectorAll(".finding dd, #tables td.number")) window.figures.add(cell.textContent);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  `);
  const before = await started();
  venue.signal("SIGTERM");
  await venue.ended;
  const isAway = page.getByText("does not answer at its address");
  await isAway.waitFor();
  venue = new CliProcess(["start"], { ...settings, PORT: new URL(address).port });
  await venue.untilPrinted(/^Rialto is open at (http:\S+)$/m);
  assert.notEqual(await started(), before);
  await isAway.waitFor({ state: "detached" });
  // A share of the processors, and thus of the new process.
  await program.getByText(/^\d+\.\d % of \d+$/).waitFor();
  const shownUptime = program.getByRole("definition").nth(1).filter({ hasText: /\d/ });
  const uptime = (await shownUptime.textContent()) ?? "";
  const seconds = (Date.now() - Date.parse(await started())) / 1000;
  const shown = Number.parseFloat(uptime) * (uptime.endsWith("min") ? 60 : 1);
  assert(shown <= seconds + 1, `${uptime} is shown, ${seconds} s have passed`);
  const figures = (await page.evaluate("[...window.figures]")) as string[];
  assert.deepEqual(
    figures.filter((text) => /^[-−]/.test(text)),
    [],
  );
});

test("OPS-40 the page refuses requests through an untrusted proxy, because it is for operators", async (context) => {
  const fixture = await VenueFixture.open({ TRUSTED_PROXIES: "127.0.0.1" });
  context.after(() => fixture.close());
  const from = (address: string) =>
    fetch(`${fixture.address}/ops`, { headers: { "X-Forwarded-For": address } });
  assert.deepEqual((await from("203.0.113.7")).status, 403);
  assert.deepEqual((await fetch(`${fixture.address}/ops`)).status, 200);
});
