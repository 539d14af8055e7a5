// Proves that docs/reference/errors.md names every error code that a client of the Binance-style surfaces can get.
// The page is generated from the error maps. Every code in the source must be in a map, and a test must assert every
// code in a map. UPDATE_REFERENCE=1 writes the page.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fixErrors } from "../../src/adapters/gateway/fix/fix-error-codes.ts";
import type { SurfaceError } from "../../src/adapters/gateway/requests/surface-error.ts";
import { listedErrors, nativeListed } from "../support/tidy/listed-errors.ts";
import { projectFiles, projectRoot } from "../support/tidy/tree.ts";

const page = join(projectRoot, "docs/reference/errors.md");

/** Marks an answer that only the compat view gives. */
const compatOnly = { code: 0, msg: "" };

/** Returns the compat view's form of an error, if it differs. */
function compatForm({ status, onCompat }: SurfaceError): SurfaceError[] {
  return onCompat === undefined ? [] : [{ status, ...onCompat, onCompat: compatOnly }];
}

/** Returns one row per answer, with the surfaces that give the answer. */
function rows(): { error: SurfaceError; surface: string }[] {
  const byAnswer = new Map<string, { error: SurfaceError; surfaces: Set<string> }>();
  for (const { errors, surface } of listedErrors) {
    for (const error of errors.flatMap((each) => [each, ...compatForm(each)])) {
      const key = `${error.code} ${error.status} ${error.msg} ${error.onCompat === compatOnly}`;
      const row = byAnswer.get(key) ?? { error, surfaces: new Set() };
      row.surfaces.add(surface);
      byAnswer.set(key, row);
    }
  }
  return [...byAnswer.values()]
    .map(({ error, surfaces }) => {
      const own = surfaces.has("both") || surfaces.size > 1 ? "both" : ([...surfaces][0] ?? "");
      const view = error.onCompat === compatOnly ? ", under `/compat`" : "";
      return { error, surface: own + view };
    })
    .sort((a, b) => b.error.code - a.error.code || a.error.msg.localeCompare(b.error.msg));
}

const head = `# Errors

Error bodies on \`/api\` and \`/fapi\` are \`{"code":…,"msg":"…"}\`. Under \`/compat\` a third field, \`hint\`, may add figures: the
filter, the value, the step, the nearest valid value, or the venue's time. This page is generated from the error maps
(\`UPDATE_REFERENCE=1 make test ONLY=reference\`).

What an error means for an order, and what to do:

| HTTP | Meaning | What to do |
|---|---|---|
| 2xx | accepted and durable | nothing |
| 400, 401, 404, 410, 413, 414, 422, 501 | refused; nothing changed | correct the request |
| 429 | rate limited; nothing changed | wait for the next window |
| 503 | not executed | retry with the same client order id |
| 408, 500, or a lost connection | outcome unknown | query the order by client order id; if you resend it, use the same id, never a new one |
`;

function text(): string {
  const lines = rows().map(
    ({ error: { code, status, msg }, surface }) => `| ${code} | ${status} | ${surface} | ${msg} |`,
  );
  const codes = `| Code | HTTP | Surface | Message |\n|---|---|---|---|\n${lines.join("\n")}\n`;
  return `${head}\n${codes}\n${fixText()}\n${nativeText()}`;
}

const fixHead = `## FIX

Over [FIX](../guides/trade-over-fix.md), ErrorCode (25016) is one of the codes above or of these, which only messages have:
`;

function fixText(): string {
  const lines = Object.values(fixErrors).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  return `${fixHead}\n| Code | Meaning |\n|---|---|\n${lines.join("\n")}\n`;
}

const nativeHead = `## The native surface

Under \`/v1\` an error body is the message as plain text; on wallet, deposit, solvency and provider (\`/v1/lp\`) routes it is
JSON with the single field \`error\`. The first table on this page says what to do for each HTTP status. If you retry an
order, use the same \`idempotency_key\`.
`;

function nativeText(): string {
  const lines = nativeListed.map(({ status, msg }) => `| ${status} | ${msg} |`);
  const order = (a: string, b: string) =>
    Number.parseInt(a.slice(2), 10) - Number.parseInt(b.slice(2), 10) || a.localeCompare(b);
  const rows = [...new Set(lines)].sort(order).join("\n");
  return `${nativeHead}\n| HTTP | Message |\n|---|---|\n${rows}\n`;
}

test("ERR-30 docs/reference/errors.md lists every answer of the error maps", () => {
  if (process.env["UPDATE_REFERENCE"] === "1") writeFileSync(page, text());
  const isFresh = readFileSync(page, "utf8") === text();
  assert.ok(isFresh, "the page is stale: run UPDATE_REFERENCE=1 make test ONLY=reference");
});

const codes = new Set([
  ...rows().map(({ error }) => error.code),
  ...Object.values(fixErrors).map(({ code }) => code),
]);

test("ERR-30 every error code in the gateway is in an error map", () => {
  const written = projectFiles()
    .filter(({ path }) => path.startsWith("src/adapters/gateway/") && path.endsWith(".ts"))
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap(({ text: source }) => [...source.matchAll(/(?:code: |[({] ?)(-\d{4})\b/g)])
    .map(([, code]) => Number(code));
  assert.deepEqual(
    [...new Set(written)].filter((code) => !codes.has(code)),
    [],
  );
});

test("ERR-30 a test asserts every error code", () => {
  const tests = projectFiles()
    .filter(({ path }) => path.endsWith(".test.ts") && !path.startsWith("test/reference/"))
    .map(({ text: source }) => source)
    .join("\n");
  const missing = [...codes].filter((code) => !new RegExp(`${code}\\b`).test(tests));
  assert.deepEqual(missing, []);
});

test("ERR-31 HTTP statuses follow from codes: 400 below -2000, 422 for -2010 and similar codes, 404 for unknown paths", () => {
  const exceptions: Readonly<Record<number, readonly number[]>> = {
    [-1000]: [500],
    [-1003]: [429],
    [-1007]: [408],
    [-1008]: [503],
    [-1016]: [503],
    [-1020]: [501, 410],
    [-1021]: [401],
    [-1022]: [401],
    [-1101]: [400, 413, 414],
    [-1155]: [406],
    [-2014]: [400],
    [-2015]: [401],
    [-2007]: [400],
    [-5000]: [404, 405],
  };
  for (const { error } of rows()) {
    const isOrder = error.code <= -2000 && error.code > -3000;
    const allowed = exceptions[error.code] ?? (isOrder ? [422, 409, 400] : [400]);
    assert.ok(allowed.includes(error.status), `${error.code} ${error.status}`);
  }
});
