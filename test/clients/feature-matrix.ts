// Builds the feature matrix of the clients guide from the latest run: one row per feature, one column per client and
// surface. A cell is "yes" only if every step of the feature passed with HMAC and with Ed25519 keys.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/tidy/tree.ts";
import { features, type StepResult } from "./client-run.ts";
import { guidePage } from "./guide-snippets.ts";
import { type Subject, subjects, type View } from "./subjects.ts";

const start = "<!-- written by test/clients -->\n";
const end = "<!-- end -->\n";

const message: Readonly<Record<string, string>> = {
  "root compat": "yes",
  root: "root only",
  compat: "`/compat` only",
  "": "–",
};

export class FeatureMatrix {
  readonly #steps = new Map<string, readonly StepResult[]>();

  add(subject: string, view: View, steps: readonly StepResult[]): void {
    this.#steps.set(`${subject} ${view}`, steps);
  }

  /** Renders the two tables in the format of the guide. */
  text(): string {
    const of = (isSpot: boolean) =>
      Object.entries(subjects).filter(([, { trip }]) => trip.endsWith("spot") === isSpot);
    return `### Spot\n\n${this.#table(of(true))}\n### Perpetuals\n\n${this.#table(of(false))}`;
  }

  #table(columns: readonly (readonly [name: string, subject: Subject])[]): string {
    const heads = columns.map(([, { client }]) => `${client} ${versionOf(client)}`);
    const rows = features.map((feature) => {
      const cells = columns.map(([name, { views }]) => {
        const done = views.filter((view) => this.#isDone(`${name} ${view}`, feature));
        return message[done.join(" ")];
      });
      return cells.every((cell) => cell === "–") ? "" : `| ${[feature, ...cells].join(" | ")} |\n`;
    });
    const rule = `|${"---|".repeat(heads.length + 1)}`;
    return `| | ${heads.join(" | ")} |\n${rule}\n${rows.join("")}`;
  }

  #isDone(run: string, feature: string): boolean {
    const steps = (this.#steps.get(run) ?? []).filter((step) => step.feature === feature);
    return steps.length > 0 && steps.every(({ error }) => error === "");
  }
}

/** Returns the matrix that docs/guides/clients.md contains now. */
export function printedMatrix(): string {
  const page = readFileSync(guidePage, "utf8");
  return page.slice(page.indexOf(start) + start.length, page.indexOf(end));
}

export function printMatrix(text: string): void {
  const page = readFileSync(guidePage, "utf8");
  const [head, tail] = [page.indexOf(start) + start.length, page.indexOf(end)];
  writeFileSync(guidePage, page.slice(0, head) + text + page.slice(tail));
}

function versionOf(client: string): string {
  const { devDependencies } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  return devDependencies[client];
}
