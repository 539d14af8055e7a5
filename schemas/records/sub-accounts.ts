// Sub-accounts: accounts that another account owns, and money that moves between accounts of one owner.

import { account, amount, anyNumber, asset, code, requestKeyOrNull, text } from "./fields.ts";
import type { CommandRows, EventRows } from "./rows.ts";

export const subAccountEvents = {
  subAccountOpened: {
    code: 58,
    description: "A sub-account was opened: a standard account whose owner is another account.",
    fields: { owner: account(), label: text("1–20 characters: the owner's name for it.") },
  },
  movedBetweenAccounts: {
    code: 59,
    description: "Money moved from the account to another account of the same owner.",
    fields: {
      receiver: account(),
      from: code("Wallet", "the sender's."),
      to: code("Wallet", "the receiver's."),
      asset: asset(),
      amount: amount(),
    },
  },
} as const satisfies EventRows;

export const subAccountCommands: CommandRows = {
  openSubAccount: {
    code: 42,
    description: "Opens a sub-account of the account, which is the reply's subject.",
    fields: { label: text("1–20 characters, different from the labels of the owner's others.") },
  },
  moveBetweenAccounts: {
    code: 43,
    description: "Moves money from the account to another account of the same owner.",
    fields: {
      receiver: anyNumber(),
      from: code("Wallet", "the sender's."),
      to: code("Wallet", "the receiver's."),
      asset: asset(),
      amount: amount(),
      key: requestKeyOrNull(
        "identifies a repeated transfer; null for a transfer without an idempotency key.",
      ),
    },
  },
};
