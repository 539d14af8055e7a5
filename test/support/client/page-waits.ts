// Waits for a condition in a page that its elements alone do not show.

import type { Page } from "playwright-core";
import { until } from "../../epochs/epoch-waits.ts";

/**
 * Polls an expression in the page until it is true. The `waitForFunction` of Playwright evaluates a text once from outside,
 * and if it is not true yet once more from inside the page, whose policy refuses that.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await until(expression, async () => ((await page.evaluate(expression)) === true ? true : null));
}

/**
 * Does `act`, and resolves when something on the page has had this text since, however short: a busy machine may look only
 * after the page has taken it away.
 */
export async function untilSaid(page: Page, text: string, act: () => Promise<void>): Promise<void> {
  await page.evaluate(`{
    window.isSaid = false;
    new MutationObserver((changes, observer) => {
      if (!changes.some(({ target }) => target.textContent === ${JSON.stringify(text)})) return;
      window.isSaid = true;
      observer.disconnect();
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  }`);
  await act();
  await untilTrue(page, "window.isSaid");
}
