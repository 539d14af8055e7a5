// Proves that docs/reference/metrics.md lists every metric of a running venue, with its type and meaning.
// UPDATE_REFERENCE=1 writes the page.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { projectRoot } from "../support/tidy/tree.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

const page = join(projectRoot, "docs/reference/metrics.md");
const head = `# Metrics

\`GET /metrics\` answers Prometheus text to loopback and trusted networks. The values are read at each request.
The label \`front\` names the front thread that answered. This page is generated from a running venue
(\`UPDATE_REFERENCE=1 make test ONLY=reference\`).

| Metric | Type | What it says |
|---|---|---|
`;

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open();
});
after(() => fixture.close());

test("OPS-7 docs/reference/metrics.md lists every metric of a venue and no other", async () => {
  const text = await (await fetch(`${fixture.address}/metrics`)).text();
  const helps = [...text.matchAll(/^# HELP (\S+) (.+)$/gm)];
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (.+)$/gm)].map(([, n, t]) => [n, t]));
  assert.ok(helps.length > 15);
  const rows = helps
    .map(([, name = "", help]) => `| \`${name}\` | ${types.get(name)} | ${help} |\n`)
    .sort();
  const fresh = head + rows.join("");
  if (process.env["UPDATE_REFERENCE"] === "1") writeFileSync(page, fresh);
  const isFresh = readFileSync(page, "utf8") === fresh;
  assert.ok(isFresh, "the page is stale: run UPDATE_REFERENCE=1 make test ONLY=reference");
});
