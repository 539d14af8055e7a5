// The limits in docs/guides/risk.md hold: an index moves no farther than stated within a given time, and such a move
// never leaves a position at the margin floor in debt. The page lists the current terms.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { marketId, oneUsdc } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { projectRoot } from "../../../test/support/tidy/tree.ts";
import { AccountType, SystemAccount, Wallet } from "../../core/accounts.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { riskTermRows } from "../../core/perpetuals/risk-terms.ts";
import { type IndexRules, measuredIndex, outsideIndex } from "../state/tables/index-levels.ts";

const { btcPerp, cbtcUsdc } = marketId;
const rules: IndexRules = { windowMs: 30_000, movePpm: 5000, jumpBps: 1000, intervalUs: 1_000_000 };

test("RSK-35 within t seconds the index moves at most as far as its window and its limit allow, whatever rests in the book", () => {
  const start = 60_000_000;
  for (const percent of [1, 5, 9, 50, 400, -1, -9, -60]) {
    const price = Math.round(start * (1 + percent / 100));
    let state = outsideIndex(start);
    for (let second = 1; second <= 120; second++) {
      state = measuredIndex(state, price, rules);
      const moved = Math.abs(state.level / start - 1);
      const byWindow = Math.abs(percent / 100) * (1 - (29 / 30) ** second);
      const byCap = percent > 0 ? 1.005 ** second - 1 : 1 - 0.995 ** second;
      // Each step may be rounded by a thousandth of a tick.
      const bound = Math.min(byWindow, byCap) + (second * 1.5) / start;
      assert(moved <= bound, `${percent} % for ${second} s: ${moved}, not ${bound}`);
    }
  }
});

test("RSK-35 RSK-63 a position opened at the margin floor owes nothing and costs the fund nothing while the index moves at full speed", () => {
  const venue = new TestVenue();
  const house = venue.fund(100_000_000n * oneUsdc, AccountType.house);
  venue.credit(house, Wallet.spot, 2, 10n ** 12n);
  venue.credit(SystemAccount.insurance, Wallet.perp, 0, 100_000n * oneUsdc);
  const quote = (price: number) => {
    for (const market of [cbtcUsdc, btcPerp]) {
      venue.done({ kind: CommandKind.cancelAllOrders, account: house, market });
    }
    for (const [market, lots] of [
      [cbtcUsdc, 100_000],
      [btcPerp, 1000],
    ] as const) {
      venue.buy(house, market, price - 100, lots);
      venue.sell(house, market, price + 100, lots);
    }
  };
  const tick = () => {
    venue.nowUs += 1_000_000;
    venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  };
  quote(6_000_000);
  tick();
  const [long, short] = [venue.fund(2500n * oneUsdc), venue.fund(2500n * oneUsdc)];
  for (const account of [long, short]) venue.setLeverage(account, btcPerp, 100);
  venue.sell(short, btcPerp, 6_000_000, 1000);
  venue.buy(long, btcPerp, 6_000_000, 1000);
  const cash = (account: number) => venue.state.balances.total(account, Wallet.perp, 0);
  const before = cash(SystemAccount.insurance);
  quote(4_000_000);
  // Empties the perpetual's book, so that liquidations find no buyer.
  venue.done({ kind: CommandKind.cancelAllOrders, account: house, market: btcPerp });
  for (let second = 0; second < 60; second++) {
    tick();
    assert(cash(long) >= 0n && cash(short) >= 0n, "neither account owes money");
  }
  assert(venue.state.mark[btcPerp] !== undefined && venue.state.mark[btcPerp] < 5_000_000);
  assert.equal(venue.state.positions.qty(long, btcPerp), 0);
  assert(cash(SystemAccount.insurance) >= before, "the fund paid nothing");
  assert(
    cash(long) + cash(short) <= 5000n * oneUsdc,
    "together they have no more than they brought",
  );
});

test("RSK-35 RSK-63 the risk page lists every risk term with its default", () => {
  const page = readFileSync(join(projectRoot, "docs/guides/risk.md"), "utf8");
  for (const { name, usual } of riskTermRows) {
    assert.match(page, new RegExp(`^\\| \`${name}\` \\| ${usual}( |\\b)`, "m"), name);
  }
});
