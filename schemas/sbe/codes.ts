// Codes of names in SBE answers, by the names in JSON. The facts are those of the published schema.

interface CodeSet {
  /** Codes by the name in JSON. */
  readonly codes: Readonly<Record<string, number>>;
  /** The name that holds if the JSON answer does not have the field. */
  readonly otherwise?: string;
}

/** Sets of which a field has one code, in one byte. */
export const codeSets = {
  accountType: { codes: { SPOT: 0, UNKNOWN: 2 } },
  allocationType: { codes: { UNKNOWN: 0, SOR: 2 } },
  cancelReplaceStatus: { codes: { SUCCESS: 0, FAILURE: 1, NOT_ATTEMPTED: 2 } },
  contingencyType: { codes: { OCO: 1, OTO: 2 } },
  executionType: {
    codes: {
      NEW: 0,
      CANCELED: 1,
      REPLACED: 2,
      REJECTED: 3,
      TRADE: 4,
      EXPIRED: 5,
      TRADE_PREVENTION: 8,
      UNKNOWN: 253,
    },
  },
  expiryReason: {
    codes: {
      REJECTED: 1,
      EXCHANGE_CANCELED: 2,
      OCO_TRIGGER: 3,
      OTO_PHASE_ONE_EXPIRED: 4,
      UNFILLED_IOC_QUANTITY_EXPIRED: 5,
      UNFILLED_FOK_ORDER_EXPIRED: 6,
      INSUFFICIENT_LIQUIDITY: 7,
      EXECUTION_RULE_PRICE_RANGE_EXCEEDED: 8,
    },
  },
  floor: { codes: { EXCHANGE: 1, BROKER: 2, SOR: 3 }, otherwise: "EXCHANGE" },
  listOrderStatus: { codes: { CANCELING: 0, EXECUTING: 1, ALL_DONE: 2, REJECT: 3 } },
  listStatusType: { codes: { RESPONSE: 0, EXEC_STARTED: 1, ALL_DONE: 2, UPDATED: 3 } },
  matchType: { codes: { AUTO_MATCH: 1, ONE_PARTY_TRADE_REPORT: 2 }, otherwise: "AUTO_MATCH" },
  orderCapacity: { codes: { PRINCIPAL: 1, AGENCY: 2 }, otherwise: "PRINCIPAL" },
  orderSide: { codes: { BUY: 0, SELL: 1 } },
  orderStatus: {
    codes: {
      NEW: 0,
      PARTIALLY_FILLED: 1,
      FILLED: 2,
      CANCELED: 3,
      PENDING_CANCEL: 4,
      REJECTED: 5,
      EXPIRED: 6,
      EXPIRED_IN_MATCH: 9,
      PENDING_NEW: 11,
      UNKNOWN: 253,
    },
  },
  orderType: {
    codes: {
      MARKET: 0,
      LIMIT: 1,
      STOP_LOSS: 2,
      STOP_LOSS_LIMIT: 3,
      TAKE_PROFIT: 4,
      TAKE_PROFIT_LIMIT: 5,
      LIMIT_MAKER: 6,
    },
  },
  pegOffsetType: { codes: { PRICE_LEVEL: 1 } },
  pegPriceType: { codes: { PRIMARY_PEG: 1, MARKET_PEG: 2 } },
  rateLimitInterval: { codes: { SECOND: 0, MINUTE: 1, HOUR: 2, DAY: 3 } },
  rateLimitType: { codes: { RAW_REQUESTS: 0, CONNECTIONS: 1, REQUEST_WEIGHT: 2, ORDERS: 3 } },
  selfTradePreventionMode: {
    codes: { NONE: 1, EXPIRE_TAKER: 2, EXPIRE_MAKER: 3, EXPIRE_BOTH: 4, DECREMENT: 5, TRANSFER: 6 },
  },
  symbolStatus: { codes: { TRADING: 0, END_OF_DAY: 1, HALT: 2, BREAK: 3, CANCEL_ONLY: 4 } },
  timeInForce: { codes: { GTC: 0, IOC: 1, FOK: 2 } },
} as const satisfies Readonly<Record<string, CodeSet>>;

interface ChoiceSet {
  readonly bytes: 1 | 2;
  /** Number of the bit of each name in JSON. */
  readonly bits: Readonly<Record<string, number>>;
}

/** Sets of which a field has any number of names, each as one bit. */
export const choiceSets = {
  allowedSelfTradePreventionModes: {
    bytes: 1,
    bits: { NONE: 0, EXPIRE_TAKER: 1, EXPIRE_MAKER: 2, EXPIRE_BOTH: 3, DECREMENT: 4, TRANSFER: 5 },
  },
  orderTypes: {
    bytes: 2,
    bits: {
      MARKET: 0,
      LIMIT: 1,
      STOP_LOSS: 2,
      STOP_LOSS_LIMIT: 3,
      TAKE_PROFIT: 4,
      TAKE_PROFIT_LIMIT: 5,
      LIMIT_MAKER: 6,
    },
  },
} as const satisfies Readonly<Record<string, ChoiceSet>>;

/** The code of a name that the schema does not have: a later schema may. */
export const nonRepresentable = 254;
