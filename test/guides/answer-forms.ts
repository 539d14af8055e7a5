// Compares answers that a venue gave with the JSON Schemas and the samples that the REST reference has for them. With
// UPDATE_REFERENCE=1 it instead writes both from these answers.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/tidy/tree.ts";
import { type AnswerSchema, answerSchemaOf, misfits } from "./answer-schema.ts";
import { type Answered, recordSamples, staleSamples } from "./sample-answers.ts";

export interface AnswerForms {
  /** Name of the generated file, below schemas/http/generated. */
  readonly file: string;
  /** Name of the constant that the file exports. */
  readonly name: string;
  readonly forms: Readonly<Record<string, object>>;
  /** Name of the file with the samples, in the same folder. */
  readonly samples: string;
  /** Value for `ONLY=` that runs the test which writes the file. */
  readonly only: string;
}

function write({ file, name, only }: AnswerForms, answers: readonly Answered[]): void {
  const routes = [...new Set(answers.map(([route]) => route))].sort();
  const rows = routes.map((route) => {
    const all = answers.filter(([one]) => one === route).map(([, json]) => json);
    return `"${route}": ${JSON.stringify(answerSchemaOf(all).items)},\n`;
  });
  const head = `// Generated: UPDATE_REFERENCE=1 make test ONLY=${only}. The form of each route's answer.
export const ${name}: Readonly<Record<string, object>> =`;
  const path = join(projectRoot, "schemas/http/generated", file);
  writeFileSync(path, `${head} {\n${rows.join("")}};\n`);
}

/**
 * Asserts that each answer matches its route's schema in the reference, and that the recorded samples do. With
 * UPDATE_REFERENCE=1 writes both.
 */
export function compareForms(known: AnswerForms, answers: readonly Answered[]): void {
  if (process.env["UPDATE_REFERENCE"] === "1") {
    write(known, answers);
    recordSamples(known.samples, answers);
    return;
  }
  const forms = known.forms as Readonly<Record<string, AnswerSchema | undefined>>;
  const faults = answers.flatMap(([route, json]) => {
    const form = forms[route];
    return form === undefined ? [`${route} has no form`] : misfits(json, form, route);
  });
  assert.deepEqual(
    [...faults, ...staleSamples(known.samples, answers, forms)],
    [],
    `the reference is stale: run UPDATE_REFERENCE=1 make test ONLY=${known.only}`,
  );
}
