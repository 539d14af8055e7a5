// Which notices were over a page since it was loaded. A notice leaves after some seconds, and a busy machine can need longer
// between two steps of a journey.

import type { Page } from "playwright-core";
import { untilTrue } from "../../support/client/page-waits.ts";

/** Writes down each notice as it appears, from the next load of the page on. */
export async function writeDownNotices(page: Page): Promise<void> {
  await page.addInitScript(`
    window.toldNotices = [];
    new MutationObserver(() => {
      for (const { textContent: text } of document.querySelectorAll(".toast .notice-text"))
        if (!window.toldNotices.includes(text)) window.toldNotices.push(text);
    }).observe(document, { subtree: true, childList: true, characterData: true });
  `);
}

/** Resolves when a notice with the text is or was over the page. */
export async function noticed(page: Page, text: string | RegExp): Promise<void> {
  const isIt =
    typeof text === "string" ? `one.includes(${JSON.stringify(text)})` : `${text}.test(one)`;
  await untilTrue(page, `window.toldNotices.some((one) => ${isIt})`);
}
