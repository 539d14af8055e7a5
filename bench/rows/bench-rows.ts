// Lists every row of the table of goals in the order of measurement: first the quick rows, then those that fill the
// machine's caches and disks.

import type { BenchRow } from "../report/row.ts";
import { accessRows } from "./access.ts";
import { auditRows } from "./audit.ts";
import { balanceCheckRows } from "./balance-check.ts";
import { engineRows } from "./engine.ts";
import { epochRows } from "./epochs.ts";
import { fixRows } from "./fix.ts";
import { forkRows } from "./forks.ts";
import { gatewayRows } from "./gateways.ts";
import { growthRows } from "./growth.ts";
import { historyRows } from "./history.ts";
import { idleRows } from "./idle.ts";
import { leadershipRows } from "./leadership.ts";
import { liabilityRows } from "./liabilities.ts";
import { makerRows } from "./makers.ts";
import { memoryRows } from "./memory.ts";
import { orderPathRows } from "./order-path.ts";
import { priceRows } from "./prices.ts";
import { processorTimeRows } from "./processor-time.ts";
import { quoteRows } from "./quotes.ts";
import { readRows } from "./reads.ts";
import { recoveryRows } from "./recovery.ts";
import { replayRows } from "./replay.ts";
import { riskRows } from "./risk.ts";
import { sbeRows } from "./sbe.ts";
import { sessionRows } from "./sessions.ts";
import { settlementRows } from "./settlement.ts";
import { soakRows } from "./soak.ts";
import { standbyRows } from "./standby.ts";
import { startRows } from "./starts.ts";
import { storageRows } from "./storage.ts";
import { streamRows } from "./streams.ts";
import { swapRows } from "./swaps.ts";
import { sweepRows } from "./sweeps.ts";
import { terminalRows } from "./terminal.ts";
import { testBedRows } from "./test-beds.ts";

export const benchRows: readonly BenchRow[] = [
  ...engineRows,
  ...priceRows,
  ...orderPathRows,
  ...processorTimeRows,
  ...makerRows,
  ...sessionRows,
  ...quoteRows,
  ...sbeRows,
  ...fixRows,
  ...gatewayRows,
  ...leadershipRows,
  ...standbyRows,
  ...idleRows,
  ...sweepRows,
  ...readRows,
  ...streamRows,
  ...storageRows,
  ...recoveryRows,
  ...memoryRows,
  ...growthRows,
  ...startRows,
  ...forkRows,
  ...historyRows,
  ...accessRows,
  ...riskRows,
  ...replayRows,
  ...testBedRows,
  ...epochRows,
  ...liabilityRows,
  ...auditRows,
  ...balanceCheckRows,
  ...settlementRows,
  ...swapRows,
  ...terminalRows,
  ...soakRows,
];
