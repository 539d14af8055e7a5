// Binance's codes of faults that only FIX messages have. All other codes are those of the error maps. Spec ERR-30.

interface FixError {
  readonly code: number;
  /** What it means, for the page of errors; the text of a message may say more. */
  readonly meaning: string;
}

export const fixErrors = {
  unknownSymbol: { code: -1121, meaning: "Invalid symbol." },
  undefinedTag: { code: -1170, meaning: "A tag is not defined for messages of this type." },
  ofDropCopy: { code: -1183, meaning: "A drop copy session takes no requests." },
  ofOrderEntry: {
    code: -1186,
    meaning: "Requested operation is not allowed in order entry sessions.",
  },
  ofMarketData: {
    code: -1187,
    meaning: "Requested operation is not allowed in market data sessions.",
  },
  repeatedEntry: { code: -1189, meaning: "A group contains duplicate entries." },
  subscriptionId: {
    code: -1190,
    meaning:
      "MDReqID (262) is in use on this connection, or does not match any active subscription.",
  },
  subscriptions: {
    code: -1191,
    meaning: "A similar subscription is already active on this connection, or there are too many.",
  },
} as const satisfies Record<string, FixError>;
