// Proves what a visitor and a program get at an address that has nothing, and how a program learns which venue it
// talks to.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "../../support/client/browser.ts";
import type { Json } from "../../support/client/json.ts";
import { sendRaw } from "../../support/client/raw-request.ts";
import { projectRoot } from "../../support/tidy/tree.ts";
import { VenueFixture } from "../../support/venue/venue-fixture.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";
const html = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

let venue: VenueFixture;
let browser: Browser;

before(async () => {
  venue = await VenueFixture.open({ BUILD_COMMIT: commit });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await venue?.close();
});

test("HTP-11 a visitor of an unknown address gets a page that leads on, in both themes and sizes", async () => {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    const page = await browser.newPage({ viewport: { width, height } });
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    const answer = await page.goto(`${venue.address}/markets/unknown?x=1`);
    assert.equal(answer?.status(), 404);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
    await page.getByRole("main").getByRole("link", { name: "the documentation" }).click();
    await page.getByRole("heading", { level: 1, name: "Documentation" }).waitFor();
    assert.deepEqual(complaints, []);
    await page.close();
  }
});

test("HTP-11 the page of an unknown address has the headers of every page, and costs weight", async () => {
  const answer = await fetch(`${venue.address}/nothing`, { headers: html });
  const page = await fetch(`${venue.address}/docs`, { headers: html });
  for (const name of ["content-type", "content-security-policy", "x-content-type-options"])
    assert.equal(answer.headers.get(name), page.headers.get(name), name);
  assert.match(answer.headers.get("vary") ?? "", /accept/i);
  assert.ok(Number(answer.headers.get("x-mbx-used-weight")) > 0);
  assert.equal((await fetch(`${venue.address}/404`, { headers: html })).status, 404);
  const head = await fetch(`${venue.address}/nothing`, { method: "HEAD", headers: html });
  assert.deepEqual([head.status, await head.text()], [404, ""]);
});

test("HTP-11 programs get JSON at unknown addresses, and so does everybody below the API", async () => {
  const typeOf = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(`${venue.address}${path}`, { headers });
    assert.equal(answer.status, 404, path);
    const varies = answer.headers.get("vary")?.toLowerCase().split(", ") ?? [];
    assert.equal(varies.includes("accept"), path === "/nothing", path);
    return answer.headers.get("content-type")?.split(";")[0];
  };
  assert.equal(await typeOf("/nothing", { Accept: "*/*" }), "application/json");
  for (const path of ["/api/v3/nothing", "/compat/nothing", "/fapi/v9/x", "/sapi/v1/x", "/ws/x/y"])
    assert.equal(await typeOf(path, html), "application/json", path);
  assert.notEqual(await typeOf("/v1/nothing", html), "text/html");
});

test("HTP-5 OPTIONS of a page names the methods that read it", async () => {
  const answer = await fetch(`${venue.address}/docs`, { method: "OPTIONS" });
  assert.deepEqual([answer.status, answer.headers.get("allow")], [204, "GET, HEAD, OPTIONS"]);
});

test("HTP-12 OPS-93 REW-2 the version, its commit, its start and the role are public, and a metric carries them", async () => {
  const answer = await fetch(`${venue.address}/v1/version`);
  const { version, commit: shown, started_at, role, ...others } = (await answer.json()) as Json;
  assert.deepEqual(others, {}, "only a venue for tests says that it can be rewound");
  const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  assert.deepEqual(
    { version, shown, role },
    { version: manifest.version, shown: commit, role: "single" },
  );
  const age = Date.now() - Date.parse(started_at);
  assert.ok(age > 0 && age < 3_600_000, started_at);
  const metrics = await (await fetch(`${venue.address}/metrics`)).text();
  const labels = `version="${version}",commit="${commit}",role="single",front="front-0"`;
  assert.ok(
    metrics.includes(`rialto_build_info{${labels}} 1\n`),
    /rialto_build_info.*/.exec(metrics)?.[0],
  );
});

test("HTP-3 no answer names the server software, not even that of an upgrade to WebSocket", async () => {
  const { host, port } = new URL(venue.address);
  const upgrade = [
    "GET /ws/cc-usdc@trade HTTP/1.1",
    `Host: ${host}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ].join("\r\n");
  for (const head of [
    upgrade,
    `GET /docs HTTP/1.1\r\nHost: ${host}`,
    `GET /x HTTP/1.1\r\nHost: ${host}`,
  ]) {
    const { text } = await sendRaw(Number(port), `${head}\r\n\r\n`, (read) =>
      read.includes("\r\n\r\n"),
    );
    assert.match(text, /^HTTP\/1\.1 (101|200|404) /);
    assert.doesNotMatch(text.split("\r\n\r\n")[0] ?? "", /uwebsockets|^server:/im);
  }
});
