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
