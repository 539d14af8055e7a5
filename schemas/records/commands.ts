// The commands: one row each, in the order of their codes. Adding one is a row here and what decides it; types,
// bytes and what tests draw are built from the row. Commands live in a ring for microseconds and are never
// stored, so that their layouts may change.

import {
  amount,
  anyLots,
  anyNumber,
  anyTicks,
  anyTimeUs,
  asset,
  bit,
  bits16,
  bits32,
  code,
  type Fields,
  flag,
  hashPart,
  inPart,
  market,
  number16,
  number32,
  optionalCode,
  optionalFlag,
  recordOrNull,
  requestKey,
  requestKeyOrNull,
  text,
} from "./fields.ts";

export interface CommandRow {
  readonly code: number;
  readonly says: string;
  /** In the order in which the command's object has them. */
  readonly fields: Fields;
  /** Where bytes do not lie largest first: the order in which they do. */
  readonly layout?: readonly string[];
  /** Parts that are left out where everything in them is zero, in their order: the byte and the bit that say so. */
  readonly parts?: Readonly<Record<string, { readonly byte: string; readonly mask: number }>>;
}

export type CommandRows = Readonly<Record<string, CommandRow>>;

/**
 * What every command has in front of its fields. Numbers that a client can influence travel as safe integers of
 * either sign, as in the fields: clearing refuses what is absurd.
 */
export const commandHeader = {
  source: number16("Which front (or the main thread) asked: the address of the reply."),
  correlation: number32("The source's own number for the request, an unsigned 32-bit integer."),
  atUs: anyNumber("Microseconds UTC at the source."),
  deadlineUs: anyNumber(
    "Microseconds UTC; clearing refuses the command when its own time is past this.",
  ),
  account: anyNumber("The account acted upon; 0 where there is none."),
} satisfies Fields;

/** Where it lies: the kind first, and how many characters of text follow the record. */
export const commandHeaderLayout = [
  ...["kind", "idLength", "source", "correlation", "atUs", "deadlineUs", "account"],
];

const orderRef = {
  orderId: anyNumber("The venue's id, or 0 to find the order by `clientId`."),
} satisfies Fields;

