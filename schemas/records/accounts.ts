// Accounts: keys, sessions, money, and their operations on the ledger. Commands are requests, events are
// their results; each in the order of their codes.

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
    description: "An account begins.",
    fields: { accountType: code("AccountType") },
  },
  credited: {
    code: 2,
    description: "Money came to an account, or left it.",
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
    description: "Money moved between two wallets of one account.",
    fields: { from: code("Wallet"), to: code("Wallet"), asset: asset(), amount: amount() },
  },
  leverageSet: {
    code: 4,
    description: "An account's leverage in a market is this from here on.",
    fields: { market: market(), leverage: count8() },
  },
  accountFlagsSet: {
    code: 5,
    description: "An account's flags are these from here on.",
    fields: { flags: bits32("all AccountFlag bits of the account.") },
  },
  keyRegistered: {
    code: 6,
    description: "An account has a new API key.",
    fields: {
      keyId: id(),
      keyType: code("KeyType"),
      tier: code("RateTier"),
      permissions: bits16(),
    },
  },
  keyChanged: {
    code: 7,
    description: "A key has other rights, or none any more.",
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
    description: "A session ended: by logout, by time, or because its account opened too many.",
    fields: {
      sessionId: id(),
      keyId: id("Its key, which is revoked with it; 0 for none."),
    },
  },
  sessionKeySet: {
    code: 11,
    description:
      "An Ed25519 key of standard tier with READ and TRADE that lives as long as the session.",
    fields: {
      sessionId: id(),
      keyId: id(),
      replacedKeyId: id("The key it replaces, which is revoked; 0 for none."),
    },
  },
  requestKeyed: {
    code: 28,
    description: "What stands before it in the transaction was asked under an idempotency key.",
    fields: {
      high: hashPart("key", "The first and the second 64 bits of the key's hash, signed."),
      low: hashPart("key"),
      payload: hashPart("payload", "64 bits of the hash of what was asked, signed."),
      subject: long("The order that came of it, or the seq of its transfer."),
    },
  },
  referred: {
    code: 29,
    description: "Another account brought this one to the venue.",
    fields: { referrer: account() },
  },
  rewarded: {
    code: 30,
    description:
      "Commission was accrued to a referrer, from what the fee account holds in `wallet`.",
    fields: { wallet: code("Wallet"), amount: marginAmount() },
  },
  rewardClaimed: {
    code: 31,
    description: "All commission that was accrued went to the perp wallet of the referrer.",
    fields: { amount: marginAmount() },
  },
  walletBound: {
    code: 38,
    description: "The account's spot wallet mirrors its party on the ledger from here on.",
    fields: { flags: bits32("the AccountFlag bits that it keeps.") },
  },
  withdrawalRequested: {
    code: 39,
    description:
      "Money left the spot wallet for the venue's account of withdrawals, to be paid on the ledger.",
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
    description:
      "A withdrawal was paid, its fee kept; or it was not, and all of its money went back.",
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
    description: "Money that nobody deposited: the faucet's account owes it from then on.",
    fields: { wallet: code("Wallet"), asset: asset(), amount: amount() },
  },
  coinsSettled: {
    code: 42,
    description:
      "Coins that fills brought to a wallet-funded account are on the ledger: they are free from here on.",
    fields: { asset: asset(), amount: amount() },
  },
  swapMoved: {
    code: 43,
    description:
      "A swap of the account went from one state to another, on the ledger or before it came there.",
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
    description: "An account became the operator's own, or a customer's again.",
    fields: { accountType: code("AccountType") },
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
        "what makes it the same transfer when it is asked for again; null for one that cannot be.",
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
    description: "Money from outside the venue, or from the faucet of a venue for development.",
    fields: {
      wallet: code("Wallet"),
      asset: asset(),
      amount: amount(
        "below 0 what the party of a wallet-funded account took away, of its spot wallet.",
      ),
      isFromFaucet: flag(),
    },
  },
  setAccountFlags: {
    code: 8,
    description:
      "Changes some of an account's flags; the others stay as they are, no matter what set them.",
    fields: {
      flags: bits32("what the AccountFlag bits in `mask` become; a part of `mask`."),
      mask: bits32("the AccountFlag bits that are changed."),
    },
  },
  registerKey: {
    code: 9,
    description: "Gives an account an API key.",
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
      expects: bits16("Permissions that the key must still have; 0: whichever it has."),
      isRevoked: flag(),
    },
  },
  openSession: {
    code: 16,
    description: "A login: what its token opens until the session ends.",
    fields: {
      sessionId: anyNumber(
        "Row of the token's hash in SQL, written before the command; numbered with the keys.",
      ),
      expiresUs: anyTimeUs(),
    },
  },
  closeSession: {
    code: 17,
    description: "A logout. The session's key dies with it.",
    fields: { sessionId: anyNumber() },
  },
  setSessionKey: {
    code: 18,
    description: "Registers a key that lives as long as the session, in place of the one it had.",
    fields: { sessionId: anyNumber(), keyId: anyNumber() },
  },
  setReferrer: {
    code: 20,
    description: "Says who referred an account that has not traded yet.",
    fields: { referrer: anyNumber() },
  },
  claimReward: {
    code: 21,
    description: "Pays the commission that was accrued.",
    fields: {},
  },
  refillFund: {
    code: 23,
    description:
      "Gives a house account's money to the insurance fund: from its perp wallet, as far as its positions and " +
      "orders leave it.",
    fields: { amount: amount("of the margin asset.") },
  },
  bindWallet: {
    code: 24,
    description:
      "Makes a standard account wallet-funded: its spot wallet mirrors a party of the ledger.",
    fields: {},
  },
  deposit: {
    code: 25,
    description:
      "Money that reached custody on the ledger, for the funding wallet; once for each key.",
    fields: { asset: asset(), amount: amount(), key: requestKey() },
  },
  requestWithdrawal: {
    code: 26,
    description: "Takes money out of the spot wallet, to be paid on the ledger; once for each key.",
    fields: {
      withdrawalId: anyNumber("Row of the destination in SQL; never given twice."),
      asset: asset(),
      amount: amount("taken from the account, the fee included."),
      fee: amount("kept by the venue if it is paid."),
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
    description: "A withdrawal was paid on the ledger, or never will be: then its money goes back.",
    fields: { withdrawalId: anyNumber(), isCompleted: flag() },
  },
  settleCoins: {
    code: 28,
    description:
      "Coins that fills brought to a wallet-funded account have reached its party on the ledger.",
    fields: { asset: asset(), amount: amount() },
  },
  recordSwapMove: {
    code: 29,
    description:
      "Puts a step of a swap, which settlement has taken already, into the journal; once for each number.",
    fields: {
      moveNo: anyNumber("Of all steps of all swaps, gapless from 1."),
      swapNo: anyNumber(),
      price: anyTicks("of the quote that was taken; 0 before."),
      lots: anyLots(
        "of the quote that was taken; before, those asked for, or 0 where a value was.",
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
    description: "Makes an account the operator's own, or a customer's again.",
    fields: { accountType: code("AccountType", "`standard` or `house`.") },
  },
};
