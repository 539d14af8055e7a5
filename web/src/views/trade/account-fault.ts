// The newest error of what the user did in the account's tables; it is shown above them.

import { effect, signal, untracked } from "@preact/signals";
import { marketFeed } from "../../markets/feed.ts";
import { orderGuards } from "../../markets/guard-settings.ts";
import { refreshAccount } from "../../member/account.ts";
import { faultMessage, unreachableText } from "../../member/venue-api.ts";

export const accountFault = signal("");
/** Whether the error is of something that was done at the chart, which then shows it too. */
export const isFaultOfChart = signal(false);

/**
 * Says when a message is no longer true: `isUnreachable` of one that the venue cannot be reached, when it can be again; of
 * any, when the user changes the own limits. Returns a function that ends this.
 */
export function whenOutdated(forget: (isUnreachable: boolean) => void): () => void {
  let limits = orderGuards.peek();
  return effect(() => {
    const { value } = orderGuards;
    if (marketFeed.connection.value === "open") untracked(() => forget(true));
    if (value !== limits) untracked(() => forget(false));
    limits = value;
  });
}

whenOutdated((isUnreachable) => {
  if (!isUnreachable || accountFault.value === unreachableText) accountFault.value = "";
});

/** An error is about the table and the market in which it happened. */
export function forgetFault(): void {
  accountFault.value = "";
  isFaultOfChart.value = false;
}

/** Does something with orders or positions, shows its error, and reads the account again. Returns whether it worked. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  forgetFault();
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

/** Does something that was asked for at the chart, where its error is shown as well. */
export async function attemptAtChart(work: () => Promise<unknown>): Promise<boolean> {
  const isDone = await attempt(work);
  isFaultOfChart.value = !isDone;
  return isDone;
}
