// Accounts: keys, sessions, money, and their operations on the ledger. Commands are requests, events are their results;
// both are in the order of their codes.

import {
  account,
  amount,
  anyLots,
  anyNumber,
  anyTicks,
  anyTimeUs,
  asset,
  bits16,
  bits32,
  code,
  count8,
  flag,
  hashPart,
  id,
  long,
  lots,
  marginAmount,
  market,
  named,
  requestKey,
  requestKeyOrNull,
  ticks,
  timeUs,
} from "./fields.ts";
import type { CommandRows, EventRows } from "./rows.ts";

export const accountEvents = {
  accountOpened: {
    code: 1,
    description: "An account was opened.",
    fields: { accountType: code("AccountType") },
  },
  credited: {
    code: 2,
    description: "Money was credited to an account, or debited.",
    fields: {
      wallet: code("Wallet"),
      asset: asset(),
      amount: amount(
        "negative: a debit of a wallet-funded account's spot wallet, whose party moved coins away.",
      ),
    },
  },
  transferred: {
    code: 3,
    description: "Money moved between two wallets of one account.",
    fields: { from: code("Wallet"), to: code("Wallet"), asset: asset(), amount: amount() },
  },
  leverageSet: {
    code: 4,
    description: "An account's leverage in a market was set.",
    fields: { market: market(), leverage: count8() },
  },
  accountFlagsSet: {
    code: 5,
    description: "An account's flags were set.",
    fields: { flags: bits32("all AccountFlag bits of the account.") },
  },
  keyRegistered: {
    code: 6,
    description: "An API key was registered.",
    fields: {
      keyId: id(),
      keyType: code("KeyType"),
      tier: code("RateTier"),
      permissions: bits16(),
    },
  },
  keyChanged: {
    code: 7,
    description: "A key's tier or permissions changed, or it was revoked.",
    fields: {
      keyId: id(),
      tier: code("RateTier"),
      permissions: bits16(),
      isRevoked: named("revoked", flag()),
    },
  },
  sessionOpened: {
    code: 9,
    description: "A login.",
    fields: { sessionId: id(), expiresUs: timeUs() },
  },
  sessionClosed: {
    code: 10,
    description: "A session ended: by logout, by expiry, or because its account opened too many.",
    fields: {
      sessionId: id(),
      keyId: id("Its key, which is revoked with it; 0 for none."),
    },
  },
  sessionKeySet: {
    code: 11,
    description:
      "An Ed25519 key of standard tier with READ and TRADE was registered; it ends with the session.",
    fields: {
      sessionId: id(),
      keyId: id(),
      replacedKeyId: id("The key it replaces, which is revoked; 0 for none."),
    },
  },
  requestKeyed: {
    code: 28,
    description: "The previous event of the transaction was requested with an idempotency key.",
    fields: {
      high: hashPart(
        "key",
        "The first and the second 64 bits of the key's hash, as signed integers.",
      ),
      low: hashPart("key"),
      payload: hashPart("payload", "64 bits of the hash of the request, as a signed integer."),
      subject: long("The resulting order's id, or the seq of the transfer."),
    },
  },
  referred: {
    code: 29,
    description: "Another account referred this one.",
    fields: { referrer: account() },
  },
  rewarded: {
    code: 30,
    description: "Commission was accrued to a referrer, from the fee account's `wallet`.",
    fields: { wallet: code("Wallet"), amount: marginAmount() },
  },
  rewardClaimed: {
    code: 31,
    description: "All accrued commission was paid to the referrer's perp wallet.",
    fields: { amount: marginAmount() },
  },
  walletBound: {
    code: 38,
    description: "The account became wallet-funded: its spot wallet mirrors its ledger party.",
    fields: { flags: bits32("the AccountFlag bits it keeps.") },
  },
  withdrawalRequested: {
    code: 39,
    description:
      "Money moved from the spot wallet to the withdrawals account, to be paid on the ledger.",
    fields: {
      withdrawalId: long("The destination's row in SQL; never reused."),
      asset: asset(),
      amount: amount("taken from the account, including the fee."),
      fee: amount("kept by the venue if the withdrawal is paid."),
      destinationHigh: hashPart(
        "destination",
        "The first 128 bits of SHA-256 of the destination's text, as two signed words.",
      ),
      destinationLow: hashPart("destination"),
    },
  },
  withdrawalEnded: {
    code: 40,
    description:
      "A withdrawal was paid and its fee kept, or it failed and the whole amount was returned.",
    fields: {
      withdrawalId: long(),
      asset: asset(),
      amount: amount(),
      fee: amount(),
      isCompleted: named("completed", flag()),
    },
  },
  granted: {
    code: 41,
    description:
      "The account received test money from the faucet; the faucet's own account owes it.",
    fields: { wallet: code("Wallet"), asset: asset(), amount: amount() },
  },
  coinsSettled: {
    code: 42,
    description:
      "Coins from fills of a wallet-funded account arrived on the ledger and are released.",
    fields: { asset: asset(), amount: amount() },
  },
  swapMoved: {
    code: 43,
    description: "A swap of the account changed state.",
    fields: {
      moveNo: long("Number of the step among all swaps, gapless from 1."),
      swapNo: long(),
      lots: named(
        "qty",
        lots(
          "of the accepted quote; before acceptance the requested lots, or 0 for a request by value.",
        ),
      ),
      digestHigh: hashPart(
        "details",
        "The first 128 bits of SHA-256 of the details, as two signed words.",
      ),
      digestLow: hashPart("details"),
      price: ticks("of the accepted quote; 0 before acceptance."),
      market: market(),
      side: code("Side", "The trader's."),
      from: code("SwapState"),
      to: code("SwapState"),
      reason: code("SwapReason"),
    },
  },
  accountTypeSet: {
    code: 44,
    description: "An account's type changed: operator's, customer's, or closed.",
    fields: { accountType: code("AccountType") },
  },
  keyRestricted: {
    code: 52,
    description: "A key's permissions changed together with the time at which it expires.",
    fields: {
      keyId: id(),
      tier: code("RateTier"),
      permissions: bits16(),
      expiresUs: timeUs("at which the key is revoked; 0 for never."),
    },
  },
} as const satisfies EventRows;

