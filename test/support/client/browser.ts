// A real browser for tests of the terminal: Debian's Chromium, which `make test` installs where it is
// missing and can.

import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const places = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** Opens a browser without a window. Throws with what to do where none is installed. */
export function openBrowser(): Promise<Browser> {
  const executablePath = places.find((path) => path !== "" && existsSync(path));
  if (executablePath === undefined) {
    throw new Error("no Chromium: install Debian's package chromium, or set CHROMIUM to its path");
  }
  // As root a browser has no sandbox; what it opens here is the venue alone.
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
