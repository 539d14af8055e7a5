// Proves how HEAD and OPTIONS are answered, and which other sites' pages may read answers.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FrontFixture } from "./front-fixture.ts";

const site = "https://desk.example";

let plain: FrontFixture;
let shared: FrontFixture;

before(async () => {
  plain = await FrontFixture.open();
  shared = await FrontFixture.open({ corsOrigins: [site, "http://127.0.0.1:5173"] });
});
after(() => {
  plain.close();
  shared.close();
});

/** Returns the CORS and Vary headers of a response, by name. */
function said({ headers }: { headers: Headers }): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => /^access-control-|^vary$/.test(name)));
}

test("HTP-4 HEAD answers as GET does, without the body", async () => {
  const key = await plain.newTrader();
  for (const path of ["/api/v3/ping", "/fapi/v1/exchangeInfo", "/v1/markets", "/health"]) {
    const got = await plain.fetch(path);
    const head = await plain.fetch(path, { method: "HEAD" });
    assert.deepEqual([head.status, head.text], [200, ""], path);
    assert.equal(head.headers.get("content-length"), `${got.text.length}`, path);
    assert.equal(head.headers.get("content-type"), got.headers.get("content-type"), path);
  }
  const account = await plain.send("HEAD", "/api/v3/account", {}, { key });
  assert.deepEqual([account.status, account.text], [200, ""]);
  assert.equal(
    (await plain.send("HEAD", "/api/v3/account")).status,
    400,
    "HEAD must require a signature as GET does",
  );
  assert.equal((await plain.send("HEAD", "/v1/orders/me")).status, 401);
  for (const path of ["/api/v3/nothing", "/v1/nothing"]) {
    assert.equal((await plain.send("HEAD", path)).status, 404, path);
  }
  for (const path of ["/v1/wallet/session-key", "/api/v3/order/test"]) {
    assert.equal(
      (await plain.send("HEAD", path)).status,
      405,
      `${path} must refuse HEAD, because it has no GET`,
    );
  }
});

test("HTP-5 OPTIONS lists the methods of a path, and costs weight", async () => {
  for (const [path, methods] of [
    ["/api/v3/ping", "GET, HEAD, OPTIONS"],
    ["/compat/fapi/v1/order/test", "POST, OPTIONS"],
    ["/v1/orders/00000000-0000-7001-8000-000000000001", "DELETE, OPTIONS"],
    ["/health", "GET, HEAD, OPTIONS"],
  ] as const) {
    const answer = await plain.fetch(path, { method: "OPTIONS" });
    assert.deepEqual([answer.status, answer.text], [204, ""], path);
    assert.equal(answer.headers.get("allow"), methods, path);
    assert.equal(answer.headers.get("keep-alive"), "timeout=7");
    assert.deepEqual(said(answer), {}, path);
  }
  assert.equal((await plain.fetch("/api/v3/nothing", { method: "OPTIONS" })).json.code, -5000);
  assert.equal((await plain.fetch("/v1/nothing", { method: "OPTIONS" })).status, 404);
  const weight = async () =>
    Number((await plain.fetch("/api/v3/ping")).headers.get("x-mbx-used-weight-1m"));
  const before = await weight();
  await plain.fetch("/api/v3/order", { method: "OPTIONS" });
  await plain.fetch("/v1/orders", { method: "OPTIONS" });
  assert.equal((await weight()) - before, 3);
});

test("HTP-6 HTP-10 HTP-9 only the venue's own pages may read answers unless CORS_ORIGINS names other sites", async () => {
  const shown =
    "etag, x-mbx-order-count-10s, x-mbx-order-count-1m, x-mbx-used-weight, x-mbx-used-weight-1m";
  const granted = {
    "access-control-allow-origin": site,
    "access-control-expose-headers": shown,
    vary: "origin",
  };
  const key = await shared.newTrader();
  const from = (origin: string) => ({ headers: { Origin: origin } });
  const paths = ["/api/v3/ping", "/v1/markets", "/health", "/api/v3/nothing", "/v1/orders/me"];
  for (const path of paths) {
    assert.deepEqual(said(await shared.fetch(path, from(site))), granted, path);
    for (const origin of [
      "https://other.example",
      `${site}.example`,
      "http://desk.example",
      "null",
    ]) {
      // Every answer varies by origin, so that a cache never gives one page's answer to another.
      const foreign = said(await shared.fetch(path, from(origin)));
      assert.deepEqual(foreign, { vary: "origin" }, `${path} ${origin}`);
    }
    assert.deepEqual(said(await shared.fetch(path)), { vary: "origin" }, path);
    assert.deepEqual(said(await plain.fetch(path, from(site))), {}, path);
  }
  const account = await shared.send("GET", "/api/v3/account", {}, { key, ...from(site) });
  assert.deepEqual([account.status, said(account)], [200, granted]);
  const preflight = await shared.fetch("/api/v3/order", {
    method: "OPTIONS",
    headers: { Origin: site, "Access-Control-Request-Method": "POST" },
  });
  assert.deepEqual(
    [preflight.status, said(preflight)],
    [
      204,
      {
        ...granted,
        "access-control-allow-methods": preflight.headers.get("allow"),
        "access-control-allow-headers":
          "authorization, content-type, if-none-match, x-mbx-apikey, x-mbx-time-unit",
        "access-control-max-age": "600",
      },
    ],
  );
  assert.match(preflight.headers.get("allow") ?? "", /\bPOST\b.*\bDELETE\b|\bDELETE\b.*\bPOST\b/);
});

test("HTP-6 a star allows every page, and answers then do not vary by origin", async () => {
  const open = await FrontFixture.open({ corsOrigins: ["*"] });
  const answer = await open.fetch("/api/v3/ping", { headers: { Origin: "https://any.example" } });
  assert.equal(said(answer)["access-control-allow-origin"], "*");
  assert.equal(said(answer)["vary"], undefined);
  open.close();
});
