// Checks that a page breaks no rule of axe-core, in the dark and in the light theme.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Another theme changes nothing but colours, so only these rules are checked in it. */
const rulesOfColours = ["color-contrast", "link-in-text-block"];

export interface AccessibilityTerms {
  /** What is checked, for the message of a failure. */
  readonly what: string;
  /** A selector of the parts that are checked; all of the page by default. */
  readonly within?: string;
}

/** Throws if the page breaks a rule of accessibility in one of the themes. */
export async function assertAccessible(
  page: Page,
  { what, within }: AccessibilityTerms,
): Promise<void> {
  // Evaluated, because the policy of the page refuses an added script.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe);
  const parts =
    within === undefined ? "document" : `document.querySelectorAll(${JSON.stringify(within)})`;
  for (const [theme, rules] of [
    ["dark", undefined],
    ["light", rulesOfColours],
  ] as const) {
    await page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
    // Of rules that are kept, it need not say where.
    const options = {
      resultTypes: ["violations"],
      ...(rules !== undefined && { runOnly: { type: "rule", values: rules } }),
    };
    const faults = await page.evaluate(
      `axe.run(${parts}, ${JSON.stringify(options)})
        .then(({ violations }) => violations.map(({ id, nodes }) =>
          id + ": " + nodes.slice(0, 5).map(({ html }) => html).join(" ")))`,
    );
    assert.deepEqual(faults, [], `${what}, ${theme}`);
  }
}
