// Proves that a front's answers are unchanged, byte for byte: repeats a recorded conversation on a front with the same
// history, over every route of every surface, the order sessions and the streams. UPDATE_REFERENCE=1 records the
// conversation again from the current documents; use it only after an intended change of an answer.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { projectRoot } from "../support/tidy/tree.ts";
import type { Exchange, Step } from "./conversation-steps.ts";
import { RepeatableFront } from "./repeatable-front.ts";
import { type RoutesDocument, serversOf, stepsOfRoutes } from "./route-steps.ts";
import { tradingSteps } from "./trading-steps.ts";

const page = join(projectRoot, "test/vectors/answers.jsonl.br");
const isUpdate = process.env["UPDATE_REFERENCE"] === "1";
const faultsShown = 5;
const charactersShown = 400;

let answered: RepeatableFront;
let routes: RoutesDocument;

before(async () => {
  answered = await RepeatableFront.open();
  routes = (await answered.front.fetch("/openapi.json")).json;
});
after(() => answered.close());

function kept(): Exchange[] {
  const text = brotliDecompressSync(readFileSync(page)).toString("utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Exchange);
}

/** Returns the request of a step in one line. */
function told(step: Step): string {
  if (step.do !== "http") return JSON.stringify(step).slice(0, charactersShown);
  const { method, path, by, pairs, body = "" } = step;
  return `${method} ${path}?${pairs.map((pair) => pair.join("=")).join("&")} ${body} by ${by}`;
}

/** Describes the first difference between two answers, with some text before it. */
function difference(step: Step, was: string, now: string): string {
  let at = 0;
  while (at < was.length && was[at] === now[at]) at++;
  const from = Math.max(0, at - 80);
  const shown = (text: string) => text.slice(from, from + charactersShown);
  return `${told(step)}\n--- was, from character ${from}\n${shown(was)}\n--- now\n${shown(now)}\n`;
}

test("every route, session and stream answers as recorded", async () => {
  const steps = isUpdate
    ? [...tradingSteps, ...stepsOfRoutes(routes)]
    : kept().map(({ step }) => step);
  const answers: string[] = [];
  for (const step of steps) answers.push(await answered.perform(step));
  if (isUpdate) {
    const lines = steps.map((step, at) => JSON.stringify({ step, answer: answers[at] }));
    writeFileSync(page, brotliCompressSync(Buffer.from(`${lines.join("\n")}\n`)));
  }
  const faults = kept().flatMap(({ step, answer }, at) =>
    answer === answers[at] ? [] : [difference(step, answer, answers[at] ?? "")],
  );
  const many = `${faults.length} of ${steps.length} answers are not what they were`;
  assert.equal(faults.length, 0, `${many}\n\n${faults.slice(0, faultsShown).join("\n")}`);
});

test("the conversation has valid and invalid requests to every documented route", async () => {
  const { paths, servers } = routes;
  const requested = new Map<string, Set<string>>();
  for (const { step, answer } of kept()) {
    if (step.do !== "http") continue;
    const route = `${step.method} ${step.path}`;
    requested.set(route, (requested.get(route) ?? new Set()).add(answer.slice(0, 3)));
  }
  const missing = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => method !== "servers")
      .flatMap((method) =>
        (serversOf(item) ?? servers).flatMap(({ url }) => {
          const form = `^${method.toUpperCase()} ${url.replace(/\/$/, "")}${path}$`;
          const pattern = new RegExp(form.replace(/\{\w+\}/g, "[^/]+"));
          return [...requested.keys()].some((route) => pattern.test(route)) ? [] : [form];
        }),
      ),
  );
  assert.deepEqual(missing, [], "record them: UPDATE_REFERENCE=1 make test ONLY=unchanged/answers");
});
