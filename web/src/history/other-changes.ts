// What changes the perp wallet and is in no other list: liquidations and claimed commission. Independent of page and network.

import type { Income } from "./daily-pnl.ts";

export interface OtherChange extends Pick<Income, "symbol" | "asset" | "amount" | "seq" | "time"> {
  readonly change: string;
}

const names: Readonly<Record<string, string>> = {
  INSURANCE_CLEAR: "Liquidation",
  COMMISSION_REBATE: "Referral commission",
};

/** Returns these changes among the account's income, newest first. `income` is oldest first. */
export function otherChanges(income: readonly Income[]): OtherChange[] {
  const changes = income.flatMap(({ type, ...row }) => {
    const change = names[type];
    return change === undefined ? [] : [{ ...row, change }];
  });
  return changes.reverse();
}
