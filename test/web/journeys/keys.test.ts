// Journey: API keys with restrictions, the key file on a second device, and log-ins ended from another one.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../support/client/browser.ts";
import { signedFetch } from "../../support/client/signed-fetch.ts";
import { VenueFixture } from "../../support/venue/venue-fixture.ts";
import { AccountJourney, narrow, openPage, sendAsUser } from "./account-journey.ts";

const passphrase = "correct horse battery";

let venue: VenueFixture;
let browser: Browser;
let user: AccountJourney;
let folder = "";
let keyFile = "";

before(async () => {
  venue = await VenueFixture.open({ DEV_TOOLS: "1" });
  folder = await mkdtemp(join(tmpdir(), "rialto-key-"));
  browser = await openBrowser();
  user = new AccountJourney(await openPage(browser), venue.address);
});
after(async () => {
  await browser?.close();
  await venue.close();
  await rm(folder, { recursive: true, force: true });
});

function storedKey(page: Page): Promise<unknown> {
  return page.evaluate(`(async () => {
    const done = (asked) => new Promise((resolve) => asked.addEventListener("success", resolve));
    const opening = indexedDB.open("rialto", 1);
    await done(opening);
    const stored = opening.result.transaction("keys").objectStore("keys").get("wallet");
    await done(stored);
    if (stored.result === undefined) return null;
    const { privateKey, publicKey } = stored.result.pair;
    const raw = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
    return { isExtractable: privateKey.extractable, raw: [...raw].join() };
  })()`);
}

async function restore(page: Page, path: string, typed: string): Promise<void> {
  const details = page.getByText("Log in with a key file");
  if (!(await page.getByLabel("Key file", { exact: true }).isVisible())) await details.click();
  await page.getByLabel("Key file", { exact: true }).setInputFiles(path);
  await page.getByLabel("Passphrase of the file").fill(typed);
  await page.getByRole("button", { name: "Log in with this file" }).click();
}

test("WEB-52 a key file is saved when the key is created, encrypted, and the key stays unextractable", async () => {
  const { page } = user;
  await user.open("keys");
  await page.getByLabel(/^Passphrase for a key file/).fill(passphrase);
  await page.getByLabel("Repeat the passphrase").fill("something else");
  await page.getByRole("button", { name: "Create a key and log in" }).click();
  await user.shows("The two passphrases differ.");
  assert.equal(await storedKey(page), null);
  await page.getByLabel("Repeat the passphrase").fill(passphrase);
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Create a key and log in" }).click();
  const download = await saving;
  // WEB-128: files of several keys are told apart.
  assert.match(download.suggestedFilename(), /^rialto-key-\w{8}\.json$/);
  keyFile = join(folder, "key.json");
  await download.saveAs(keyFile);
  await user.shows("You have its key file.");
  const key = (await storedKey(page)) as { isExtractable: boolean };
  assert.equal(key.isExtractable, false);
});

