// A front without a ledger: nothing is deposited and nothing withdrawn.

import type { CustodyDoor } from "../../src/ports/custody.ts";

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
