// Proves that the guide of the native surface works: its shell blocks run in order, in one bash, against a whole
// venue with development tools.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { blocksIn } from "./document-blocks.ts";
import { ShellSession } from "./shell-session.ts";

const blocks = blocksIn("docs/guides/native-walk.md", "sh").map(({ text }) => text);

let fixture: VenueFixture;
let session: ShellSession;

before(async () => {
  fixture = await VenueFixture.open({ DEV_TOOLS: "1" });
  session = new ShellSession({ address: fixture.address, env: {} });
});
after(async () => {
  await fixture.close();
  session.close();
});

/** Returns every JSON object and array in the text, regardless of line breaks. */
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
        // The JSON does not end here yet.
      }
    }
  }
  return found;
}

/** Returns the number of rows in the answer's list `name`. */
function countOf(answer: Record<string, unknown> | undefined, name: string): number {
  const rows = answer?.[name];
  assert(Array.isArray(rows), name);
  return rows.length;
}

test("NAT-50 the guide's commands work line by line on a fresh venue", {
  timeout: 1_200_000,
}, async () => {
  assert(blocks.length >= 9);
  const { code, printed, complained } = await session.run(blocks);
  assert.equal(code, 0, complained);
  const [, , money, market, trade, key, lists, narrowed, revoked, claim] = printed.map(answersOf);
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
  const [wide, narrow, untraded] = narrowed ?? [];
  assert.deepEqual(wide?.["permissions"], ["READ", "TRADE"]);
  assert.deepEqual(narrow?.["permissions"], ["READ"]);
  assert.equal(untraded?.["code"], -2015);
  const [listed, ended, all, refused] = revoked ?? [];
  assert.equal(countOf(listed, "keys"), 1);
  assert.equal(typeof ended?.["revoked_at"], "string");
  assert.equal(countOf(all, "keys"), 1);
  assert.equal(refused?.["code"], -2015);
  const [dashboard, claimed] = claim ?? [];
  // Bob is the maker of a trade worth 30,000 USDC and pays a fee of 2 bps, 6 USDC. Alice gets a tenth of the fee.
  assert.equal(dashboard?.["commission_accrued"], "0.600000");
  assert.deepEqual(claimed, { claimed: "0.600000", asset: "USDC" });
});
