// Sub-accounts in a random day of a venue: two of one owner, who trade like all others, further ones, and money that moves
// between accounts, mostly of one owner.

import type { Wallet } from "../../src/core/accounts.ts";
import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import { oneUsdc } from "../support/machine/test-markets.ts";
import type { Draft, TestVenue } from "../support/machine/test-venue.ts";

/** Opens two funded sub-accounts of an owner. */
export function openSubAccounts(venue: TestVenue, owner: number): void {
  for (const label of ["one", "two"]) {
    const account = venue.done({ kind: CommandKind.openSubAccount, account: owner, label });
    for (const wallet of [1, 2] as const) venue.credit(account, wallet, 0, 40_000n * oneUsdc);
    venue.credit(account, 1, 1, 200_000n * 10n ** 8n);
  }
}

/** Returns the opening of a sub-account; its label may be taken, and its owner may be none. */
export function subAccountOf(account: number, much: number): Draft<Command> {
  return {
    kind: CommandKind.openSubAccount,
    account,
    label: much % 9 === 0 ? "" : `s${much % 50}`,
  };
}

/** Returns a move of money to another account, which mostly is of the same owner. */
export function moveOf(
  { state: { accounts } }: Pick<TestVenue, "state">,
  { account, other }: { readonly account: number; readonly other: number },
  how: number,
  much: number,
): Draft<Command> {
  const family = [
    accounts.ownerOf(account),
    ...accounts.subAccountsOf(accounts.ownerOf(account)).map((one) => one.account),
  ];
  const receiver = how % 9 === 0 ? other : (family[how % family.length] ?? other);
  return {
    kind: CommandKind.moveBetweenAccounts,
    account,
    receiver,
    key: how % 3 > 0 ? null : { high: BigInt(much % 40), low: 2n, payload: 0n },
    from: (how % 3) as Wallet,
    to: ((how >> 4) % 3) as Wallet,
    asset: much % 5,
    amount: BigInt(much - 100) * 1_000_000n,
  };
}
