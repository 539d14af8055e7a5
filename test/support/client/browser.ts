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
export function openBrowser(): Promise<Browser> {
  const executablePath = places.find((path) => path !== "" && existsSync(path));
  if (executablePath === undefined) {
    throw new Error("no Chromium: install Debian's package chromium, or set CHROMIUM to its path");
  }
  // Chromium cannot use its sandbox as root. It needs none here, because it opens only pages of the venue.
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
