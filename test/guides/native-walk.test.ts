// The guide of the native surface as its reader walks it: the shell blocks of the page, in their order, in
// one bash against a whole venue with development tools.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { projectRoot } from "../support/tree.ts";
import { VenueFixture } from "../support/venue-fixture.ts";

const run = promisify(execFile);
const page = readFileSync(join(projectRoot, "docs/guides/native-walk.md"), "utf8");
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);

let fixture: VenueFixture;
let folder: string;

before(async () => {
  fixture = await VenueFixture.open({ DEV_TOOLS: "1" });
  folder = mkdtempSync(join(tmpdir(), "rialto-walk-"));
});
after(async () => {
  await fixture.close();
  rmSync(folder, { recursive: true });
});

/** Every JSON object and array that a block printed, wherever lines begin and end. */
function answersOf(text: string): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  for (let from = 0; from < text.length; from++) {
    if (text[from] !== "{" && text[from] !== "[") continue;
    for (let to = from + 1; to <= text.length; to++) {
      if (text[to - 1] !== "}" && text[to - 1] !== "]") continue;
      try {
        found.push(JSON.parse(text.slice(from, to)));
        from = to - 1;
        break;
      } catch {
        // Not yet the end of this one.
      }
    }
  }
  return found;
}

/** How many rows an answer has under a name. */
function countOf(answer: Record<string, unknown> | undefined, name: string): number {
  const rows = answer?.[name];
  assert(Array.isArray(rows), name);
  return rows.length;
}

test("NAT-50 the walk of the guide works line by line on a fresh venue", {
  timeout: 120_000,
}, async () => {
  assert(blocks.length >= 9);
  const mark = "== end of block ==";
  const script = `set -euo pipefail\n${blocks.join(`\necho; echo '${mark}'\n`)}`;
  const { stdout } = await run("bash", ["-c", script], {
    cwd: folder,
    env: { ...process.env, V: fixture.address },
    timeout: 100_000,
  });
  const [, , money, market, trade, key, lists, revoked, claim] = stdout.split(mark).map(answersOf);
  assert.deepEqual(
    money?.map((answer) => answer["replayed"] ?? answer["wallet"]),
    ["funding", false, true, "perp"],
  );
  assert.equal(money?.[1]?.["transfer_id"], money?.[2]?.["transfer_id"]);
  assert.equal(market?.length, 4);
  const [offer, bought] = trade ?? [];
  assert.deepEqual([offer?.["status"], bought?.["status"]], ["NEW", "FILLED"]);
  assert.equal(bought?.["leverage"], 5);
  const [open] = (key?.[0] ?? []) as unknown as Record<string, unknown>[];
  assert.deepEqual(
    [open?.["type"], open?.["stopPrice"], open?.["side"], open?.["workingType"]],
    ["TAKE_PROFIT_MARKET", "66000.00", "SELL", "MARK_PRICE"],
  );
  const [orders, trades, positions, , fees, balances] = lists ?? [];
  assert(countOf(orders, "items") >= 2);
  assert.equal(countOf(trades, "items"), 1);
  assert.equal(countOf(positions, "positions"), 1);
  assert(Array.isArray(fees?.["paid"]) && Array.isArray(balances?.["balances"]));
  const [listed, ended, all, refused] = revoked ?? [];
  assert.equal(countOf(listed, "keys"), 1);
  assert.equal(typeof ended?.["revoked_at"], "string");
  assert.equal(countOf(all, "keys"), 1);
  assert.equal(refused?.["code"], -2015);
  const [dashboard, claimed] = claim ?? [];
  // Bob rests and pays 2 bps of 30,000 USDC: 6, a tenth of which is Alice's.
  assert.equal(dashboard?.["commission_accrued"], "0.600000");
  assert.deepEqual(claimed, { claimed: "0.600000", asset: "USDC" });
});
