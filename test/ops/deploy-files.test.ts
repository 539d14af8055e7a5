// Proves that the files of deploy/ fit together: compose, Kubernetes and systemd start the programs that the tests of a
// cluster run, with the same files and the same variables, and name only settings that the venue has.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { configSchema } from "../../schemas/config.ts";
import {
  type ClusterSecrets,
  etcdProgram,
  natsProgram,
  patroniEnvironment,
  proxyProgram,
} from "../support/cluster/cluster-programs.ts";
import { Host } from "../support/cluster/host.ts";
import type { openNetwork } from "../support/cluster/network.ts";
import { debianPackages } from "../support/cluster/programs.ts";
import { balancerProgram } from "../support/cluster/venue-programs.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const deploy = join(projectRoot, "deploy");
const read = (path: string) => readFileSync(join(deploy, path), "utf8");

interface ComposeService {
  readonly build: { readonly dockerfile: string };
  readonly env_file?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly healthcheck?: object;
}

const { services } = parse(read("compose.yaml"), { merge: true }) as {
  services: Readonly<Record<string, ComposeService>>;
};
const names = Object.keys(services);

/** A host that is never started, for the variables of its programs. */
function paperHost(name: string): Host {
  const certificate = { caFile: "ca.pem", certFile: "host.pem", keyFile: "host.key" };
  const network = { within: () => [] } as unknown as Awaited<ReturnType<typeof openNetwork>>;
  return new Host({ name, address: "10.0.0.1", folder: "/", certificate, network, user: null });
}

const nkey = { publicKey: "U", seed: "S" };
const secrets: ClusterSecrets = {
  ...{ superuser: "", replication: "", venue: "", gateway: "" },
  nkeys: { venue: nkey, gateway: nkey },
};

/** The variables that an environment file sets. */
function namesIn(file: string): string[] {
  return read(file).match(/^\w+(?==)/gm) ?? [];
}

function variablesOf(name: string): string[] {
  const { environment, env_file: file } = services[name] ?? assert.fail(`no service ${name}`);
  return [...Object.keys(environment), ...(file === undefined ? [] : namesIn(file))].sort();
}

test("OPS-49 compose gives each program the variables with which the tests run it", async () => {
  const etcd = ["etcd-a", "etcd-b", "etcd-c"].map(paperHost);
  for (const host of etcd) {
    const { environment } = await etcdProgram(host, etcd);
    assert.deepEqual(variablesOf(host.name), Object.keys(environment).sort());
  }
  const databases = ["pg-a", "pg-b", "pg-c"].map(paperHost);
  for (const host of databases)
    assert.deepEqual(
      variablesOf(host.name),
      Object.keys(patroniEnvironment(host, etcd, secrets)).sort(),
    );
  const { environment } = proxyProgram(paperHost("proxy"), databases);
  assert.deepEqual(variablesOf("proxy"), Object.keys(environment).sort());
  const balancer = balancerProgram(paperHost("balancer"), ["a:1", "b:1"]);
  assert.deepEqual(variablesOf("balancer"), Object.keys(balancer.environment).sort());
  const nats = ["nats-a", "nats-b"].map(paperHost);
  for (const host of nats)
    assert.deepEqual(
      variablesOf(host.name),
      Object.keys(natsProgram(host, nats, secrets).environment).sort(),
    );
});

test("OPS-49 compose mounts certificates for every service, and builds from files that exist", () => {
  assert(names.length >= 10);
  for (const name of names) {
    const { build, volumes } = services[name] ?? assert.fail(name);
    assert(existsSync(join(projectRoot, build.dockerfile)), name);
    assert(
      volumes.some((volume) => volume.startsWith(`./certificates/${name}:`)),
      name,
    );
  }
});

test("OPS-49 compose and Kubernetes set only settings that the venue has", () => {
  const known = new Set(Object.keys(configSchema.shape));
  const venues = names.filter((name) => /^(venue|gateway)-/.test(name));
  const set = venues.flatMap((name) => Object.keys(services[name]?.environment ?? {}));
  const pods = ["kubernetes/venue.yaml", "kubernetes/gateway.yaml"].flatMap(containers);
  // The password is only a part of DATABASE_URL.
  const named = pods
    .flatMap(({ env }) => env.map(({ name }) => name))
    .filter((name) => name !== "DATABASE_PASSWORD");
  const files = [
    "venue/venue.env",
    "venue/gateway.env",
    "etc/venue.env",
    "etc/gateway.env",
  ].flatMap(namesIn);
  assert(set.length > 3 && named.length > 8 && files.length > 8);
  assert.deepEqual(
    [...set, ...named, ...files].filter((name) => !known.has(name)),
    [],
  );
});

test("OPS-49 every unit of systemd has a complete example of the settings that compose sets", () => {
  /** Variables that units set themselves: where files are, and what Python needs. */
  const ofUnits = new Set(["DATA_DIR", "PYTHONUNBUFFERED"]);
  const examples: Readonly<Record<string, string>> = {
    "etcd-node": "etcd-a",
    database: "pg-a",
    nats: "nats-a",
    proxy: "proxy",
    venue: "venue-a",
    gateway: "gateway-a",
    balancer: "balancer",
  };
  assert.deepEqual(
    readdirSync(join(deploy, "etc")).sort(),
    Object.keys(examples)
      .map((name) => `${name}.env`)
      .sort(),
  );
  for (const [name, service] of Object.entries(examples)) {
    const set = Object.keys(services[service]?.environment ?? {});
    assert.deepEqual(
      namesIn(`etc/${name}.env`).sort(),
      set.filter((variable) => !ofUnits.has(variable)).sort(),
      name,
    );
    const unit = readdirSync(join(deploy, "systemd")).find((file) =>
      read(`systemd/${file}`).includes(`EnvironmentFile=/etc/rialto/${name}.env`),
    );
    assert(unit !== undefined, `no unit reads ${name}.env`);
  }
});

