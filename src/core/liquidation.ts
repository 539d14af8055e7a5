// The words of a liquidation: its stages, why positions move without a trade, and what passes between
// an account and the insurance fund. Codes are journaled.
//
//   none ──due──▶ cancelling ──no orders on books──▶ reducing ──nothing sold, or bankrupt──▶ takeover
//    ▲                │                                 │                                     │
//    └── safe again ──┴─────────────────────────────────┴── flat ◀── deleveraging ◀── fund cannot pay

/** Where an account stands; a further stage is a higher code. */
export const LiquidationStage = {
  none: 0,
  /** Its orders leave the books. */
  cancelling: 1,
  /** The venue reduces its positions by orders at prices that leave nobody owing. */
  reducing: 2,
  /** The insurance fund takes what is left at the bankruptcy price. */
  takeover: 3,
  /** Accounts on the other side take it, those with most profit and leverage first. */
  deleveraging: 4,
} as const;
export type LiquidationStage = (typeof LiquidationStage)[keyof typeof LiquidationStage];

/** Why a position moved to another account. */
export const MoveCause = { takeover: 0, deleveraging: 1 } as const;
export type MoveCause = (typeof MoveCause)[keyof typeof MoveCause];

/** Why money passed between an account and the insurance fund. */
export const InsuranceCause = {
  /** The account paid the fee of what the venue closed for it. */
  clearanceFee: 0,
  /** The fund paid what an account without positions owed. */
  shortfall: 1,
  /** The operator filled the fund from a house account. */
  refill: 2,
} as const;
export type InsuranceCause = (typeof InsuranceCause)[keyof typeof InsuranceCause];

/** Whether new risk is taken: `unarmed` until the fund has first reached its threshold. */
export const TradingGate = { unarmed: 0, open: 1, paused: 2 } as const;
export type TradingGate = (typeof TradingGate)[keyof typeof TradingGate];

/** What client ids of the venue's own closing orders begin with (Binance: `autoclose-`). */
export const autoclosePrefix = "autoclose-";

/** Client id under which a user sees a position taken over without a trade (Binance). */
export const deleveragedClientId = "adl_autoclose";
