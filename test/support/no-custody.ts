// A front without a ledger: nothing is deposited, nothing withdrawn, and nothing held.

import type { CustodyDoor } from "../../src/ports/custody.ts";
import type { SolvencyReader } from "../../src/ports/solvency.ts";

export const noCustody: CustodyDoor = {
  place: async () => null,
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