test("OPS-49 every venue of compose and Kubernetes takes part in the leadership and demands a standby", () => {
  const own = Object.fromEntries(
    (read("venue/venue.env").match(/^\w+=.*$/gm) ?? []).map((line) => line.split("=")),
  );
  assert.deepEqual([own["ROLE"], own["SYNCHRONOUS_STANDBY"]], ["auto", "required"]);
  for (const name of ["venue-a", "venue-b"])
    assert.equal(services[name]?.env_file, "venue/venue.env");
  const [venue] = containers("kubernetes/venue.yaml");
  const settingOf = (wanted: string) => venue?.env.find(({ name }) => name === wanted)?.value;
  assert.deepEqual([settingOf("ROLE"), settingOf("SYNCHRONOUS_STANDBY")], ["auto", "required"]);
  // Gateways write API keys and withdrawals, which also count only once a standby has them.
  assert.match(read("venue/gateway.env"), /^SYNCHRONOUS_STANDBY=required$/m);
  const [gateway] = containers("kubernetes/gateway.yaml");
  const standby = gateway?.env.find(({ name }) => name === "SYNCHRONOUS_STANDBY");
  assert.equal(standby?.value, "required");
});

interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly livenessProbe?: object;
  readonly readinessProbe?: object;
}

function containers(file: string): Container[] {
  return parseAllDocuments(read(file)).flatMap((document) => {
    const { kind, spec } = document.toJS() as {
      kind: string;
      spec: { template: { spec: { containers: Container[] } } };
    };
    return kind === "StatefulSet" ? spec.template.spec.containers : [];
  });
}

test("OPS-49 every container of Kubernetes has probes, and the kustomization names files that exist", () => {
  const kustomization = parse(read("kustomization.yaml")) as {
    resources: string[];
    configMapGenerator: { files: string[] }[];
  };
  const { resources, configMapGenerator } = kustomization;
  assert.deepEqual(
    resources.map((path) => path.replace("kubernetes/", "")).sort(),
    readdirSync(join(deploy, "kubernetes")).sort(),
  );
  for (const path of configMapGenerator.flatMap(({ files }) => files))
    assert(existsSync(join(deploy, path)), path);
  const found = resources.flatMap(containers);
  assert.equal(found.length, 3);
  for (const { livenessProbe, readinessProbe } of found)
    assert(livenessProbe !== undefined && readinessProbe !== undefined);
});

test("OPS-49 the image of the cluster has the packages with which the tests run, and runs without privileges", () => {
  const image = read("Containerfile");
  assert.match(image, /^USER postgres$/m);
  for (const name of debianPackages) assert(image.includes(` ${name} `), name);
  const copied = [...image.matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, paths = ""]) =>
    paths.split(" "),
  );
  assert(copied.length >= 3);
  for (const path of copied) assert(existsSync(join(projectRoot, path)), path);
});

test("OPS-49 the guide runs the operator's commands with the user, folder and settings of their units", () => {
  const guide = readFileSync(join(projectRoot, "docs/guides/run-on-three-machines.md"), "utf8");
  const all = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, found]) => found);
  for (const [name, unitName] of [
    ["rialto", "rialto-venue"],
    ["patronictl", "rialto-database"],
  ] as const) {
    const [, alias = ""] = new RegExp(`^alias ${name}='([^']*)'`, "m").exec(guide) ?? [];
    const unit = read(`systemd/${unitName}.service`);
    const files = all(unit, /^EnvironmentFile=(.*)$/gm);
    assert(files.length > 0);
    assert.deepEqual(all(alias, /--property=EnvironmentFile=(\S+)/g), files);
    assert.deepEqual(all(alias, /--uid=(\S+)/g), all(unit, /^User=(.*)$/gm));
    assert.deepEqual(
      all(alias, /--working-directory=(\S+)/g),
      all(unit, /^WorkingDirectory=(.*)$/gm),
    );
    assert.deepEqual(
      all(alias, /--setenv=(DATA_DIR=\S+)/g),
      all(unit, /^Environment=(DATA_DIR=.*)$/gm),
    );
    // The last word of both is the same: the program, or its configuration.
    const [last] = all(unit, /^ExecStart=.*?(\S+\.(?:js|yml))/gm);
    assert(alias.endsWith(` ${last}`), alias);
  }
});

const systemdAnalyze = "/usr/bin/systemd-analyze";

test("OPS-49 systemd accepts the units of the cluster", {
  skip: existsSync(systemdAnalyze)
    ? false
    : "no systemd-analyze here: Debian's package systemd has it",
}, () => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-units-"));
  const units = readdirSync(join(deploy, "systemd"));
  assert.equal(units.length, 7);
  for (const name of units) {
    const unit = read(`systemd/${name}`);
    for (const [, path = ""] of unit.matchAll(/\/opt\/rialto\/(\S+)/g))
      assert(existsSync(join(projectRoot, path)), path);
    // Check a copy whose program, users and folders exist here.
    const local = unit
      .replaceAll("/opt/rialto", projectRoot)
      .replace(/^ExecStart=\S+/m, "ExecStart=/bin/true")
      .replace(/^(User|Group|EnvironmentFile)=.*\n/gm, "");
    writeFileSync(join(folder, name), local);
    execFileSync(systemdAnalyze, ["verify", join(folder, name)], { stdio: "pipe" });
  }
  rmSync(folder, { recursive: true });
});
