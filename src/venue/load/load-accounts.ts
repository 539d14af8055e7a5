// Accounts, money and keys for a load run, made by the operator's calls of a venue with development
// tools. Every virtual client gets an account and a house-tier key of its own: the limits are per
// key, and no setting turns them off, so a rate needs as many keys as it has limits to share.

import { askControl, controlSocketPath } from "../control-socket.ts";
import type { LoadKey } from "./signed-requests.ts";

/** More calls at once than this only queue behind each other in the venue. */
const callsAtOnce = 64;

/** Far more than a run can spend; thousands of times as much stays below what the venue can hold. */
const fundings: readonly (readonly [asset: string, amount: string])[] = [
  ["USDC", "1000000"],
  ["CC", "500000"],
  ["CBTC", "20"],
  ["CETH", "400"],
];

/** House tier: 200 orders in ten seconds. Half of it stays free for uneven arrival. */
const ordersPerSecondOfKey = 10;

/** How many keys a rate of orders a second needs. */
export function keysFor(rate: number): number {
  return Math.max(1, Math.ceil(rate / ordersPerSecondOfKey));
}

/** `count` funded accounts with a key each; `progress` hears how many are ready. */
export async function createLoadKeys(
  dataDir: string,
  count: number,
  progress: (ready: number) => void = () => undefined,
): Promise<LoadKey[]> {
  const path = controlSocketPath(dataDir);
  const keys: LoadKey[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next++ < count) {
      keys.push(await createLoadKey(path));
      progress(keys.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(callsAtOnce, count) }, worker));
  return keys;
}

async function createLoadKey(path: string): Promise<LoadKey> {
  const { account } = await call<{ account: number }>(path, "accounts/create", {});
  for (const [asset, amount] of fundings) {
    await call(path, "accounts/fund", { account, wallet: "spot", asset, amount });
  }
  const created = await call<{ api_key: string; secret: string }>(path, "keys/create", {
    account,
    tier: "house",
    label: "load",
  });
  return { account, key: created.api_key, secret: created.secret };
}

async function call<T>(path: string, name: string, parameters: object): Promise<T> {
  const answer = await askControl(path, name, parameters);
  if (!answer.isOk) throw new Error(`${name}: ${answer.error}`);
  return answer.result as T;
}
