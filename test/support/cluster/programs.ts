// The programs of a cluster, from Debian's packages. They are installed once if they are missing, this process is root
// and Debian's installer is there; otherwise the caller is told which are missing and must do without.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Longest installation, in milliseconds; another installation's lock is waited for two minutes of it. */
const installMsMax = 300_000;

/** Packages by a path that each of them brings. */
type Packages = Readonly<Record<string, string>>;

const packageByPath: Packages = {
  "/usr/lib/postgresql/15/bin/pg_rewind": "postgresql-15",
  "/usr/bin/patroni": "patroni",
  // Patroni needs it for etcd's API of version 2, and its package only recommends it.
  "/usr/lib/python3/dist-packages/etcd/__init__.py": "python3-etcd",
  // Patroni needs it for TLS to etcd, and its package only recommends it.
  "/usr/lib/python3/dist-packages/idna/__init__.py": "python3-idna",
  "/usr/bin/etcd": "etcd-server",
  "/usr/sbin/nats-server": "nats-server",
  "/usr/sbin/haproxy": "haproxy",
  "/usr/sbin/nft": "nftables",
  "/usr/bin/nsenter": "util-linux",
  "/usr/bin/tini": "tini",
  "/usr/sbin/ip": "iproute2",
};

/** The packages that a deployment needs too; the others only make the tests' machines. */
export const debianPackages: readonly string[] = Object.values(packageByPath).filter(
  (name) => !["nftables", "util-linux", "iproute2", "tini"].includes(name),
);

export const programs = {
  postgresFolder: "/usr/lib/postgresql/15/bin",
  patroni: "/usr/bin/patroni",
  etcd: "/usr/bin/etcd",
  nats: "/usr/sbin/nats-server",
  haproxy: "/usr/sbin/haproxy",
  /** Takes over the children of programs that have ended, as the first process of a machine does. */
  tini: "/usr/bin/tini",
} as const;

/** Returns the packages whose programs are missing. */
function missingPackages(packages: Packages): string[] {
  const missing = Object.entries(packages).filter(([path]) => !existsSync(path));
  return missing.map(([, name]) => name);
}

/** Installs missing programs if that is possible; returns the packages that are missing afterwards. */
export async function installPrograms(packages: Packages = packageByPath): Promise<string[]> {
  const missing = missingPackages(packages);
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    return missing;
  }
  const patient = ["-qq", "-o", "Acquire::Retries=3", "-o", "DPkg::Lock::Timeout=120"];
  const options = {
    timeout: installMsMax,
    // Debian would start the installed servers; this run starts its own.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  };
  // A failed download shows as packages that are still missing.
  await run("apt-get", [...patient, "update"], options).catch(() => undefined);
  const install = [...patient, "install", "-y", "--no-install-recommends", ...missing];
  await run("apt-get", install, options).catch(() => undefined);
  return missingPackages(packages);
}
