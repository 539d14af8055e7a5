// Measures the scan for accounts that are due for liquidation after a change of marks: there are ten thousand open
// positions, and a third of the accounts have positions in two markets. The scan is compared with an exact check of
// every account in bigints.

import { AccountType, Wallet } from "../../src/core/accounts.ts";
import { assert } from "../../src/core/assert.ts";
import { RiskScan } from "../../src/engine/clearing/perpetuals/risk-scan.ts";
import { isDue, MarginStatuses } from "../../src/engine/risk/margin-status.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { marketId, testMarkets } from "../../test/support/machine/test-markets.ts";
import { sampledAlone } from "./sampling.ts";

const positions = 10_000;
const firstAccount = 1001;

/** Builds a state of accounts with positions near liquidation, directly and without events. */
function crowdedState(): VenueState {
  const state = new VenueState(testMarkets);
  const random = new SeededRandom(11);
  let account = firstAccount;
  for (let placed = 0; placed < positions; account++) {
    state.balances.add(account, Wallet.perp, 0, BigInt(100 + random.below(2000)) * 1_000_000n);
    const markets = account % 3 === 0 ? [marketId.btcPerp, marketId.ethPerp] : [marketId.btcPerp];
    for (const market of markets) {
      const qty = (1 + random.below(200)) * (random.below(2) === 0 ? 1 : -1);
      const entryValue = BigInt(qty) * BigInt(6_000_000 + random.below(100_000)) * 10n;
      state.positions.set(account, market, { qty, entryValue, pnl: 0n });
      placed++;
    }
  }
  for (let open = firstAccount; open < account; open++) {
    state.accounts.open(open, AccountType.standard, 0);
  }
  state.mark[marketId.btcPerp] = 6_050_000;
  state.mark[marketId.ethPerp] = 6_050_000;
  return state;
}

/** Runs the scan and the exact check over the same state; each round of the scan has another mark. */
export async function measure(): Promise<Record<string, number>> {
  const state = crowdedState();
  const marginStatuses = new MarginStatuses(state);
  const scan = new RiskScan(state, marginStatuses);
  let found = 0;
  let round = 0;
  const scanned = sampledAlone(
    () => {
      state.mark[marketId.btcPerp] = 6_050_000 + (round++ % 100);
      scan.scan(() => found++);
    },
    { samples: 400, warmUp: 0 },
  );
  const exact = sampledAlone(
    () => {
      for (let account = firstAccount; account < state.accounts.next; account++) {
        if (isDue(marginStatuses.of(account))) found++;
      }
    },
    { samples: 20, warmUp: 0 },
  );
  assert(found > 0, "at least one account must be due for liquidation");
  return {
    "R1 scan ms, median": scanned.p50,
    "R1 scan ms, best": scanned.min,
    "R1 scan ms, margin of error in percent": scanned.rme,
    "R1 exact walk ms, median": exact.p50,
    "R1 positions": scan.count,
  };
}
