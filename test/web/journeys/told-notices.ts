// Which notices were over a page since it was loaded. A notice leaves after some seconds, and a busy machine can need longer
// between two steps of a journey. And when a page begins to be told of what happens to its account.

import type { BrowserContext, Page } from "playwright-core";
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

/** Writes down each WebSocket that the pages open, from their next load on. */
export async function writeDownSockets(pages: BrowserContext): Promise<void> {
  await pages.addInitScript(`
    window.openSockets = new Set();
    window.WebSocket = class extends WebSocket {
      constructor(...terms) {
        super(...terms);
        this.addEventListener("open", () => window.openSockets.add(this.url));
      }
    };
  `);
}

/** Resolves when the page follows the account's streams of both surfaces: what happens before is announced to nobody. */
export async function untilFollowing(page: Page): Promise<void> {
  const ofAccount = `[...window.openSockets].filter((url) => url.includes("?streams="))`;
  await untilTrue(page, `${ofAccount}.length >= 2`);
}
