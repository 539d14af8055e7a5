// The forms of answers that the reference shows: compared with answers a venue gave, or, with UPDATE_REFERENCE=1,
// written from them.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/tidy/tree.ts";
import { type AnswerSchema, answerSchemaOf, misfits } from "./answer-schema.ts";

export interface AnswerForms {
  /** Of the generated file, below schemas/http/generated. */
  readonly file: string;
  /** What the file exports. */
  readonly name: string;
  readonly forms: Readonly<Record<string, object>>;
  /** The word for ONLY= that writes it anew. */
  readonly only: string;
}

/** A route, as `GET /v1/solvency`, and its answer; a route may have several. */
export type Answered = readonly [route: string, json: unknown];

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

/** Each answer has the form that the reference says of it. */
export function compareForms(known: AnswerForms, answers: readonly Answered[]): void {
  if (process.env["UPDATE_REFERENCE"] === "1") {
    write(known, answers);
    return;
  }
  const forms = known.forms as Readonly<Record<string, AnswerSchema | undefined>>;
  const faults = answers.flatMap(([route, json]) => {
    const form = forms[route];
    return form === undefined ? [`${route} has no form`] : misfits(json, form, route);
  });
  assert.deepEqual(faults, [], `stale: UPDATE_REFERENCE=1 make test ONLY=${known.only}`);
}
