// Proves for operators what /metrics reports about each perpetual: the age of its index, and how close it is to the
// limits that protect its prices.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AccountType, Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { RiskTerm } from "../../src/core/perpetuals/risk-terms.ts";
import { marketId, oneUsdc } from "../support/machine/test-markets.ts";
import { FrontFixture } from "./front-fixture.ts";

const { btcPerp, cbtcUsdc } = marketId;
const fair = 6_000_000;

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open({ opensWithoutIndex: false });
});
after(() => front.close());

function tick(seconds: number): void {
  for (let second = 0; second < seconds; second++) {
    front.venue.nowUs += 1_000_000;
    front.venue.machine.handle(front.venue.command({ kind: CommandKind.tick }));
  }
}

async function figureOf(name: string, market = "BTC-PERP"): Promise<number | null> {
  const { text } = await front.fetch("/metrics");
  const form = new RegExp(
    `^rialto_perpetual_${name}\\{[^}]*market="${market}"[^}]*\\} (\\S+)$`,
    "m",
  );
  const found = form.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

test("OPS-61 /metrics shows how close each perpetual is to the limits that protect its prices", async () => {
  const { venue } = front;
  assert.equal(await figureOf("index_stale_seconds"), null, "Nothing must have been measured yet");
  assert.equal(await figureOf("open_interest_usdc"), 0);
  const house = venue.fund(10_000_000n * oneUsdc, AccountType.house);
  venue.credit(house, Wallet.spot, 2, 10n ** 12n);
  const bid = venue.buy(house, cbtcUsdc, fair - 100, 10_000);
  venue.sell(house, cbtcUsdc, fair + 100, 10_000);
  tick(2);
  assert.deepEqual([await figureOf("index_stale"), await figureOf("index_stale_seconds")], [0, 0]);
  venue.sell(house, btcPerp, fair, 100);
  venue.buy(venue.fund(100_000n * oneUsdc), btcPerp, fair, 100);
  tick(1);
  const mark = (venue.state.mark[btcPerp] ?? 0) / 100;
  assert.equal(await figureOf("open_interest_usdc"), mark / 10);
  assert.equal(await figureOf("open_interest_max_usdc"), 50_000_000);
  venue.done({
    ...({ kind: CommandKind.setRiskTerm, market: btcPerp } as const),
    ...{ term: RiskTerm.openInterestMax, value: 0 },
  });
  assert.equal(await figureOf("open_interest_max_usdc"), null, "There must be no cap");
  assert.deepEqual(
    [await figureOf("fund_loss_usdc"), await figureOf("fund_loss_max_usdc")],
    [0, 50_000],
  );
  assert.equal(await figureOf("fund_paused"), 0);
  // Without the bid the index has no source. After a minute the market accepts only orders that reduce.
  venue.cancel(house, cbtcUsdc, bid);
  tick(30);
  assert.equal(await figureOf("index_stale"), 0);
  assert(((await figureOf("index_stale_seconds")) ?? 0) > 20);
  tick(40);
  assert.equal(await figureOf("index_stale"), 1);
  assert.equal(await figureOf("index_stale", "ETH-PERP"), null);
});
