// Codes of FIX fields and the names that REST has for them, in one table for requests and reports.

type Names = Readonly<Record<string, string>>;

export const sides = { "1": "BUY", "2": "SELL" } as const;

export const timesInForce = { "1": "GTC", "3": "IOC", "4": "FOK" } as const;

export const stpModes = {
  "1": "NONE",
  "2": "EXPIRE_TAKER",
  "3": "EXPIRE_MAKER",
  "4": "EXPIRE_BOTH",
  "5": "DECREMENT",
  "6": "TRANSFER",
} as const;

/** ExpiryReason (25056). */
export const expiryReasons = {
  "1": "REJECTED",
  "2": "EXCHANGE_CANCELED",
  "3": "OCO_TRIGGER",
  "4": "OTO_PHASE_ONE_EXPIRED",
  "5": "UNFILLED_IOC_QUANTITY_EXPIRED",
  "6": "UNFILLED_FOK_ORDER_EXPIRED",
  "7": "INSUFFICIENT_LIQUIDITY",
} as const;

/** The codes of a table by name. */
export function codesByName(names: Names): Names {
  return Object.fromEntries(Object.entries(names).map(([code, name]) => [name, code]));
}
