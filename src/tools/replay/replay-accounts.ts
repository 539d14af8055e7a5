// The house accounts of replays: makers that have history's depth and a taker that makes its trades. They are created by
// the operator's calls, with test funds that no replay uses up, and are kept in the data folder for the next replay.

import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

/** Makes one of the operator's calls; throws if it is refused. */
export type VenueCall = (call: string, parameters: object) => Promise<unknown>;

const accounts = z.object({
  makers: z.array(z.number().int().positive()),
  taker: z.number().int().positive(),
});
export type ReplayAccounts = Readonly<z.output<typeof accounts>>;

type Funding = readonly [wallet: "perp" | "spot", asset: string, amount: string];

/** Thousands of times what the depth of a large market is worth. */
const fundings: readonly Funding[] = [
  ["perp", "USDC", "5000000000"],
  ["spot", "USDC", "5000000000"],
  ["spot", "CC", "1000000000"],
  ["spot", "CBTC", "1000000"],
  ["spot", "CETH", "10000000"],
];
const ownerOnly = 0o600;

/** Returns at least `makers` makers and the taker; creates those that the data folder does not name. */
export async function replayAccounts(
  dataDir: string,
  makers: number,
  call: VenueCall,
): Promise<ReplayAccounts> {
  const file = join(dataDir, "replay.json");
  const text = await readFile(file, "utf8").catch(() => null);
  const stored = text === null ? null : accounts.parse(JSON.parse(text));
  const all = {
    makers: [...(stored?.makers ?? [])],
    taker: stored?.taker ?? (await fundedAccount(call)),
  };
  while (all.makers.length < makers) all.makers.push(await fundedAccount(call));
  await writeFile(`${file}.new`, JSON.stringify(all), { mode: ownerOnly });
  await rename(`${file}.new`, file);
  return { makers: all.makers.slice(0, makers), taker: all.taker };
}

/** Creates a house account with test funds. */
export async function fundedAccount(
  call: VenueCall,
  money: readonly Funding[] = fundings,
): Promise<number> {
  const made = await call("accounts/create", { type: "house" });
  const { account } = z.object({ account: z.number() }).parse(made);
  for (const [wallet, asset, amount] of money)
    await call("accounts/fund", { account, wallet, asset, amount });
  return account;
}
