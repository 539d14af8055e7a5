// Test funds that the user has taken from the faucet of a development venue, in this tab since the log-in. The venue has no
// list of them, and does not read what a party holds on the ledger before it is enrolled, so the page records them.

import { effect, signal } from "@preact/signals";
import { session } from "../member/session.ts";

/** In the place of a wallet: holdings of the user's own party, which pay for swaps. */
export const onLedger = "ledger";

export interface TestFunds {
  readonly wallet: string;
  readonly asset: string;
  /** As the user has typed it. */
  readonly amount: string;
  /** Party of the user when the funds were taken. */
  readonly partyId: string;
  readonly atMs: number;
}

const storageName = "rialto-test-funds";
const texts = ["wallet", "asset", "amount", "partyId"] as const;

function isFunds(value: unknown): value is TestFunds {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return texts.every((name) => typeof fields[name] === "string") && Number.isFinite(fields["atMs"]);
}

/** What was kept over a reload of the tab, if it is of the account that is logged in. */
function remembered(): readonly TestFunds[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(storageName) ?? "null");
    return kept?.userId === session.peek()?.userId ? (kept.all as unknown[]).filter(isFunds) : [];
  } catch {
    // Another version of the page, or a person, has written it.
    return [];
  }
}

/** Oldest first. */
export const testFunds = signal<readonly TestFunds[]>(remembered());

let owner = session.peek()?.userId;
effect(() => {
  const userId = session.value?.userId;
  if (userId !== owner) testFunds.value = [];
  owner = userId;
});

effect(() => {
  const all = testFunds.value;
  if (all.length === 0) sessionStorage.removeItem(storageName);
  else sessionStorage.setItem(storageName, JSON.stringify({ userId: owner, all }));
});

export function addTestFunds(taken: Pick<TestFunds, "wallet" | "asset" | "amount">): void {
  const partyId = session.peek()?.partyId ?? "";
  testFunds.value = [...testFunds.value, { ...taken, partyId, atMs: Date.now() }];
}

/** What was sent to a party on the ledger, such as "10000 USDC", oldest first. Read within a view, it follows. */
export function givenTo(party: string | undefined): string[] {
  return testFunds.value
    .filter(({ wallet, partyId }) => wallet === onLedger && partyId === party)
    .map(({ amount, asset }) => `${amount} ${asset}`);
}
