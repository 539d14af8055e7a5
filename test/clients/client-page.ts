// Writes docs/reference/clients.md, the published test results of clients in other languages: a table of clients and
// features, then the steps of each client by name. The table says "yes" for a feature of a client only if every step of
// that feature passed.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/tidy/tree.ts";
import { type DriverReport, driverFeatures } from "./driver-process.ts";
import type { OutsideClient } from "./outside-clients.ts";

/** Ends the line of a step that failed. */
const failedMark = " (**failed**)";

const path = join(projectRoot, "docs/reference/clients.md");

const head = `# Clients in other languages

This page has test results of published client packages, unmodified and at the listed versions, against a venue with moving
books. \`UPDATE_REFERENCE=1 make slow ONLY=test/clients\` runs the tests and writes this page; [the guide](../guides/clients.md)
says how to connect each client to a venue. "yes" means that every step passed, and "no" that a step failed; a cell is empty if
the client has no such feature. "book" means that the client's own local book, built from the diff or partial depth stream,
equalled the venue's at four moments while levels changed. Below the table, each client has a list of its test steps: first the
feature, then what the step does.

`;

/**
 * Renders the page with new results for the clients in `reports`; the other clients keep their published results.
 */
export function renderedPage(
  clients: readonly OutsideClient[],
  reports: ReadonlyMap<OutsideClient, DriverReport>,
): string {
  const before = publishedPage();
  const rule = `|${"---|".repeat(driverFeatures.length + 3)}`;
  const rows = clients.map((client) => {
    const report = reports.get(client);
    return report === undefined ? rowIn(before, client) : rowOf(client, report);
  });
  const parts = clients.map((client) => {
    const report = reports.get(client);
    return report === undefined ? stepsIn(before, client) : stepsOf(client, report);
  });
  const table = `| Client | Packages | Language | ${driverFeatures.join(" | ")} |\n${rule}\n`;
  return `${head}${table}${rows.join("")}\n${parts.join("\n")}`;
}

type StepResult = Pick<DriverReport["steps"][number], "feature" | "error">;

function rowOf(
  { title, packages, language }: OutsideClient,
  { steps }: { readonly steps: readonly StepResult[] },
): string {
  const cells = driverFeatures.map((feature) => cellOf(steps, feature));
  return `| ${[title, packages.join(", "), language, ...cells].join(" | ")} |\n`;
}

/** The row of a client that did not run now: its published packages, and features as its published steps say. */
function rowIn(page: string, client: OutsideClient): string {
  const row = page.split("\n").find((line) => line.startsWith(`| ${client.title} |`));
  if (row === undefined) return "";
  const packages = (row.split(" | ")[1] ?? "").split(", ");
  const lines = stepsIn(page, client).matchAll(/^- ([a-z ]+): .*$/gm);
  const steps = [...lines].map(([line, feature = ""]) => ({
    feature: feature as StepResult["feature"],
    error: line.endsWith(failedMark) ? "failed" : "",
  }));
  return rowOf({ ...client, packages }, { steps });
}

function stepsIn(page: string, { title }: OutsideClient): string {
  const part = page.split("\n## ").find((one) => one.startsWith(`${title}\n`));
  return part === undefined ? "" : `## ${part.trimEnd()}\n`;
}

function cellOf(steps: readonly StepResult[], feature: string): string {
  const own = steps.filter((step) => step.feature === feature);
  if (own.length === 0) return "";
  return own.every(({ error }) => error === "") ? "yes" : "no";
}

function stepsOf({ title, folder }: OutsideClient, { steps, fault }: DriverReport): string {
  const lines = steps.map(({ feature, name, error }) => {
    return `- ${feature}: ${name}${error === "" ? "" : failedMark}\n`;
  });
  const end = fault === "" ? "" : "- **did not finish**\n";
  return `## ${title}\n\nDriver: [test/clients/${folder}](../../test/clients/${folder}).\n\n${lines.join("")}${end}`;
}

/** Returns the published page, or an empty string if the project has none yet. */
export function publishedPage(): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

export function publishPage(page: string): void {
  writeFileSync(path, page);
}
