// House accounts and their keys for a fleet: made once by the operator's calls, kept in the venue's data
// folder with the rights of its secrets, and used again by the next fleet. New ones get money that nobody
// deposited where the venue has development tools; without, the operator has to see to that.

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

/** The operator's keys may have these prefixes; by them `/v1/traffic/mm` knows the fleet. */
const labels: Readonly<Record<FleetRole, string>> = { mm: "mm-fleet", taker: "taker-fleet" };

const amounts: readonly Funding[] = [...fundings, ["perp", "USDC", "1000000"]];
/** Readable by the operator alone, as the venue's other secrets. */
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
 * As many keys of each role as `count` says, those of the data folder first; `progress` hears how many of
 * the missing ones are ready. Throws where new accounts could not be given money: they are kept.
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
    // What the file says is not told: it is secrets.
    throw new Error(`${file} is not a file of fleet keys; move it away to create new keys`);
  }
}

/** Whole or not at all: keys that were made are shown once. */
async function keep(file: string, keys: readonly StoredKey[]): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(keys, null, 1)}\n`, { mode: secretMode });
  await rename(`${file}.new`, file);
}
