// The published page of what clients of other languages did in the run that was just made: a table of
// clients and features, in which a cell holds only if every step of it passed, and each step by name.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/tree.ts";
import { type DriverReport, driverFeatures } from "./driver-process.ts";
import type { OutsideClient } from "./outside-clients.ts";

const path = join(projectRoot, "docs/reference/clients.md");

const head = `# Clients of other languages

What each published package did, unmodified and at the version named, against one venue whose books move, in
the run that wrote this page: \`UPDATE_REFERENCE=1 make slow ONLY=test/clients\`. [The guide](../guides/clients.md)
says how each is pointed at a venue. A cell says "yes" if every step of it passed, "no" if one did not, and is empty
where the client has no such part. "book" means that the client's own local book, kept by its own code from the
diff or partial depth stream, equalled the venue's at four different moments while levels came and went.

`;

/** The page for these runs. */
export function renderedPage(reports: ReadonlyMap<OutsideClient, DriverReport>): string {
  const rule = `|${"---|".repeat(driverFeatures.length + 3)}`;
  const rows = [...reports].map(([client, report]) => {
    const cells = driverFeatures.map((feature) => cellOf(report, feature));
    const row = [client.title, client.packages.join(", "), client.language, ...cells];
    return `| ${row.join(" | ")} |\n`;
  });
  const table = `| Client | Packages | Language | ${driverFeatures.join(" | ")} |\n${rule}\n`;
  const parts = [...reports].map(([client, report]) => stepsOf(client, report));
  return `${head}${table}${rows.join("")}\n${parts.join("\n")}`;
}

function cellOf({ steps }: DriverReport, feature: string): string {
  const own = steps.filter((step) => step.feature === feature);
  if (own.length === 0) return "";
  return own.every(({ error }) => error === "") ? "yes" : "no";
}

function stepsOf({ title, folder }: OutsideClient, { steps, fault }: DriverReport): string {
  const lines = steps.map(({ feature, name, error }) => {
    return `- ${feature}: ${name}${error === "" ? "" : " (**failed**)"}\n`;
  });
  const end = fault === "" ? "" : "- **did not come to its end**\n";
  return `## ${title}\n\nDriver: [test/clients/${folder}](../../test/clients/${folder}).\n\n${lines.join("")}${end}`;
}

/** The page as it stands in the project; empty where there is none. */
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
