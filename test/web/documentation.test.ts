// Proves that the documentation a venue serves is complete, linked and searchable, and that any reader on any device
// can use it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { assertAccessible } from "../support/client/accessibility.ts";
import { openBrowser } from "../support/client/browser.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;
let browser: Browser;

before(async () => {
  fixture = await VenueFixture.open({ DEV_TOOLS: "1" });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await fixture?.close();
});

/** Returns the addresses within the venue that a text links to. */
function linksOf(text: string, type: string): string[] {
  const pattern = type.startsWith("text/html") ? /(?:href|src)="([^"]+)"/g : /\]\(([^)\s]+)\)/g;
  const targets = [...text.matchAll(pattern)].map(([, target = ""]) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

interface Read {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const read = new Map<string, Promise<Read>>();

function get(path: string): Promise<Read> {
  const known = read.get(path);
  if (known !== undefined) return known;
  const pending = fetch(fixture.address + path).then(async (answer) => ({
    status: answer.status,
    type: answer.headers.get("content-type") ?? "",
    text: await answer.text(),
  }));
  read.set(path, pending);
  return pending;
}

/** Returns every page that can be reached from the starts, and the links that lead nowhere. */
async function walk(starts: readonly string[]): Promise<{ seen: string[]; dead: string[] }> {
  const seen = new Set<string>(starts);
  const dead: string[] = [];
  for (const path of seen) {
    const { text, type } = await get(path);
    // Follow the links of documents only; for other files it is enough that they exist.
    if (!/^text\/(html|markdown)/.test(type) && path !== "/llms.txt") continue;
    for (const target of linksOf(text, type)) {
      const url = new URL(target, fixture.address + path);
      const found = await get(url.pathname);
      const isAnchor = url.hash === "" || found.text.includes(` id="${url.hash.slice(1)}"`);
      const isText = found.type.startsWith("text/markdown");
      if (found.status !== 200 || !(isAnchor || isText)) dead.push(`${path} -> ${target}`);
      if (url.pathname !== "/") seen.add(url.pathname);
    }
  }
  return { seen: [...seen], dead };
}

test("DOC-1 the venue serves the pages itself, and browsers cache them as they cache the terminal", async () => {
  for (const path of ["/docs", "/docs/reference/errors", "/docs/rest/spot"]) {
    const first = await fetch(fixture.address + path);
    const etag = first.headers.get("etag") ?? "";
    assert.equal(first.status, 200, path);
    const policy = first.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(await first.text(), /\{\{|<script>|style="/);
    const again = await fetch(fixture.address + path, { headers: { "If-None-Match": etag } });
    assert.equal(again.status, 304);
    const led = await fetch(`${fixture.address}${path}/`, { redirect: "manual" });
    assert.deepEqual([led.status, led.headers.get("location")], [308, path]);
  }
});

test("DOC-2 every link leads to an existing page", async (context) => {
  const { seen, dead } = await walk(["/docs", "/llms.txt"]);
  assert.deepEqual(dead, []);
  const pages = seen.filter((path) => path.startsWith("/docs"));
  assert(pages.length > 100, `only ${pages.length} pages are linked`);
  context.diagnostic(`${seen.length} addresses`);
});

test("DOC-2 the overview's addresses link to the venue that serves it, wherever it listens", async () => {
  const { text } = await get("/docs/overview");
  assert.deepEqual(text.match(/href="http:\/\/127\.0\.0\.1:8080[^"]*"/g), null);
  for (const path of ["/", "/docs", "/ops"])
    assert(text.includes(`<a href="${path}">http://127.0.0.1:8080${path}</a>`), path);
});

test("DOC-3 every route and every frame is documented", async () => {
  const openApi = JSON.parse((await get("/openapi.json")).text) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const surfaces = ["spot", "perpetuals", "native", "others"];
  const rest = await Promise.all(surfaces.map((name) => get(`/docs/rest/${name}`)));
  const whole = rest.map(({ text }) => text).join("");
  for (const methods of Object.values(openApi.paths)) {
    for (const [method, { operationId }] of Object.entries(methods)) {
      if (method === "servers") continue;
      assert.equal(whole.split(` id="${operationId}"`).length, 2, operationId);
    }
  }
  const asyncApi = JSON.parse((await get("/asyncapi.json")).text) as {
    components: { messages: Record<string, unknown> };
  };
  const streams = (await get("/docs/streams")).text;
  for (const name of Object.keys(asyncApi.components.messages)) {
    assert(streams.includes(` id="frame-${name}"`), name);
  }
});

const looked = [
  "/docs",
  "/docs/rest/spot",
  "/docs/streams",
  "/docs/guides/clients",
  "/docs/reference/errors",
] as const;

test("DOC-4 the pages are accessible on wide and narrow screens, in light and dark themes", async () => {
  for (const width of [1440, 390]) {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    for (const path of looked) {
      await page.goto(fixture.address + path);
      const needed = await page.evaluate("document.documentElement.scrollWidth");
      assert.equal(needed, width, `${path} at ${width}`);
      await assertAccessible(page, { what: `${path}, ${width}` });
    }
    await page.close();
  }
});

test("DOC-21 on a telephone the tables of documents are lists that do not scroll sideways", async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  for (const path of ["guides/clients", "guides/operate", "reference/config", "spec/terminal"]) {
    await page.goto(`${fixture.address}/docs/${path}`);
    const wide = await page.evaluate(`[...document.querySelectorAll("main .table")]
      .filter((table) => table.scrollWidth > table.clientWidth).length`);
    assert.equal(wide, 0, path);
    const display = await page.evaluate(
      `getComputedStyle(document.querySelectorAll("main td[data-name]")[1]).display`,
    );
    assert.equal(display, "block", path);
  }
  await page.close();
});

test("DOC-20 the parameters that each order type needs stand beside POST order", async () => {
  for (const [path, type, names] of [
    ["spot", "STOP_LOSS_LIMIT", "timeInForce, quantity, price, stopPrice"],
    ["spot", "MARKET", "quantity or quoteOrderQty"],
    ["perpetuals", "TRAILING_STOP_MARKET", "quantity, callbackRate"],
  ] as const) {
    const { text } = await get(`/docs/rest/${path}`);
    const row = new RegExp(`<tr><td><code>${type}</code></td><td>(.*?)</td>`).exec(text)?.[1] ?? "";
    assert.equal(row.replace(/<[^>]+>/g, ""), names);
  }
});

test("DOC-18 an example that the venue refuses as printed says what it needs", async () => {
  const { text } = await get("/docs/rest/native");
  assert.match(
    text,
    /<p class="needs">[^\n]*It needs the headers with a registered provider’s signature/,
  );
  assert.doesNotMatch((await get("/docs/rest/others")).text, /class="needs"/);
});

test("DOC-5 the search finds a route by keyboard alone", async () => {
  const page = await browser.newPage();
  await page.goto(`${fixture.address}/docs`);
  await page.keyboard.press("/");
  await page.keyboard.type("countdownCancelAll");
  const found = page.getByRole("region", { name: "Search results" });
  await found.getByRole("link", { name: "countdownCancelAll" }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/docs\/rest\/perpetuals#postFapiV1CountdownCancelAll$/);
  await page.keyboard.press("/");
  await page.keyboard.type("trusted_proxies");
  await found.getByRole("link", { name: "TRUSTED_PROXIES" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/docs\/reference\/config$/);
  await page.keyboard.press("/");
  await page.keyboard.type("no such words");
  await page.getByText("No results.").waitFor();
  await page.keyboard.press("Escape");
  await found.waitFor({ state: "hidden" });
  await page.close();
});

test("DOC-6 the first load is small", async (context) => {
  for (const path of ["/docs", "/docs/rest/perpetuals", "/docs/streams"]) {
    const visitor = await browser.newContext();
    const page = await visitor.newPage();
    const sizes: Promise<number>[] = [];
    page.on("response", (response) => {
      sizes.push(
        response
          .request()
          .sizes()
          .then((size) => size.responseBodySize),
      );
    });
    await page.goto(fixture.address + path, { waitUntil: "networkidle" });
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    context.diagnostic(`${path}: ${(total / 1024).toFixed(1)} KiB`);
    assert(total > 0 && total <= 60 * 1024, `${path} must load at most 60 KiB, not ${total} bytes`);
    await visitor.close();
  }
});

test("DOC-7 programs can fetch every document in its source form", async () => {
  const list = await get("/llms.txt");
  assert.match(list.type, /^text\/plain/);
  const documents = linksOf(list.text, list.type).filter((path) => path.endsWith(".md"));
  assert(documents.length > 15);
  assert.deepEqual(
    list.text.split("\n").filter((line) => line.startsWith("- [") && !/\): \S+ \S+/.test(line)),
    [],
  );
  for (const path of documents) {
    const { status, type, text } = await get(path);
    assert.deepEqual([status, type], [200, "text/markdown; charset=utf-8"], path);
    assert.match(text, /^# /, path);
  }
});
