// Proves that the venue answers as its OpenAPI document says. Schemathesis derives valid and invalid requests from
// the document; the status, content type and schema of every answer must be documented.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { pythonEnvironment } from "../clients/python-environment.ts";
import { NativeClient, newWallet } from "../support/client/native-client.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

const folder = "test/reference/schemathesis";
const runMs = 20 * 60_000;

const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
  "unsupported_method",
];

/** Logging out would end the session that the other requests use. */
const excluded = ["/v1/wallet/logout"];

let venue: VenueFixture;
let python = "";
let index = "";
let trader: Trader;
let session = "";

before(async () => {
  python = await pythonEnvironment("schemathesis", `${folder}/requirements.txt`);
  index = await mkdtemp(join(tmpdir(), "rialto-schemathesis-"));
  venue = await VenueFixture.open({ DEV_TOOLS: "1", TRUSTED_PROXIES: "127.0.0.1" });
  trader = await venue.trader();
  const user = new NativeClient(venue.address);
  await user.login(newWallet());
  session = user.token;
});
after(async () => {
  await venue.close();
  await rm(index, { recursive: true, force: true });
});

interface Document {
  readonly paths: Record<string, { readonly servers?: ReadonlyArray<{ readonly url: string }> }>;
}

/** Writes a copy of the document with the paths of one view only, and returns the file's path. */
async function documentOf(view: "" | "/compat"): Promise<string> {
  const document = (await venue.get("/openapi.json")).json as Document;
  const kept = Object.entries(document.paths).filter(
    ([path, { servers }]) =>
      !excluded.includes(path) && (servers === undefined || servers[0]?.url === (view || "/")),
  );
  const file = join(index, `openapi${view.replace("/", "-")}.json`);
  await writeFile(file, JSON.stringify({ ...document, paths: Object.fromEntries(kept) }));
  return file;
}

/** Runs a program of the Python environment; returns its output and whether it succeeded. */
function ran(program: string, args: readonly string[]): Promise<{ isGood: boolean; text: string }> {
  const env = {
    ...process.env,
    KEY: trader.key,
    SECRET: trader.secret,
    SESSION: session,
    SCHEMATHESIS_HOOKS: "hooks",
    PYTHONPATH: join(projectRoot, folder),
  };
  return new Promise((resolve) => {
    const options = { env, cwd: index, timeout: runMs, maxBuffer: 1 << 26 };
    execFile(join(dirname(python), program), args, options, (fault, stdout, stderr) =>
      resolve({ isGood: fault === null, text: `${stdout}\n${stderr}` }),
    );
  });
}

test("OPS-46 the document is valid OpenAPI", async () => {
  const file = join(index, "whole.json");
  await writeFile(file, await readFile(join(projectRoot, "dist/reference/openapi.json")));
  const { isGood, text } = await ran("openapi-spec-validator", [file]);
  assert.ok(isGood, text);
});

for (const view of ["", "/compat"] as const) {
  test(`OPS-46 the document describes every answer under ${view === "" ? "the root" : view}`, async () => {
    const file = await documentOf(view);
    const { isGood, text } = await ran("schemathesis", [
      `--config-file=${join(projectRoot, folder, "schemathesis.toml")}`,
      "run",
      file,
      `--url=${venue.address}${view}`,
      `--checks=${checks.join(",")}`,
      "--phases=examples,coverage,fuzzing",
      "--max-examples=10",
      "--seed=1",
      "--generation-deterministic",
      "--continue-on-failure",
      "--suppress-health-check=all",
      "--warnings=off",
      "--no-color",
    ]);
    assert.ok(isGood, text.slice(-20_000));
  });
}
