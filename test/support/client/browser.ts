// A real browser for tests of the terminal: Debian's Chromium. `make test` installs it if it is missing and can be
// installed.

import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const places = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** Long enough for a machine that is busy with other tests; on a usual one nothing waits so long. */
export const patienceMs = 120_000;

/** Opens a headless browser, whose pages are patient. Throws with instructions if none is installed. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = places.find((path) => path !== "" && existsSync(path));
  if (executablePath === undefined) {
    throw new Error("no Chromium: install Debian's package chromium, or set CHROMIUM to its path");
  }
  // Chromium cannot use its sandbox as root. It needs none here, because it opens only pages of the venue.
  const browser = await chromium.launch({
    ...{ executablePath, args: ["--no-sandbox"], timeout: patienceMs },
  });
  const newContext = browser.newContext.bind(browser);
  // A page of its own (`newPage`) has a context too.
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(patienceMs);
    return context;
  };
  const close = browser.close.bind(browser);
  // A page may ask for something while it is closed; a route that is under way then would fail the test.
  browser.close = async () => {
    const pages = browser.contexts().flatMap((context) => context.pages());
    await Promise.all(pages.map((page) => page.unrouteAll({ behavior: "ignoreErrors" })));
    await close();
  };
  return browser;
}
