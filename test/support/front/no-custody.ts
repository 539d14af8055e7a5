// Custody for front tests without a ledger: no deposits, no withdrawals, no holdings.

import { type TrafficLane, trafficLanes } from "../../../src/core/traffic.ts";
import type { CustodyRepository } from "../../../src/ports/ledger/custody.ts";
import type { SolvencyReader } from "../../../src/ports/ledger/solvency.ts";
import type { TrafficReader } from "../../../src/ports/ledger/traffic.ts";

export const noCustody: CustodyRepository = {
  asset: async () => null,
  deposits: async () => [],
  withdrawalByKey: async () => null,
  withdrawal: async () => null,
  withdrawalAt: async () => null,
  withdrawals: async () => [],
  addWithdrawal: async () => 0,
  takeWithdrawal: async () => undefined,
  dropWithdrawal: async () => undefined,
};

export const noSolvency: SolvencyReader = { read: async () => "unreached" };

export const noTraffic: TrafficReader = {
  use: async () => ({
    lanes: trafficLanes.map((_, lane) => {
      return { lane: lane as TrafficLane, bytes: 0, submissions: 0, lastBytes: null };
    }),
    base: { remaining: 0, atMs: 0 },
    isMeasured: false,
    extra: null,
    readMs: 0,
    mirroredMs: null,
  }),
  hasFleet: async () => false,
  fleet: async () => [],
  houseFills: async () => 0,
};
