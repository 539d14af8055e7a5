// Proves that the page's list of findings shows every kind, however many there are of one.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding, Report } from "./report-form.ts";
import { reportPage } from "./report-page.ts";

const about = { severity: "error", account: 1001, market: "BTC-PERP", orders: [] } as const;

function many(kind: string, count: number): Finding[] {
  return Array.from({ length: count }, (_, at) => ({ ...about, kind, text: `${kind} ${at + 1}` }));
}

function pageOf(findings: readonly Finding[]): string {
  const report: Report = {
    ...{ format: 1, made_at: "2026-01-31T09:30:00.000Z", venue: { version: "1", markets: 4 } },
    window: { from_seq: 1, to_seq: 0, events: 0, from: null, to: null },
    log: { lines: 0, unread: 0, is_cut: false },
    ...{ more_accounts: 0, findings, accounts: [] },
  };
  return reportPage(report);
}

/** What a reader sees before opening anything. */
function inSight(page: string): string {
  return page.replace(/<details>.*?<\/details>/gs, "");
}

test("REW-143 three findings of a kind are in sight, the others open under them, and no kind hides another", () => {
  const page = pageOf([...many("sent-again", 250), ...many("belief", 4), ...many("liquidated", 3)]);
  const seen = inSight(page);
  for (const text of ["sent-again 3", "belief 3", "liquidated 3"])
    assert.ok(seen.includes(text), text);
  for (const text of ["sent-again 4", "belief 4"]) {
    assert.ok(!seen.includes(text), text);
    assert.ok(page.includes(text), text);
  }
  assert.match(page, /247 more of this kind/);
  assert.match(page, /1 more of this kind/);
  assert.doesNotMatch(page, /\b0 more/);
  assert.ok(page.includes("sent-again 200<") && !page.includes("sent-again 201<"));
  assert.match(page, /50 more are left out/);
  assert.match(page, /257 errors/);
});

test("REW-143 findings of the same kind about another account are a list of their own", () => {
  const others = many("belief", 4).map((one) => ({ ...one, account: 1002 }));
  const seen = inSight(pageOf([...many("belief", 4), ...others]));
  assert.equal(seen.split("belief 3<").length, 3);
});
