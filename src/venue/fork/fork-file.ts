// The file `fork.json` in the data folder of a fork: where the fork comes from, what it froze, and the settings that every
// command on the folder has, whatever its environment says. It makes a folder a fork's. It is empty until all else is written:
// nobody may start what a killed fork left, which is neither a fork nor a venue.

import { readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as z from "zod";

const fileName = "fork.json";
const ownerOnly = 0o600;

/** Payments that were under way: their coins stay held, and nothing continues them (REW-84). */
const frozenForm = z.strictObject({
  withdrawals: z.array(
    z.strictObject({
      ...{ withdrawal_id: z.number(), account: z.number() },
      ...{ asset: z.string(), amount: z.string(), fee: z.string() },
    }),
  ),
  swaps: z.array(
    z.strictObject({
      ...{ swap_no: z.number(), account: z.number(), asset: z.string(), amount: z.string() },
    }),
  ),
  unsettled: z.array(
    z.strictObject({ account: z.number(), asset: z.string(), amount: z.string() }),
  ),
});

const fileForm = z.strictObject({
  venue: z.string(),
  parent: z.strictObject({ venue: z.string(), data_dir: z.string() }),
  seq: z.number(),
  time: z.string(),
  state_hash: z.string(),
  settings: z.record(z.string(), z.string()),
  frozen: frozenForm,
});

export type ForkFile = z.output<typeof fileForm>;
export type FrozenPayments = z.output<typeof frozenForm>;

/** Settings that say where another venue's database, keys and ledger are: none of them is a fork's. */
const othersSettings = [
  ...["DATABASE_URL", "SYNCHRONOUS_STANDBY", "MASTER_KEY", "MASTER_KEY_EARLIER"],
  ...["LEDGER_URL", "LEDGER_USER_ID", "LEDGER_OPERATOR_PARTY", "LEDGER_CUSTODY_PARTY"],
  ...["LEDGER_REGISTRIES", "LEDGER_TOKEN", "LEDGER_TOKEN_URL", "LEDGER_CLIENT_ID"],
  ...["LEDGER_CLIENT_SECRET", "LEDGER_AUDIENCE"],
];

/** Marks the folder of a fork that is being made, until `writeForkFile`. */
export async function beginForkFile(dataDir: string): Promise<void> {
  await writeNew(join(dataDir, fileName), "");
}

export async function writeForkFile(dataDir: string, file: ForkFile): Promise<void> {
  const path = join(dataDir, fileName);
  await writeNew(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`);
  await rename(`${path}.new`, path);
}

async function writeNew(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: ownerOnly, flag: "wx", flush: true });
}

/** Codes of the faults that say that there is no file. Whoever uses the folder says what is wrong with it. */
const noFile: readonly unknown[] = ["ENOENT", "ENOTDIR"];

/** Returns the file of a fork's data folder; null for another folder. Throws if it is damaged, or was never finished. */
export function readForkFile(dataDir: string): ForkFile | null {
  const path = join(dataDir, fileName);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && noFile.includes(error.code)) return null;
    throw error;
  }
  if (text === "")
    throw new Error(
      `the fork in ${dataDir} was not finished: if nothing makes it now, remove the folder and make the fork again`,
    );
  try {
    return fileForm.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${path} is damaged: make the fork again`, { cause });
  }
}

/**
 * Returns the settings that a command on `DATA_DIR` has instead of those that its environment gives: none, unless the folder
 * is a fork's.
 */
export function forkSettings(environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const file = readForkFile(resolve(environment["DATA_DIR"] || "data"));
  if (file === null) return {};
  // An empty setting counts as unset.
  return { ...Object.fromEntries(othersSettings.map((name) => [name, ""])), ...file.settings };
}
