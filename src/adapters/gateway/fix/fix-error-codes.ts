// Binance's codes of faults that only FIX messages have. All other codes are those of the error maps. Spec ERR-30.

interface FixError {
  readonly code: number;
  /** What it means, for the page of errors; the text of a message may say more. */
  readonly meaning: string;
}

export const fixErrors = {
  unknownSymbol: { code: -1121, meaning: "Invalid symbol." },
  tooManyFields: { code: -1101, meaning: "Too many fields." },
  missingTag: { code: -1102, meaning: "A tag is required and not there." },
  incorrectValue: { code: -1130, meaning: "The value of a tag is incorrect." },
  invalidTag: { code: -1169, meaning: "A field has no valid tag number." },
  undefinedTag: { code: -1170, meaning: "A tag is not defined for messages of this type." },
  repeatedTag: { code: -1171, meaning: "A tag appears more than once." },
  outOfOrder: { code: -1172, meaning: "A tag is out of order." },
  groupOutOfOrder: { code: -1173, meaning: "The fields of a group are out of order." },
  loggedOn: { code: -1176, meaning: "The session has logged on already." },
  number: { code: -1179, meaning: "MsgSeqNum (34) is not the expected one." },
  ofDropCopy: { code: -1183, meaning: "A drop copy session takes no requests." },
  ofOrderEntry: {
    code: -1186,
    meaning: "Requested operation is not allowed in order entry sessions.",
  },
  ofMarketData: {
    code: -1187,
    meaning: "Requested operation is not allowed in market data sessions.",
  },
  groupCount: { code: -1188, meaning: "A group has another number of entries than it says." },
  repeatedEntry: { code: -1189, meaning: "A group contains duplicate entries." },
  subscriptionId: {
    code: -1190,
    meaning:
      "MDReqID (262) is in use on this connection, or does not match any active subscription.",
  },
  subscription: {
    code: -1191,
    meaning: "A similar subscription is already active on this connection.",
  },
} as const satisfies Record<string, FixError>;
