// Proves that what the files of deploy/ name exists: services, volumes, secrets, ports and the paths of probes. No
// container runtime checks them where this project is tested.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { projectRoot } from "../support/tidy/tree.ts";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: {
    readonly cluster: { readonly ipam: { readonly config: [{ readonly subnet: string }] } };
  };
}

interface ComposeService {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly volumes: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly networks: { readonly cluster: { readonly ipv4_address: string } };
}

const compose = parse(read("deploy/compose.yaml"), { merge: true }) as ComposeFile;
const services = Object.entries(compose.services);

/** The ports on which a service listens, by its variables. */
function portsOf({ environment }: ComposeService): string[] {
  return Object.entries(environment)
    .filter(([name]) => name === "PORT" || /LISTEN/.test(name))
    .map(([, value]) => /(\d+)"?$/.exec(value)?.[1] ?? "");
}

/** The hosts that addresses in these values name. */
function hostsIn(values: readonly string[]): string[] {
  const pattern = /(?:\/\/|@|,)([a-z]+(?:-[a-z])?):\d+/g;
  return values.flatMap((value) =>
    [...String(value).matchAll(pattern)].map(([, host = ""]) => host),
  );
}

test("OPS-49 services of compose depend on services, use volumes and addresses, that exist", () => {
  const names = new Set(Object.keys(compose.services));
  const addresses = services.map(([, { networks }]) => networks.cluster.ipv4_address);
  assert.equal(new Set(addresses).size, addresses.length, "each service has its own address");
  const prefix = compose.networks.cluster.ipam.config[0].subnet.replace(/\d+\/24$/, "");
  assert(addresses.every((address) => address.startsWith(prefix)));
  const needed = services.flatMap(([, { depends_on }]) => Object.keys(depends_on ?? {}));
  const called = services.flatMap(([, { environment }]) => hostsIn(Object.values(environment)));
  const unknown = [...needed, ...called].filter((name) => !names.has(name));
  assert.deepEqual(unknown, []);
  assert(needed.length > 5 && called.length > 20);
  const sources = services.flatMap(([, { volumes }]) =>
    volumes.map((volume) => volume.split(":")[0] ?? ""),
  );
  const used = new Set(sources.filter((source) => !source.startsWith(".")));
  assert.deepEqual([...used].sort(), Object.keys(compose.volumes).sort());
});

test("OPS-49 the probes of compose ask ports on which their service listens, and paths that it serves", () => {
  const served = ["/health", "/liveness", "/live", "/healthz"];
  for (const [name, service] of services) {
    if (service.healthcheck === undefined) {
      assert.equal(name, "gateway-rights", `${name} has no probe`);
      continue;
    }
    const text = service.healthcheck.test.join(" ");
    const [, port, path = ""] = /127\.0\.0\.1:(\d+)(\/\w+)/.exec(text) ?? [];
    if (port !== undefined) assert(portsOf(service).includes(port), `${name} has no port ${port}`);
    if (path !== "") assert(served.includes(path), `${name} serves no ${path}`);
  }
});

test("OPS-49 the guide names every secret that compose reads, and no other", () => {
  const wanted = new Set(
    [...read("deploy/compose.yaml").matchAll(/\$\{(\w+):\?\}/g)].map(([, name = ""]) => name),
  );
  const guide = read("docs/guides/run-on-three-machines.md");
  const section = /`deploy\/\.env`:([\s\S]*?)Use passwords/.exec(guide)?.[1] ?? "";
  const named = [...section.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
  assert.deepEqual(named.sort(), [...wanted].sort());
});

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: number };
  readonly tcpSocket?: { readonly port: number };
}

interface Container {
  readonly ports: readonly { readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly startupProbe?: Probe;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly serviceName: string;
    readonly selector: { readonly app?: string; readonly matchLabels?: { readonly app: string } };
    readonly ports: readonly { readonly port: number }[];
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly template: {
      readonly metadata: { readonly labels: { readonly app: string } };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

const manifests = ["database", "gateway", "nats", "venue"].flatMap((name) =>
  parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`)).map(
    (document) => document.toJS() as Manifest,
  ),
);
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const sets = ofKind("StatefulSet");

/** Asserts that probes ask ports that the container has open, and paths that its program serves. */
function assertProbes(of: string, { ports, ...probes }: Container): void {
  const open = ports.map(({ containerPort }) => containerPort);
  const { livenessProbe, readinessProbe, startupProbe } = probes;
  for (const probe of [livenessProbe, readinessProbe, startupProbe ?? livenessProbe]) {
    const port = probe.httpGet?.port ?? probe.tcpSocket?.port ?? 0;
    assert(open.includes(port), `${of} has no port ${port}`);
    const path = probe.httpGet?.path ?? "/health";
    assert(["/health", "/healthz"].includes(path), `${of} serves no ${path}`);
  }
}

test("OPS-49 probes, mounts and services of Kubernetes name ports, volumes and pods that exist", () => {
  assert.equal(sets.length, 3);
  const apps = new Map(
    sets.map(({ spec }) => [spec.template.metadata.labels.app, spec.template.spec] as const),
  );
  for (const { metadata, spec } of sets) {
    const { containers, volumes } = spec.template.spec;
    assert.equal(spec.selector.matchLabels?.app, spec.template.metadata.labels.app);
    assert(ofKind("Service").some((service) => service.metadata.name === spec.serviceName));
    for (const container of containers) assertProbes(metadata.name, container);
    const mounted = containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name));
    const claimed = (spec.volumeClaimTemplates ?? []).map((claim) => claim.metadata.name);
    const named = [...claimed, ...volumes.map(({ name }) => name)];
    assert.deepEqual(mounted.sort(), named.sort(), metadata.name);
  }
  for (const { metadata, spec } of ofKind("Service")) {
    const pod = apps.get(spec.selector.app ?? "");
    assert(pod !== undefined, `${metadata.name} selects no pod`);
    const open = pod.containers.flatMap(({ ports }) => ports.map((one) => one.containerPort));
    for (const { port } of spec.ports) assert(open.includes(port), `${metadata.name}: ${port}`);
  }
});

test("OPS-49 the secrets and hosts that Kubernetes uses are made by the cluster or listed in the kustomization", () => {
  const text = ["database", "gateway", "nats", "venue"]
    .map((name) => read(`deploy/kubernetes/${name}.yaml`))
    .join("\n");
  const used = new Set(
    [...text.matchAll(/secret(?:KeyRef|Ref|Name)?: *(?:\{ *(?:secretName|name): *)?([\w-]+)/g)].map(
      ([, name = ""]) => name,
    ),
  );
  // CloudNativePG makes these two for a cluster called rialto-db.
  const made = new Set(["rialto-db-app", "rialto-db-ca"]);
  const listed = read("deploy/kustomization.yaml");
  assert(used.size >= 6, [...used].join(" "));
  for (const name of used)
    assert(made.has(name) || new RegExp(`[ ;]${name} `).test(listed), `nobody makes ${name}`);
  const services = new Set(ofKind("Service").map(({ metadata }) => metadata.name));
  for (const { spec } of sets)
    for (const { env } of spec.template.spec.containers)
      for (const { name, value = "" } of env.filter((one) => /_URL$/.test(one.name)))
        for (const [, host = ""] of value.matchAll(/(?:\/\/|@)([a-z0-9.-]+):\d+/g)) {
          const service = host.split(".").at(-1) ?? "";
          assert(services.has(service) || host === "rialto-db-rw", `${name} calls ${host}`);
        }
});
