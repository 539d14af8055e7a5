// Proves that the example of every route in the REST reference works as printed. The examples run in one shell,
// after the blocks of docs/guides/run-the-examples.md.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answerSchemas } from "../../schemas/http/generated/answer-schemas.ts";
import { until } from "../epochs/epoch-waits.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { compareForms } from "./answer-forms.ts";
import { blocksIn } from "./document-blocks.ts";
import { placeOf, refused } from "./example-order.ts";
import { ShellSession } from "./shell-session.ts";

/** Commands that wait until the example of a route can succeed. */
const waits: Readonly<Record<string, string>> = {
  "GET /v1/chain/proof/me":
    'until curl -sf "$V/v1/chain/proof?ref_id=o-1" > /dev/null; do sleep 0.2; done',
};

interface Sampled {
  readonly "x-codeSamples": ReadonlyArray<{ readonly source: string }>;
}

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open({ DEV_TOOLS: "1", EPOCH_SECONDS: "1" });
  await fixture.trader();
  await until("the first proof", async () => {
    const { status } = await fetch(`${fixture.address}/v1/chain/proof?seq=1`);
    return status === 200 ? status : null;
  });
});
after(() => fixture.close());

/** Returns the JSON that an example printed; undefined if the output is not JSON or the example was refused. */
function jsonOf(printed: string): unknown {
  const [text = "", isDone] = printed.split("== done");
  if (isDone === undefined || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // An example with two requests prints two answers, which are not one JSON text.
    return undefined;
  }
}

test("DOC-8 the example of every route works as printed", { timeout: 240_000 }, async () => {
  const { json } = await fixture.get("/openapi.json");
  const paths = json.paths as Record<string, Record<string, Sampled>>;
  const examples = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method !== "servers")
        .map(([method, operation]) => ({
          name: `${method.toUpperCase()} ${path}`,
          line: operation["x-codeSamples"][0]?.source ?? "",
        })),
    )
    .sort((one, other) => placeOf(one.name) - placeOf(other.name));
  assert(examples.length > 120);
  const session = new ShellSession({ address: fixture.address, env: { V: fixture.address } });
  const message = blocksIn("docs/guides/run-the-examples.md", "sh").map(({ text }) => text);
  // Each line handles its own failure, so that a failed example does not stop the others.
  const lines = examples.map(
    ({ name, line }) =>
      `${waits[name] ?? ":"}\nif ${line}; then echo; echo "== done"; else echo; echo "== failed"; fi`,
  );
  const { code, printed, complained } = await session.run([...message, ...lines]);
  session.close();
  assert.equal(code, 0, `${complained}\n${printed.at(-1)}`);
  const answers = printed.slice(message.length);
  const faults = examples.flatMap(({ name, line }, at) => {
    const answer = answers[at] ?? "";
    const message = refused[name];
    const isGood =
      message === undefined
        ? answer.includes("== done")
        : answer.includes(message) && answer.includes("== failed");
    return isGood ? [] : [`${name}: ${line}\n${answer.slice(0, 300)}`];
  });
  assert.deepEqual(faults, []);
  // The two API descriptions, openapi.json and asyncapi.json, have no schema in the reference.
  const told = examples
    .map(({ name }, at) => [name, jsonOf(answers[at] ?? "")] as const)
    .filter(([name, json]) => json !== undefined && !/api\.json$/.test(name));
  assert(told.length > 100, `only ${told.length} answers are JSON`);
  const known = { file: "answer-schemas.ts", name: "answerSchemas", forms: answerSchemas };
  compareForms({ ...known, only: "reference-examples" }, told);
});
