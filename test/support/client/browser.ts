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

/** Opens a headless browser. Throws with instructions if none is installed. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = places.find((path) => path !== "" && existsSync(path));
  if (executablePath === undefined) {
    throw new Error("no Chromium: install Debian's package chromium, or set CHROMIUM to its path");
  }
  // Chromium cannot use its sandbox as root. It needs none here, because it opens only pages of the venue.
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const close = browser.close.bind(browser);
  // A page may ask for something while it is closed; a route that is under way then would fail the test.
  browser.close = async () => {
    const pages = browser.contexts().flatMap((context) => context.pages());
    await Promise.all(pages.map((page) => page.unrouteAll({ behavior: "ignoreErrors" })));
    await close();
  };
  return browser;
}