export const commands: CommandRows = {
  placeOrder: {
    code: 1,
    says: "Places an order.",
    fields: {
      market: market(),
      side: code("Side"),
      type: code("OrderType"),
      timeInForce: code("TimeInForce"),
      price: anyTicks("0 for types that trade at the market."),
      qty: anyLots("0 where `quoteQty` or `closesPosition` says how much."),
      isReduceOnly: bit("flags", 1, "Perpetuals: it only ever makes a position smaller."),
      closesPosition: bit(
        "flags",
        2,
        "Conditional: closes the whole position it finds when it triggers; its quantity is then 0.",
      ),
      stpMode: code("StpMode"),
      workingPrice: code("WorkingPrice", "Conditional: what its trigger watches."),
      quoteQty: inPart(
        "special",
        amount(
          "spot MARKET by amount: of the quote, to spend or to raise; 0 for an order by lots.",
        ),
      ),
      goodTillUs: inPart("special", anyTimeUs("when a GTD order expires; else 0.")),
      triggerPrice: inPart(
        "special",
        anyTicks(
          "conditional: where it triggers; 0 for trailing orders. LIMIT and MARKET of perpetuals: the stop loss.",
        ),
      ),
      activationPrice: inPart(
        "special",
        anyTicks(
          "trailing: what must be reached before it follows the price; 0 for at once. LIMIT and MARKET of " +
            "perpetuals: the take profit.",
        ),
      ),
      trailingBps: inPart(
        "special",
        anyNumber(
          "Trailing: distance from the best price at which it triggers, in basis points; else 0.",
        ),
      ),
      clientId: text("1–36 characters of the client's choosing, or empty: the venue derives one."),
      attached: recordOrNull(
        "OrderAttachments",
        { byte: "flags", mask: 8 },
        {
          key: { ...requestKeyOrNull(""), bit: { byte: "flags", mask: 16 } },
          leverage: anyNumber(),
        },
        "Null for an order that comes alone.",
      ),
    },
    layout: [
      ...["price", "qty", "market", "side", "type", "timeInForce", "flags", "stpMode"],
      "workingPrice",
    ],
    // A plain order does not pay for special options.
    parts: { special: { byte: "flags", mask: 4 } },
  },
  cancelOrder: {
    code: 2,
    says: "Cancels an open order.",
    fields: {
      market: market(),
      ...orderRef,
      clientId: text(),
      onlyIf: optionalCode("CancelCondition", 0, "Absent: whatever it has traded."),
    },
  },
  cancelAllOrders: {
    code: 3,
    says: "Cancels all open orders of the account in the market.",
    fields: { market: market() },
  },
  setLeverage: {
    code: 4,
    says: "Sets the account's leverage in a market.",
    fields: { market: market(), leverage: anyNumber("1 … 100.") },
  },
  transfer: {
    code: 5,
    says: "Moves money between two wallets of the account.",
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
    says: "Opens an account.",
    fields: { accountType: code("AccountType") },
  },
  credit: {
    code: 7,
    says: "Money from outside the venue, or from the faucet of a venue for development.",
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
    says: "Changes some of an account's flags; the others stay as they are, no matter what set them.",
    fields: {
      flags: bits32("what the AccountFlag bits in `mask` become; a part of `mask`."),
      mask: bits32("the AccountFlag bits that are changed."),
    },
  },
  registerKey: {
    code: 9,
    says: "Gives an account an API key.",
    fields: {
      keyId: anyNumber("Row of the key's material in SQL, written before the command."),
      keyType: code("KeyType"),
      tier: code("RateTier"),
      permissions: bits16(),
    },
  },
  changeKey: {
    code: 10,
    says: "Sets tier and permissions of a key, or revokes it for good.",
    fields: {
      keyId: anyNumber(),
      tier: code("RateTier"),
      permissions: bits16(),
      expects: bits16("Permissions that the key must still have; 0: whichever it has."),
      isRevoked: flag(),
    },
  },
  setMarketStatus: {
    code: 11,
    says: "Lets a market trade, or not.",
    fields: { market: market(), status: code("MarketStatus") },
  },
  fence: {
    code: 12,
    says: "Changes nothing; its reply proves that everything before it is committed.",
    fields: {},
  },
  tick: {
    code: 13,
    says:
      "Time has come: the main thread's clock moves clearing's time forward, nothing else. Its `deadlineUs` is the " +
      "time up to which duties of the calendar are done: `atUs`, or the past while the machine's clock is not believed.",
    fields: {},
  },
  amendOrder: {
    code: 14,
    says: "Changes price and whole quantity of an open limit order, which keeps its id.",
    fields: {
      market: market(),
      ...orderRef,
      price: anyTicks("0 to leave the price as it is."),
      qty: anyLots("of the whole order, its filled part included."),
      clientId: text(),
      side: optionalCode(
        "Side",
        2,
        "The side its owner takes it to have; null or absent where none is named.",
        true,
      ),
      growsNot: optionalFlag("True for an amend that may only take lots off."),
    },
  },
  setCountdown: {
    code: 15,
    says: "All orders of the account in the market are cancelled at `cancelAtUs` unless it is set anew.",
    fields: { market: market(), cancelAtUs: anyTimeUs("0 switches it off.") },
  },
  openSession: {
    code: 16,
    says: "A login: what its token opens until the session ends.",
    fields: {
      sessionId: anyNumber(
        "Row of the token's hash in SQL, written before the command; numbered with the keys.",
      ),
      expiresUs: anyTimeUs(),
    },
  },
  closeSession: {
    code: 17,
    says: "A logout. The session's key dies with it.",
    fields: { sessionId: anyNumber() },
  },
  setSessionKey: {
    code: 18,
    says: "Registers a key that lives as long as the session, in place of the one it had.",
    fields: { sessionId: anyNumber(), keyId: anyNumber() },
  },
  settleFunding: {
    code: 19,
    says: "Changes nothing of its own account: the funding of all perpetual markets begins at once.",
    fields: {},
  },
  setReferrer: {
    code: 20,
    says: "Says who referred an account that has not traded yet.",
    fields: { referrer: anyNumber() },
  },
  claimReward: {
    code: 21,
    says: "Pays the commission that was accrued.",
    fields: {},
  },
  setReference: {
    code: 22,
    says: "Says what a perpetual's coin is worth outside the venue.",
    fields: {
      market: market(),
      origin: code("IndexOrigin"),
      price: anyTicks("0 to say nothing any more."),
      untilUs: anyTimeUs("until when the price holds, unless it is set anew."),
    },
  },
  refillFund: {
    code: 23,
    says:
      "Gives a house account's money to the insurance fund: from its perp wallet, as far as its positions and " +
      "orders leave it.",
    fields: { amount: amount("of the margin asset.") },
  },
  bindWallet: {
    code: 24,
    says: "Makes a standard account wallet-funded: its spot wallet mirrors a party of the ledger.",
    fields: {},
  },
  deposit: {
    code: 25,
    says: "Money that reached custody on the ledger, for the funding wallet; once for each key.",
    fields: { asset: asset(), amount: amount(), key: requestKey() },
  },
  requestWithdrawal: {
    code: 26,
    says: "Takes money out of the spot wallet, to be paid on the ledger; once for each key.",
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
    says: "A withdrawal was paid on the ledger, or never will be: then its money goes back.",
    fields: { withdrawalId: anyNumber(), isCompleted: flag() },
  },
  settleCoins: {
    code: 28,
    says: "Coins that fills brought to a wallet-funded account have reached its party on the ledger.",
    fields: { asset: asset(), amount: amount() },
  },
  recordSwapMove: {
    code: 29,
    says: "Puts a step of a swap, which settlement has taken already, into the journal; once for each number.",
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
    says: "Makes an account the operator's own, or a customer's again.",
    fields: { accountType: code("AccountType", "`standard` or `house`.") },
  },
  addMarket: {
    code: 31,
    says: "Adds a market, which trades from the next start of the venue on. The row of its terms in SQL is written before.",
    fields: {
      market: market("The next one."),
      status: code("MarketStatus", "What it begins with."),
      termsHigh: hashPart(
        "terms",
        "The first 128 bits of SHA-256 of its terms, as two signed words.",
      ),
      termsLow: hashPart("terms"),
    },
  },
  setRiskTerm: {
    code: 32,
    says: "Sets a term of a perpetual's risk.",
    fields: {
      market: market(),
      term: code("RiskTerm"),
      value: anyNumber("In the unit of the term; 0 takes the defence away."),
    },
  },
};