export const accountCommands: CommandRows = {
  transfer: {
    code: 5,
    description: "Moves money between two wallets of the account.",
    fields: {
      from: code("Wallet"),
      to: code("Wallet"),
      asset: asset(),
      amount: amount(),
      key: requestKeyOrNull(
        "identifies a repeated transfer; null for a transfer without an idempotency key.",
      ),
    },
    layout: ["amount", "from", "to", "asset", "isKeyed", "high", "low", "payload"],
  },
  openAccount: {
    code: 6,
    description: "Opens an account.",
    fields: { accountType: code("AccountType") },
  },
  credit: {
    code: 7,
    description: "Credits money from outside the venue, or from a development venue's faucet.",
    fields: {
      wallet: code("Wallet"),
      asset: asset(),
      amount: amount(
        "negative: a debit of a wallet-funded account's spot wallet, whose party moved coins away.",
      ),
      isFromFaucet: flag(),
    },
  },
  setAccountFlags: {
    code: 8,
    description: "Changes some of an account's flags; the others stay unchanged.",
    fields: {
      flags: bits32("the new values of the AccountFlag bits in `mask`; a subset of `mask`."),
      mask: bits32("the AccountFlag bits to change."),
    },
  },
  registerKey: {
    code: 9,
    description: "Registers an API key.",
    fields: {
      keyId: anyNumber("Row of the key's material in SQL, written before the command."),
      keyType: code("KeyType"),
      tier: code("RateTier"),
      permissions: bits16(),
    },
  },
  changeKey: {
    code: 10,
    description: "Sets tier and permissions of a key, or revokes it for good.",
    fields: {
      keyId: anyNumber(),
      tier: code("RateTier"),
      permissions: bits16(),
      expects: bits16("Permissions the key must currently have; 0 for any."),
      isRevoked: flag(),
    },
  },
  openSession: {
    code: 16,
    description: "Opens a session at login.",
    fields: {
      sessionId: anyNumber(
        "Row of the token's hash in SQL, written before the command. Sessions and keys share one sequence of ids.",
      ),
      expiresUs: anyTimeUs(),
    },
  },
  closeSession: {
    code: 17,
    description: "Closes a session at logout and revokes its key.",
    fields: { sessionId: anyNumber() },
  },
  setSessionKey: {
    code: 18,
    description:
      "Registers the session's key, replacing the previous one; it ends with the session.",
    fields: { sessionId: anyNumber(), keyId: anyNumber() },
  },
  setReferrer: {
    code: 20,
    description: "Sets the referrer of an account that has not traded yet.",
    fields: { referrer: anyNumber() },
  },
  claimReward: {
    code: 21,
    description: "Pays the accrued commission.",
    fields: {},
  },
  refillFund: {
    code: 23,
    description:
      "Moves a house account's money to the insurance fund: from its perp wallet, as far as its positions and " +
      "orders do not need it.",
    fields: { amount: amount("of the margin asset.") },
  },
  bindWallet: {
    code: 24,
    description: "Makes a standard account wallet-funded: its spot wallet mirrors a ledger party.",
    fields: {},
  },
  deposit: {
    code: 25,
    description: "Credits a ledger deposit to the funding wallet, once per idempotency key.",
    fields: { asset: asset(), amount: amount(), key: requestKey() },
  },
  requestWithdrawal: {
    code: 26,
    description:
      "Takes money from the spot wallet, to be paid on the ledger, once per idempotency key.",
    fields: {
      withdrawalId: anyNumber("The destination's row in SQL; never reused."),
      asset: asset(),
      amount: amount("taken from the account, including the fee."),
      fee: amount("kept by the venue if the withdrawal is paid."),
      destinationHigh: hashPart(
        "destination",
        "The first 128 bits of the hash of the destination, as two signed words.",
      ),
      destinationLow: hashPart("destination"),
      key: requestKey(),
    },
  },
  endWithdrawal: {
    code: 27,
    description: "Ends a withdrawal: paid on the ledger, or failed and refunded.",
    fields: { withdrawalId: anyNumber(), isCompleted: flag() },
  },
  settleCoins: {
    code: 28,
    description:
      "Releases coins from fills of a wallet-funded account that have arrived on the ledger.",
    fields: { asset: asset(), amount: amount() },
  },
  recordSwapMove: {
    code: 29,
    description:
      "Journals a step that settlement has taken for a swap; each step number is journaled once.",
    fields: {
      moveNo: anyNumber("Number of the step among all swaps, gapless from 1."),
      swapNo: anyNumber(),
      price: anyTicks("of the accepted quote; 0 before acceptance."),
      lots: anyLots(
        "of the accepted quote; before acceptance the requested lots, or 0 for a request by value.",
      ),
      digestHigh: hashPart(
        "details",
        "The first 128 bits of SHA-256 of the details, as two signed words.",
      ),
      digestLow: hashPart("details"),
      market: market(),
      side: code("Side", "The trader's."),
      from: code("SwapState"),
      to: code("SwapState"),
      reason: code("SwapReason"),
    },
  },
  setAccountType: {
    code: 30,
    description:
      "Makes an account a house account, turns it back into a customer's account, or closes it if it was never used.",
    fields: { accountType: code("AccountType", "`standard`, `house` or `closed`.") },
  },
  restrictKey: {
    code: 34,
    description: "Sets a key's permissions and expiry, as its owner asks.",
    fields: {
      keyId: anyNumber(),
      permissions: bits16(),
      expects: bits16("Permissions the key must currently have."),
      expiresUs: anyTimeUs("at which the key is revoked; 0 for never."),
      expectsExpiresUs: anyTimeUs("the expiry the key must currently have."),
    },
  },
};
