// Events about accounts: their keys, sessions and money, and what goes on with it on the ledger.

import type { EventRows } from "./event-rows.ts";
import {
  account,
  amount,
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
  ticks,
  timeUs,
} from "./fields.ts";

export const accountEvents = {
  accountOpened: {
    code: 1,
    says: "An account begins.",
    fields: { accountType: code("AccountType") },
  },
  credited: {
    code: 2,
    says: "Money came to an account, or left it.",
    fields: {
      wallet: code("Wallet"),
      asset: asset(),
      amount: amount(
        "below 0 what the party of a wallet-funded account took away, of its spot wallet.",
      ),
    },
  },
  transferred: {
    code: 3,
    says: "Money moved between two wallets of one account.",
    fields: { from: code("Wallet"), to: code("Wallet"), asset: asset(), amount: amount() },
  },
  leverageSet: {
    code: 4,
    says: "An account's leverage in a market is this from here on.",
    fields: { market: market(), leverage: count8() },
  },
  accountFlagsSet: {
    code: 5,
    says: "An account's flags are these from here on.",
    fields: { flags: bits32("all AccountFlag bits of the account.") },
  },
  keyRegistered: {
    code: 6,
    says: "An account has a new API key.",
    fields: {
      keyId: id(),
      keyType: code("KeyType"),
      tier: code("RateTier"),
      permissions: bits16(),
    },
  },
  keyChanged: {
    code: 7,
    says: "A key has other rights, or none any more.",
    fields: {
      keyId: id(),
      tier: code("RateTier"),
      permissions: bits16(),
      isRevoked: named("revoked", flag()),
    },
  },
  sessionOpened: {
    code: 9,
    says: "A login.",
    fields: { sessionId: id(), expiresUs: timeUs() },
  },
  sessionClosed: {
    code: 10,
    says: "A session ended: by logout, by time, or because its account opened too many.",
    fields: {
      sessionId: id(),
      keyId: id("Its key, which is revoked with it; 0 for none."),
    },
  },
  sessionKeySet: {
    code: 11,
    says: "An Ed25519 key of standard tier with READ and TRADE that lives as long as the session.",
    fields: {
      sessionId: id(),
      keyId: id(),
      replacedKeyId: id("The key it replaces, which is revoked; 0 for none."),
    },
  },
  requestKeyed: {
    code: 28,
    says: "What stands before it in the unit was asked under an idempotency key.",
    fields: {
      high: hashPart("key", "The first and the second 64 bits of the key's hash, signed."),
      low: hashPart("key"),
      payload: hashPart("payload", "64 bits of the hash of what was asked, signed."),
      subject: long("The order that came of it, or the seq of its transfer."),
    },
  },
  referred: {
    code: 29,
    says: "Another account brought this one to the venue.",
    fields: { referrer: account() },
  },
  rewarded: {
    code: 30,
    says: "Commission was accrued to a referrer, from what the fee account holds in `wallet`.",
    fields: { wallet: code("Wallet"), amount: marginAmount() },
  },
  rewardClaimed: {
    code: 31,
    says: "All commission that was accrued went to the perp wallet of the referrer.",
    fields: { amount: marginAmount() },
  },
  walletBound: {
    code: 38,
    says: "The account's spot wallet mirrors its party on the ledger from here on.",
    fields: { flags: bits32("the AccountFlag bits that it keeps.") },
  },
  withdrawalRequested: {
    code: 39,
    says: "Money left the spot wallet for the venue's account of withdrawals, to be paid on the ledger.",
    fields: {
      withdrawalId: long("Row of the destination in SQL; never given twice."),
      asset: asset(),
      amount: amount("taken from the account, the fee included."),
      fee: amount("kept by the venue if it is paid."),
      destinationHigh: hashPart(
        "destination",
        "The first 128 bits of SHA-256 of the destination's text, as two signed words.",
      ),
      destinationLow: hashPart("destination"),
    },
  },
  withdrawalEnded: {
    code: 40,
    says: "A withdrawal was paid, its fee kept; or it was not, and all of its money went back.",
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
    says: "Money that nobody deposited: the faucet's account owes it from then on.",
    fields: { wallet: code("Wallet"), asset: asset(), amount: amount() },
  },
  coinsSettled: {
    code: 42,
    says: "Coins that fills brought to a wallet-funded account are on the ledger: they are free from here on.",
    fields: { asset: asset(), amount: amount() },
  },
  swapMoved: {
    code: 43,
    says: "A swap of the account went from one state to another, on the ledger or before it came there.",
    fields: {
      moveNo: long("Of all steps of all swaps, gapless from 1."),
      swapNo: long(),
      lots: named(
        "qty",
        lots("of the quote that was taken; before, those asked for, or 0 where a value was."),
      ),
      digestHigh: hashPart(
        "details",
        "The first 128 bits of SHA-256 of the details, as two signed words.",
      ),
      digestLow: hashPart("details"),
      price: ticks("of the quote that was taken; 0 before."),
      market: market(),
      side: code("Side", "The trader's."),
      from: code("SwapState"),
      to: code("SwapState"),
      reason: code("SwapReason"),
    },
  },
  accountTypeSet: {
    code: 44,
    says: "An account became the operator's own, or a customer's again.",
    fields: { accountType: code("AccountType") },
  },
} as const satisfies EventRows;