test("WEB-53 WEB-142 a key is created with permissions, addresses and an expiry, and shows its last use", async () => {
  const { page } = user;
  await page.getByLabel("Label", { exact: true }).fill("reader");
  // WEB-127: an untouched form gives no right to trade or transfer, and the key ends.
  await user.shows(
    "The key may: read account, orders and trades. From any address. Expires in 90 days.",
  );
  const addresses = page.getByLabel("Allowed addresses (empty: any)");
  const expires = page.getByRole("combobox", { name: "Expires" });
  const create = page.getByRole("button", { name: "Create API key" });
  // WEB-142: a wrong address is refused before a key is made.
  let sent = 0;
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/v1/api-keys")) sent++;
  });
  for (const wrong of ["192.0.2.300", "10.0.0.0/33", "host.example", "fe80::1::2"]) {
    await addresses.fill(`127.0.0.1, ${wrong}`);
    await create.click();
    await user.shows(`${wrong} is no address or network, such as 192.0.2.7 or 10.0.0.0/8`);
  }
  assert.equal(sent, 0);
  await addresses.fill("127.0.0.1, 192.0.2.0/24");
  await expires.selectOption("month");
  await create.click();
  const made = page.getByRole("region", { name: "New API key" });
  await made.waitFor();
  assert.equal(sent, 1);
  await page.getByRole("region", { name: "API keys" }).getByText("reader").waitFor();
  assert.deepEqual([await addresses.inputValue(), await expires.inputValue()], ["", "quarter"]);
  // WEB-165: the box names its key.
  await made.getByRole("heading", { name: "reader" }).waitFor();
  const [key = "", secret = ""] = await made.getByRole("definition").allTextContents();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  assert.equal(await user.copied(made.getByRole("button", { name: "Copy secret" })), secret);
  const row = page.getByRole("region", { name: "API keys" }).getByRole("row", { name: /reader/ });
  await user.shows("127.0.0.1, 192.0.2.0/24", row);
  assert.match((await row.textContent()) ?? "", /read127\.0\.0\.1.*never/);
  const trader = { account: 0, key, secret };
  const read = { method: "GET", path: "/api/v3/account", parameters: {} } as const;
  assert.equal((await signedFetch(venue.address, trader, read)).status, 200);
  const order = { symbol: "CC-USDC", side: "BUY", type: "MARKET", quantity: "10" };
  const trade = { method: "POST", path: "/api/v3/order", parameters: order } as const;
  const { json } = await signedFetch(venue.address, trader, trade);
  assert.equal((json as { code?: number }).code, -2015);
  await page.reload();
  // WEB-126: the last use is known to the minute.
  await row.filter({ hasText: /\d, \d\d:\d\d\d+\// }).waitFor();
});

test("WEB-165 a change can be left, and a secret is gone once another key is tried", async () => {
  const { page } = user;
  const create = page.getByRole("button", { name: "Create API key" });
  const made = page.getByRole("region", { name: "New API key" });
  await page.getByRole("textbox", { name: "Label" }).fill("second");
  await create.click();
  await made.getByRole("heading", { name: "second" }).waitFor();
  await page.getByRole("button", { name: "Edit second" }).click();
  const restrictions = page.getByRole("region", { name: "Restrictions" });
  await restrictions.getByRole("button", { name: "Cancel" }).click();
  await restrictions.waitFor({ state: "detached" });
  await page.getByRole("textbox", { name: "Label" }).fill("mm-not allowed");
  await create.click();
  await made.waitFor({ state: "detached" });
  await page.getByRole("textbox", { name: "Label" }).fill("");
  await page.getByRole("button", { name: "Revoke second" }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await user.shows("second revoked.");
});

test("WEB-142 the list follows what another device makes and revokes", async () => {
  const { page } = user;
  const row = page
    .getByRole("region", { name: "API keys" })
    .getByRole("row", { name: /elsewhere/ });
  const { text } = await sendAsUser(page, "POST", "/v1/api-keys", { label: "elsewhere" });
  await row.waitFor();
  await sendAsUser(page, "DELETE", `/v1/api-keys/${JSON.parse(text).id}`);
  await row.waitFor({ state: "detached" });
});

test("WEB-126 a key older than the venue's last start says since when no use of it is known", async () => {
  const { page } = user;
  const list = /\/v1\/api-keys$/;
  await page.route(list, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    const keys = json.keys.map((key: object) => ({ ...key, last_used_at: null }));
    await route.fulfill({ response, json: { keys, uses_known_since: "2999-01-01T12:00:00.000Z" } });
  });
  await page.reload();
  const row = page.getByRole("region", { name: "API keys" }).getByRole("row", { name: /reader/ });
  await user.shows(/none since \d+\/\d+\/99, \d\d:00/, row);
  await page.unrouteAll({ behavior: "wait" });
  await page.reload();
  await row.waitFor();
});

