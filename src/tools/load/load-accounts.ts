// Creates accounts, test funds and keys for a load run, through the operator's calls of a venue with development tools.
// Every virtual client gets an account and a house-tier key. Rate limits apply per key and cannot be turned off, so a
// higher rate needs more keys.

import { setTimeout as sleep } from "node:timers/promises";
import { callControl, controlSocketPath } from "../../adapters/runtime/control-socket.ts";
import type { LoadKey } from "./signed-requests.ts";

/** Maximum number of calls in flight, because more calls would only queue in the venue. */
const callsAtOnce = 64;

export type Funding = readonly [wallet: "spot" | "perp", asset: string, amount: string];

/** Funds of a load account: far more than a run can spend, and thousands of times below the venue's maximum balance. */
export const fundings: readonly Funding[] = [
  ["spot", "USDC", "1000000"],
  ["spot", "CC", "500000"],
  ["spot", "CBTC", "20"],
  ["spot", "CETH", "400"],
];

/**
 * Number of orders per second that are planned for a key: half of the house tier's limit of 200 orders per ten seconds.
 * The other half absorbs bursts.
 */
const ordersPerSecondOfKey = 10;

/** Returns the number of keys that a rate in orders per second needs. */
export function keysFor(rate: number): number {
  return Math.max(1, Math.ceil(rate / ordersPerSecondOfKey));
}

/** Type and label of the accounts and keys of a load. */
export interface LoadKeyTerms {
  readonly type: "standard" | "wallet" | "house";
  readonly label: string;
}

/** Creates `count` funded accounts with a key each; `progress` reports how many are ready. */
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

/** Calls `make` `count` times, several in parallel; `progress` reports how many are ready. */
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

/**
 * Creates an unfunded account with a house-tier key. While the venue is too busy to take a command, it asks again for up
 * to half a minute. Throws what the venue then answers, and every other refusal at once.
 */
export async function createLoadKey(dataDir: string, terms: LoadKeyTerms): Promise<LoadKey> {
  const path = controlSocketPath(dataDir);
  const { type, label } = terms;
  const { account } = await call<{ account: number }>(path, "accounts/create", { type });
  const request = { account, tier: "house", label };
  const created = await call<{ api_key: string; secret: string }>(path, "keys/create", request);
  return { account, key: created.api_key, secret: created.secret };
}

/** Credits test funds; throws if the venue has no development tools. */
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

/** How long, and how often, a venue that has no room for a command is asked again. */
const [busyMsMax, busyPauseMs] = [30_000, 200];

async function call<T>(path: string, name: string, parameters: object): Promise<T> {
  const untilMs = performance.now() + busyMsMax;
  let answer = await callControl(path, name, parameters);
  while (answer.isBusy && performance.now() < untilMs) {
    await sleep(busyPauseMs);
    answer = await callControl(path, name, parameters);
  }
  if (!answer.isOk) throw new Error(`${name}: ${answer.error}`);
  return answer.result as T;
}
