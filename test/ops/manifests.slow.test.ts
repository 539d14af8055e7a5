// Proves that Kubernetes and compose would accept the files of deploy/, by the schemas that they publish. Everything that
// the schemas do not say (ports, secrets, services) is in deploy-references.test.ts.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { pythonEnvironment } from "../clients/python-environment.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const run = promisify(execFile);
const deploy = join(projectRoot, "deploy");
const manifests = ["database", "gateway", "nats", "venue"].map((name) => `kubernetes/${name}.yaml`);

let python: string;
let folder: string;

before(async () => {
  python = await pythonEnvironment("manifests", "test/ops/manifests/requirements.txt");
  folder = await mkdtemp(join(tmpdir(), "rialto-manifests-"));
});
after(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

interface Found {
  readonly checked: readonly string[];
  readonly foreign: readonly string[];
  readonly faults: readonly string[];
}

async function faultsIn(...paths: readonly string[]): Promise<Found> {
  const script = join(projectRoot, "test/ops/manifests/faults.py");
  const { stdout } = await run(python, [script, ...paths], { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout) as Found;
}

/** What is wrong with a file of deploy/ in which one text is replaced by another. */
async function faultsWith(path: string, before: string, now: string): Promise<string> {
  const text = await readFile(join(deploy, path), "utf8");
  assert(text.includes(before), `${path} has no ${before}`);
  const changed = join(folder, "changed.yaml");
  await writeFile(changed, text.replace(before, now));
  return (await faultsIn(changed)).faults.join("\n");
}

test("OPS-49 every manifest has the form that Kubernetes 1.33 demands, strictly", async () => {
  const found = await faultsIn(...manifests.map((path) => join(deploy, path)));
  assert.deepEqual(found.faults, []);
  assert.equal(found.checked.length, 9, found.checked.join(", "));
  // Its schema comes with CloudNativePG's operator.
  assert.deepEqual(found.foreign, ["Cluster rialto-db"]);
});

test("OPS-49 compose.yaml has the form that the compose specification demands", async () => {
  const found = await faultsIn(join(deploy, "compose.yaml"));
  assert.deepEqual(found, { checked: ["compose"], foreign: [], faults: [] });
});

test("OPS-49 a wrong name, a wrong type and a missing field are found", async () => {
  const venue = "kubernetes/venue.yaml";
  assert.match(await faultsWith(venue, "replicas: 2", "replica: 2"), /'replica' was unexpected/);
  assert.match(await faultsWith(venue, "replicas: 2", "replicas: two"), /spec.replicas: 'two'/);
  assert.match(
    await faultsWith(venue, "  selector: { matchLabels: { app: rialto-venue } }\n", ""),
    /'selector' is a required property/,
  );
  assert.match(
    await faultsWith("kubernetes/gateway.yaml", "httpGet: { path:", "httpGet: { pfad:"),
    /StatefulSet rialto-gateway/,
  );
  const compose = "compose.yaml";
  assert.match(await faultsWith(compose, "healthcheck:", "healthchecks:"), /healthchecks/);
  assert.match(await faultsWith(compose, "restart: ", "restart: 5 # "), /restart/);
});