test("WEB-53 more rights are signed with the browser's key, and what is refused changes nothing", async () => {
  const { page } = user;
  const row = page.getByRole("region", { name: "API keys" }).getByRole("row", { name: /reader/ });
  const edit = async () => {
    await page.getByRole("button", { name: "Edit reader" }).click();
    return page.getByRole("region", { name: "Restrictions" });
  };
  const form = await edit();
  await form.getByLabel("Trade perpetuals").check();
  await form.getByLabel("Allowed addresses (empty: any)").fill("10.0.0.5/8");
  await form.getByRole("button", { name: "Save" }).click();
  await user.shows(/10\.0\.0\.0\/8/, form);
  await form.getByLabel("Allowed addresses (empty: any)").fill("");
  const challenges = "**/restrictions/challenge";
  await page.route(challenges, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    const message = json.message.replace("READ, TRADE_PERPETUAL", "READ, TRADE, WITHDRAW");
    await route.fulfill({ response, json: { ...json, message } });
  });
  await form.getByRole("button", { name: "Save" }).click();
  await user.shows("The message to sign is not the change you chose. Nothing was signed.", form);
  await page.unrouteAll({ behavior: "wait" });
  await form.getByRole("button", { name: "Save" }).click();
  await user.shows("read, perpetuals", row);
  await user.shows("any address", row);
});

test("WEB-53 revoking asks first, and keeping the key keeps it", async () => {
  const { page } = user;
  await page.getByRole("button", { name: "Revoke reader" }).click();
  const dialog = page.getByRole("dialog", { name: "Revoke reader?" });
  // WEB-128: the question names the key.
  await dialog.getByText(/^Key \w{8}…, last use: \d/).waitFor();
  // WEB-68: the focus is where nothing is lost.
  await dialog.getByRole("button", { name: "Keep" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Revoke reader" }).click();
  await user.assertSound();
  await dialog.getByRole("button", { name: "Revoke key" }).click();
  await user.shows("reader revoked.");
  await user.shows("No API keys yet.");
});

test("WEB-52 WEB-54 WEB-141 the key file opens the account on a second device, which can end the first log-in", async () => {
  const second = new AccountJourney(await openPage(browser, narrow), venue.address);
  const { page } = second;
  await second.open("keys");
  await restore(page, keyFile, "wrong passphrase");
  await second.shows("Wrong passphrase. Nothing was changed.");
  const damaged = join(folder, "damaged.json");
  await writeFile(
    damaged,
    (await readFile(keyFile, "utf8")).replace(/"ciphertext": "../, '"ciphertext": "'),
  );
  await restore(page, damaged, passphrase);
  await second.shows("This key file is damaged. Nothing was changed.");
  assert.equal(await storedKey(page), null);
  await restore(page, keyFile, passphrase);
  const logins = page.getByRole("region", { name: "Log-ins" });
  await logins.getByText(/^This browser: Chrome on Linux$/).waitFor();
  await second.assertSound();
  assert.deepEqual(await storedKey(page), await storedKey(user.page));
  await logins.getByText("Chrome on Linux", { exact: true }).waitFor();
  await logins
    .getByText(/^from 127\.0\.0\.1, last used \d+\/\d+\/\d+, \d\d:\d\d$/)
    .first()
    .waitFor();
  await logins
    .getByRole("button", { name: /^End: log-in/ })
    .last()
    .click();
  await second.shows("Log-in ended.", logins);
  await user.shows("Log in to create and revoke API keys.");
});

test("WEB-52 a key file replaces the key of a browser only after its user has agreed", async () => {
  const other = new AccountJourney(await openPage(browser), venue.address);
  const { page } = other;
  await other.logIn();
  const before = await storedKey(page);
  await page.getByRole("button", { name: "Log out" }).first().click();
  await restore(page, keyFile, passphrase);
  await other.shows("Confirm first that the key of this browser may be replaced.");
  assert.deepEqual(await storedKey(page), before);
  await page.getByLabel(/^Replace the key of this browser/).check();
  await page.getByRole("button", { name: "Log in with this file" }).click();
  await page.getByRole("button", { name: "Log out" }).first().waitFor();
  assert.notDeepEqual(await storedKey(page), before);
});
