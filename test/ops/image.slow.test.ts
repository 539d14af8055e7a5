// Proves that the container files can be built, and that what they build runs as docs/ops/Containerfile says: by a user
// without privileges, on a read-only root, with only its data folder to write, and with nothing in it that a venue does
// not need. Where no registry answers, the base images are made of Debian's and npm's packages; the test says which.

import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { until } from "../epochs/epoch-waits.ts";
import { blocksOf } from "../guides/document-blocks.ts";
import { ContainerBuilder, installBuilder } from "../support/cluster/container-builder.ts";
import { SynchronousPair } from "../support/cluster/synchronous-pair.ts";
import { freePort } from "../support/free-port.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const missing = await installBuilder();
const skip = missing.length === 0 ? false : `missing: ${missing.join(", ")}`;
const program = "dist/bundle/src/venue/rialto.js";
const startMsMax = 120_000;

let builder: ContainerBuilder;

before(async () => {
  if (skip !== false) return;
  builder = await ContainerBuilder.open();
});
after(() => builder?.close());

/** Provides the base images that a container file names. */
async function provideBases(t: TestContext, file: string): Promise<void> {
  const text = await readFile(join(projectRoot, file), "utf8");
  const bases = new Set([...text.matchAll(/^FROM (\S+)/gm)].map(([, name = ""]) => name));
  assert(bases.size > 0);
  for (const base of bases) {
    const node = /^node:(\d+)/.exec(base)?.[1] ?? null;
    const origin = await builder.provideBase(`docker.io/library/${base}`, node);
    t.diagnostic(`${file}: its base ${base} was ${origin}`);
  }
}

/** A container in which a test can look around: each container is a copy of its image, which takes time. */
function startQuiet(image: string): Promise<void> {
  return builder.start(image, image, { command: ["sleep", "3600"] });
}

const rialto = (...words: readonly string[]) => builder.run("rialto", "node", program, ...words);

test("OPS-21 the venue's image is built, and its program starts", { skip }, async (t) => {
  await provideBases(t, "docs/ops/Containerfile");
  await builder.build("rialto", join(projectRoot, "docs/ops/Containerfile"), projectRoot);
  await startQuiet("rialto");
  const { version } = JSON.parse(await readFile(join(projectRoot, "package.json"), "utf8"));
  assert.equal((await rialto("--version")).trim(), version);
  assert.match(await rialto("doctor", "--help"), /Usage: rialto doctor/);
});

test("OPS-21 the image has no sources, no development packages and no secrets", {
  skip,
}, async () => {
  const found = await builder.run(
    "rialto",
    "find",
    "/opt/rialto",
    "-not",
    "-path",
    "*/node_modules/*/*",
  );
  const files = found.split("\n").map((path) => path.replace("/opt/rialto", "").slice(1));
  const top = new Set(files.map((path) => path.split("/")[0] ?? "").filter((name) => name !== ""));
  assert.deepEqual([...top].sort(), ["dist", "node_modules", "package.json", "sql"]);
  assert.deepEqual(
    files.filter((path) =>
      /\.ts$|(^|\/)(\.git|\.env|certificates)(\/|$)|\.(key|pem|nk)$/.test(path),
    ),
    [],
  );
  const { devDependencies } = JSON.parse(
    await readFile(join(projectRoot, "package.json"), "utf8"),
  ) as { readonly devDependencies: Readonly<Record<string, string>> };
  const installed = await builder.run("rialto", "ls", "/opt/rialto/node_modules");
  const names = new Set(installed.split("\n"));
  assert(names.has("pg") && names.has("uWebSockets.js"));
  assert.deepEqual(
    Object.keys(devDependencies).filter((name) => names.has(name)),
    [],
  );
  const data = await builder.run("rialto", "find", "/var/lib/rialto");
  assert.equal(data.trim(), "/var/lib/rialto", "the data folder is empty");
});

