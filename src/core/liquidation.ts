// Liquidation enumerations: stages, reasons for moving positions without a trade, and payments between an
// account and the insurance fund. Codes are journaled.
//
//   none ──due──▶ cancelling ──no orders on books──▶ reducing ──nothing sold, or bankrupt──▶ takeover
//    ▲                │                                 │                                     │
//    └── safe again ──┴─────────────────────────────────┴── flat ◀── deleveraging ◀── fund cannot pay

/** How far an account's liquidation has gone; a later stage has a higher code. */
export const LiquidationStage = {
  none: 0,
  /** The account's orders are being cancelled. */
  cancelling: 1,
  /** The venue reduces the account's positions by orders at prices that leave the account no debt. */
  reducing: 2,
  /** The insurance fund takes over the remaining positions at the bankruptcy price. */
  takeover: 3,
  /**
   * Accounts with opposite positions take over the part that the fund cannot, those with most profit and leverage
   * first.
   */
  deleveraging: 4,
} as const;
export type LiquidationStage = (typeof LiquidationStage)[keyof typeof LiquidationStage];

/** Why a position moved to another account. */
export const MoveCause = { takeover: 0, deleveraging: 1 } as const;
export type MoveCause = (typeof MoveCause)[keyof typeof MoveCause];

/** Why money moved between an account and the insurance fund. */
export const InsuranceCause = {
  /** The account paid the clearance fee for the value that the venue closed. */
  clearanceFee: 0,
  /** The fund paid the debt of an account without positions. */
  shortfall: 1,
  /** The operator filled the fund from a house account. */
  refill: 2,
} as const;
export type InsuranceCause = (typeof InsuranceCause)[keyof typeof InsuranceCause];

/**
 * Whether orders that open positions are accepted. `unarmed`: the insurance fund has not yet reached its threshold for
 * the first time, and such orders are accepted. `open`: they are accepted. `paused`: the fund is below the threshold,
 * and they are refused.
 */
export const TradingGate = { unarmed: 0, open: 1, paused: 2 } as const;
export type TradingGate = (typeof TradingGate)[keyof typeof TradingGate];

/** Prefix of the client ids of the venue's liquidation orders (Binance: `autoclose-`). */
export const autoclosePrefix = "autoclose-";

/** Client id that users see for a position taken over without a trade (Binance). */
export const deleveragedClientId = "adl_autoclose";
