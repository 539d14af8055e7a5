// Creates the house accounts and API keys of a fleet. They are created once through the operator's calls, stored in the
// venue's data folder with the file permissions of the venue's secrets, and reused by the next fleet. New accounts get
// test funds if the venue has development tools; otherwise the operator must fund them.

import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import {
  createLoadKey,
  type Funding,
  fundings,
  fundLoadAccount,
  sideBySide,
} from "../load/load-accounts.ts";
import type { LoadKey } from "../load/signed-requests.ts";

const roles = ["mm", "taker"] as const;
export type FleetRole = (typeof roles)[number];

/** Reserved label prefixes of the operator's keys, by which `/v1/traffic/mm` recognises the fleet. */
const labels: Readonly<Record<FleetRole, string>> = { mm: "mm-fleet", taker: "taker-fleet" };

const amounts: readonly Funding[] = [...fundings, ["perp", "USDC", "1000000"]];
/** File mode that lets only the operator read the file, as for the venue's other secrets. */
const secretMode = 0o600;

const storedKeys = z.array(
  z.object({
    role: z.enum(roles),
    account: z.number().int().positive(),
    key: z.string().min(1),
    secret: z.string().min(1),
  }),
);
type StoredKey = z.output<typeof storedKeys>[number];

export type FleetKeys = Readonly<Record<FleetRole, readonly LoadKey[]>>;

/**
 * Returns `count` keys of each role; keys stored in the data folder come first, and missing ones are created.
 * `progress` reports the created keys. Throws if new accounts could not be funded, but stores their keys.
 */
export async function fleetKeys(
  dataDir: string,
  count: Readonly<Record<FleetRole, number>>,
  progress: (ready: number, missing: number) => void,
): Promise<FleetKeys> {
  const file = join(dataDir, "fleet.json");
  const stored = await readStored(file);
  const wanted = roles.flatMap((role) => {
    const there = stored.filter((key) => key.role === role).length;
    return Array.from({ length: Math.max(0, count[role] - there) }, () => role);
  });
  const made = await sideBySide(
    wanted.length,
    (ready) => progress(ready, wanted.length),
    async (turn): Promise<StoredKey> => {
      const role = wanted[turn] ?? "mm";
      return { role, ...(await createLoadKey(dataDir, { type: "house", label: labels[role] })) };
    },
  );
  const all = [...stored, ...made];
  if (made.length > 0) await keep(file, all);
  await giveMoney(dataDir, made, file);
  const of = (role: FleetRole) => all.filter((key) => key.role === role).slice(0, count[role]);
  return { mm: of("mm"), taker: of("taker") };
}

async function giveMoney(dataDir: string, made: readonly StoredKey[], file: string): Promise<void> {
  const ignore = () => undefined;
  const give = (turn: number) => fundLoadAccount(dataDir, made[turn]?.account ?? 0, amounts);
  await sideBySide(made.length, ignore, give).catch((fault: unknown) => {
    const accounts = made.map(({ account }) => account).join(", ");
    throw new Error(
      `the new house accounts could not be funded: ${accounts}. Their keys are in ${file}; fund them and ` +
        "start the fleet again",
      { cause: fault },
    );
  });
}

async function readStored(file: string): Promise<StoredKey[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  try {
    return storedKeys.parse(JSON.parse(text));
  } catch {
    // The message omits the file's content, which is secret.
    throw new Error(`${file} is not a file of fleet keys; move it away to create new keys`);
  }
}

/** Writes the file atomically, because the secrets of new keys cannot be shown again. */
async function keep(file: string, keys: readonly StoredKey[]): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(keys, null, 1)}\n`, { mode: secretMode });
  await rename(`${file}.new`, file);
}
