// The answers that the REST reference shows beside its examples: recorded from a venue, with long lists shortened and
// without secrets. A recorded answer is kept as long as its example and its form are the same.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { projectRoot } from "../support/tidy/tree.ts";
import { type AnswerSchema, answerSchemaOf, misfits } from "./answer-schema.ts";

/** A route, such as `GET /v1/solvency`, with its answer, and the example that it answers if the page shows one. */
export type Answered = readonly [route: string, json: unknown, example?: string];

interface Recorded {
  readonly example: string;
  readonly answer: unknown;
}

type Recordings = Readonly<Record<string, Recorded | undefined>>;

/** A list keeps as many entries as fit into this many characters, at least one. */
const listMax = 1_400;

/** Fields that hold secrets. Those of a test's venue are worth nothing, but look as if they were. */
const secret = /^(key|secret|token|listenKey)$/;

function shortened(value: unknown, name = ""): unknown {
  if (secret.test(name)) return `<${name}>`;
  if (Array.isArray(value)) {
    const entries = value.map((entry) => shortened(entry));
    let room = listMax;
    const kept = entries.findIndex((entry) => {
      room -= JSON.stringify(entry).length;
      return room < 0;
    });
    return kept < 0 ? entries : entries.slice(0, Math.max(1, kept));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, shortened(inner, field)]),
  );
}

function pathOf(file: string): string {
  return join(projectRoot, "schemas/http/generated", file);
}

function recordingsIn(file: string): Recordings {
  return JSON.parse(readFileSync(pathOf(file), "utf8"));
}

/** Writes the recordings, one a line. Of several answers of one route the last is taken. */
export function recordSamples(file: string, answers: readonly Answered[]): void {
  const known = recordingsIn(file);
  const made = new Map(
    answers.map(([route, json, example = ""]): [string, Recorded] => {
      const answer = shortened(json);
      const old = known[route];
      const isSame =
        old?.example === example &&
        isDeepStrictEqual(answerSchemaOf(old.answer), answerSchemaOf(answer));
      return [route, isSame ? old : { example, answer }];
    }),
  );
  const lines = [...made.keys()]
    .sort()
    .map((route) => `${JSON.stringify(route)}: ${JSON.stringify(made.get(route))}`);
  writeFileSync(pathOf(file), `{\n${lines.join(",\n")}\n}\n`);
}

/** Returns the routes whose recording is missing, belongs to another example, or lacks the form of the answers. */
export function staleSamples(
  file: string,
  answers: readonly Answered[],
  forms: Readonly<Record<string, AnswerSchema | undefined>>,
): string[] {
  const known = recordingsIn(file);
  return answers.flatMap(([route, json, example = ""]) => {
    const recorded = known[route];
    if (recorded === undefined) return [`${route} has no recorded answer`];
    if (recorded.example !== example) return [`${route} has the answer of another example`];
    const isEmptier =
      Array.isArray(json) && json.length > 0 && isDeepStrictEqual(recorded.answer, []);
    if (isEmptier) return [`the recorded answer of ${route} is empty`];
    return misfits(recorded.answer, forms[route] ?? {}, route);
  });
}