test("OPS-21 the image's user has no privileges and can write only its data and /tmp", {
  skip,
}, async () => {
  assert.equal((await builder.run("rialto", "id", "-u")).trim(), "999");
  const script = `for place in / /opt/rialto /etc /var/lib/rialto /tmp; do
    touch $place/mark 2>/dev/null && echo $place; done; true`;
  const written = await builder.run("rialto", "sh", "-c", script);
  assert.deepEqual(written.trim().split("\n"), ["/var/lib/rialto", "/tmp"]);
});

test("OPS-21 a container serves a venue on a database outside, is healthy, and stops in order", {
  skip,
}, async (t) => {
  const pair = await SynchronousPair.start();
  t.after(() => pair.close());
  const port = await freePort();
  const settings = {
    ...{ DATABASE_URL: pair.url, MASTER_KEY: "22".repeat(32), HOST: "127.0.0.1" },
    ...{ PUBLIC_URL: "https://venue.example", LEDGER_PROFILE: "none", PORT: String(port) },
  };
  const variables = Object.entries(settings).map(([name, value]) => `--env=${name}=${value}`);
  const health = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
    return answer?.status === 200 ? ((await answer.json()) as { readonly seq: number }) : null;
  };
  for (const name of ["first", "second"]) {
    // The second container has the first one's data.
    await builder.start(name, "rialto", {
      options: ["--volume=rialto-data:/var/lib/rialto", ...variables],
    });
    await until(`${name} to serve`, health, startMsMax).catch(async (error: unknown) => {
      assert.fail(`${error}\n${await builder.podman(["logs", name])}`);
    });
    await builder.podman(["healthcheck", "run", name]);
    const user = await builder.podman(["exec", name, "id", "-u"]);
    assert.equal(user.trim(), "999");
    await builder.podman(["stop", "--time=60", name]);
    const code = await builder.podman(["inspect", "--format={{.State.ExitCode}}", name]);
    assert.equal(code.trim(), "0", await builder.podman(["logs", name]));
  }
});

test("OPS-49 the cluster's image is built, and has each program, for a user without privileges", {
  skip,
}, async (t) => {
  await provideBases(t, "deploy/Containerfile");
  await builder.build("cluster", join(projectRoot, "deploy/Containerfile"), projectRoot);
  await startQuiet("cluster");
  assert.equal((await builder.run("cluster", "id", "-u")).trim(), "5432");
  const programs = ["patroni --version", "etcd --version", "nats-server --version", "haproxy -v"];
  for (const words of programs) await builder.run("cluster", ...words.split(" "));
  const files = await builder.run("cluster", "ls", "/etc/rialto", "/var/lib/rialto-db");
  for (const name of [
    "nats.conf",
    "haproxy.cfg",
    "clients.cfg",
    "patroni.yml",
    "archive-wal.sh",
    "pg_service.conf",
  ])
    assert(files.includes(name), name);
});

test("REW-153 the image for tests of others runs those of the guide, in Node and Python", {
  skip,
}, async () => {
  const file = join(projectRoot, "examples/rewind/ci/Containerfile");
  await builder.build("rialto-test", file, projectRoot);
  const programs = await mkdtemp(join(tmpdir(), "rialto-bot-"));
  await chmod(programs, 0o755);
  for (const { name, text } of blocksOf("docs/guides/test-your-bot.md"))
    if (name !== null) await writeFile(join(programs, name), text);
  await builder.start("rialto-test", "rialto-test", {
    options: [`--volume=${programs}:/bot:ro`],
    command: ["sleep", "3600"],
  });
  const node = await builder.run("rialto-test", "node", "--test", "quoter.mjs");
  assert.match(node, /# pass 1\n/);
  const pytest = ["python3", "-m", "pytest", "-p", "no:cacheprovider", "test_quoter.py"];
  assert.match(await builder.run("rialto-test", ...pytest), /1 passed/);
  await rm(programs, { recursive: true });
});
