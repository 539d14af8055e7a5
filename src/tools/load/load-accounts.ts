// Accounts, money and keys for a load run, made by the operator's calls of a venue with development
// tools. Every virtual client gets an account and a house-tier key of its own: the limits are per
// key, and no setting turns them off, so a rate needs as many keys as it has limits to share.

import { callControl, controlSocketPath } from "../../adapters/runtime/control-socket.ts";
import type { LoadKey } from "./signed-requests.ts";

/** More calls at once than this only queue behind each other in the venue. */
const callsAtOnce = 64;

export type Funding = readonly [wallet: "spot" | "perp", asset: string, amount: string];

/** Far more than a run can spend; thousands of times as much stays below what the venue can hold. */
export const fundings: readonly Funding[] = [
  ["spot", "USDC", "1000000"],
  ["spot", "CC", "500000"],
  ["spot", "CBTC", "20"],
  ["spot", "CETH", "400"],
];

/** House tier: 200 orders in ten seconds. Half of it stays free for uneven arrival. */
const ordersPerSecondOfKey = 10;

/** How many keys a rate of orders a second needs. */
export function keysFor(rate: number): number {
  return Math.max(1, Math.ceil(rate / ordersPerSecondOfKey));
}

/** What accounts and keys of a load are called. */
export interface LoadKeyTerms {
  readonly type: "standard" | "wallet" | "house";
  readonly label: string;
}

/** `count` funded accounts with a key each; `progress` hears how many are ready. */
export async function createLoadKeys(
  dataDir: string,
  count: number,
  progress: (ready: number) => void = () => undefined,
): Promise<LoadKey[]> {
  return sideBySide(count, progress, async () => {
    const key = await createLoadKey(dataDir, { type: "standard", label: "load" });
    await fundLoadAccount(dataDir, key.account, fundings);
    return key;
  });
}

/** What `make` makes, `count` times, several at once; `progress` hears how many are ready. */
export async function sideBySide<T>(
  count: number,
  progress: (ready: number) => void,
  make: (turn: number) => Promise<T>,
): Promise<T[]> {
  const made: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      made.push(await make(next++));
      progress(made.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(callsAtOnce, count) }, worker));
  return made;
}

/** An account without money, and a house-tier key of it. */
export async function createLoadKey(dataDir: string, terms: LoadKeyTerms): Promise<LoadKey> {
  const path = controlSocketPath(dataDir);
  const { type, label } = terms;
  const { account } = await call<{ account: number }>(path, "accounts/create", { type });
  const request = { account, tier: "house", label };
  const created = await call<{ api_key: string; secret: string }>(path, "keys/create", request);
  return { account, key: created.api_key, secret: created.secret };
}

/** Credits money that nobody deposited; throws where the venue has no development tools. */
export async function fundLoadAccount(
  dataDir: string,
  account: number,
  amounts: readonly Funding[],
): Promise<void> {
  const path = controlSocketPath(dataDir);
  for (const [wallet, asset, amount] of amounts) {
    await call(path, "accounts/fund", { account, wallet, asset, amount });
  }
}

async function call<T>(path: string, name: string, parameters: object): Promise<T> {
  const answer = await callControl(path, name, parameters);
  if (!answer.isOk) throw new Error(`${name}: ${answer.error}`);
  return answer.result as T;
}
