// All sets of codes (enumerations) that record fields can hold, with the module of src/core that declares each set.

import { AccountType, KeyType, RateTier, Wallet } from "../../src/core/accounts.ts";
import { OriginLane } from "../../src/core/command-identity.ts";
import {
  InsuranceCause,
  LiquidationStage,
  MoveCause,
  TradingGate,
} from "../../src/core/liquidation.ts";
import { MarketStatus } from "../../src/core/markets.ts";
import {
  MatchLane,
  MatchOutcome,
  MatchRequestKind,
  RemovalReason,
} from "../../src/core/match-messages.ts";
import { OrderListType } from "../../src/core/order-lists.ts";
import {
  CancelCondition,
  CloseReason,
  OrderType,
  Peg,
  Side,
  StpMode,
  TimeInForce,
  WorkingPrice,
} from "../../src/core/orders.ts";
import { IndexOrigin } from "../../src/core/perpetuals/index-price.ts";
import { RiskTerm } from "../../src/core/perpetuals/risk-terms.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";

/**
 * The sets by name. `module` is the path of the declaring module in src/core, without its extension. The codes of a set
 * can have gaps.
 */
export const codeSets = {
  AccountType: { module: "accounts", codes: AccountType },
  CancelCondition: { module: "orders", codes: CancelCondition },
  CloseReason: { module: "orders", codes: CloseReason },
  IndexOrigin: { module: "perpetuals/index-price", codes: IndexOrigin },
  InsuranceCause: { module: "liquidation", codes: InsuranceCause },
  KeyType: { module: "accounts", codes: KeyType },
  LiquidationStage: { module: "liquidation", codes: LiquidationStage },
  MarketStatus: { module: "markets", codes: MarketStatus },
  MatchLane: { module: "match-messages", codes: MatchLane },
  MatchOutcome: { module: "match-messages", codes: MatchOutcome },
  MatchRequestKind: { module: "match-messages", codes: MatchRequestKind },
  MoveCause: { module: "liquidation", codes: MoveCause },
  OrderListType: { module: "order-lists", codes: OrderListType },
  OrderType: { module: "orders", codes: OrderType },
  OriginLane: { module: "command-identity", codes: OriginLane },
  Peg: { module: "orders", codes: Peg },
  RateTier: { module: "accounts", codes: RateTier },
  RejectReason: { module: "reject-reason", codes: RejectReason },
  RemovalReason: { module: "match-messages", codes: RemovalReason },
  RiskTerm: { module: "perpetuals/risk-terms", codes: RiskTerm },
  Side: { module: "orders", codes: Side },
  StpMode: { module: "orders", codes: StpMode },
  SwapReason: { module: "swaps", codes: SwapReason },
  SwapState: { module: "swaps", codes: SwapState },
  TimeInForce: { module: "orders", codes: TimeInForce },
  TradingGate: { module: "liquidation", codes: TradingGate },
  Wallet: { module: "accounts", codes: Wallet },
  WorkingPrice: { module: "orders", codes: WorkingPrice },
} as const satisfies Readonly<
  Record<string, { readonly module: string; readonly codes: Readonly<Record<string, number>> }>
>;
