// The calls of a test bed's control socket, for the packages that tests use and for the command line. They are JSON over
// HTTP on a Unix socket in the test bed's folder, like those of a venue.

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import * as z from "zod";
import { configSchema } from "../../../schemas/config.ts";
import { WrongValue } from "../operator/operator-commands.ts";
import type { Testbed } from "./testbed.ts";

/** Settings that make a venue one of the test bed. */
const ownSettings: ReadonlySet<string> = new Set([
  ...["DEV_TOOLS", "HOST", "PORT", "DATA_DIR", "DATABASE_URL", "NODE_ENV", "ROLE", "NATS_URL"],
  "FAULT_PORT",
]);
const settingBytesMax = 4_096;
const names: ReadonlySet<string> = new Set(Object.keys(configSchema.shape));

const setting = z.string().max(settingBytesMax);
const openRequest = z.strictObject({
  owner_pid: z.number().int().positive().nullable().default(null),
  settings: z.record(z.string(), setting).default({}),
});
const closeRequest = z.strictObject({ id: z.string().max(64) });

/** The folder of the test bed that packages start if they are not given one. */
export function testbedFolder(environment: NodeJS.ProcessEnv): string {
  const cache = environment["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return resolve(cache, "rialto", "testbed");
}

/** Returns a function that handles every call by its name. */
export function testbedCalls(bed: Testbed): (call: string, given: unknown) => Promise<unknown> {
  const calls: Readonly<Record<string, (given: unknown) => Promise<unknown>>> = {
    ping: async () => ({ pid: process.pid }),
    "venues/list": async () => bed.venues(),
    "venues/open": async (given) => {
      const { owner_pid: ownerPid, settings } = parsed(openRequest, given);
      for (const name of Object.keys(settings)) checkSetting(name);
      return bed.openVenue({ ownerPid, settings });
    },
    "venues/close": async (given) => {
      await bed.closeVenue(parsed(closeRequest, given).id);
      return {};
    },
  };
  return async (call, given) => {
    const handle = Object.hasOwn(calls, call) ? calls[call] : undefined;
    if (handle === undefined) throw new Error(`a test bed does not support the call ${call}`);
    return handle(given);
  };
}

function checkSetting(name: string): void {
  if (ownSettings.has(name))
    throw new WrongValue(`settings.${name}: the test bed itself sets it: leave it out`);
  if (!names.has(name))
    throw new WrongValue(
      `settings.${name}: a venue has no such setting; see docs/reference/config.md`,
    );
}

function parsed<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const read = schema.safeParse(given ?? {});
  if (read.success) return read.data;
  const lines = read.error.issues.map(({ path, message }) =>
    [...(path.length > 0 ? [path.join(".")] : []), message].join(": "),
  );
  throw new WrongValue(lines.join("\n"));
}
