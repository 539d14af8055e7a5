// The newest error of what the user did in the account's tables; it is shown above them.

import { signal } from "@preact/signals";
import { refreshAccount } from "../../member/account.ts";
import { faultMessage } from "../../member/venue-api.ts";

export const accountFault = signal("");

/** Does something with orders or positions, shows its error, and reads the account again. Returns whether it worked. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  accountFault.value = "";
  try {
    await work();
    return true;
  } catch (thrown) {
    accountFault.value = faultMessage(thrown);
    return false;
  } finally {
    refreshAccount();
  }
}
