// The venue's complete state of money and rights. The same class serves as clearing's live state, as the target of
// replay, as the journal's replica for projections and as the read model of every front. Only `apply` changes it, so
// these states cannot disagree.

import { accountsMax, marketsMax } from "../../core/limits.ts";
import type { MarketTable } from "../../core/markets.ts";
import { reservedMemory } from "../../core/reserved-memory.ts";
import { ClientIdIndex } from "./orders/client-id-index.ts";
import { OrderLists } from "./orders/order-lists.ts";
import { OrderTable } from "./orders/order-table.ts";
import { RequestKeyTable } from "./orders/request-key-table.ts";
import { SideLots } from "./orders/side-lots.ts";
import { TrailingOrders } from "./orders/trailing-orders.ts";
import { AccountTable } from "./tables/account-table.ts";
import { Balances } from "./tables/balances.ts";
import { BasisAverages } from "./tables/basis-averages.ts";
import { CommandResults } from "./tables/command-results.ts";
import { Countdowns } from "./tables/countdowns.ts";
import { FeesPaid } from "./tables/fees-paid.ts";
import { FundHours } from "./tables/fund-hours.ts";
import { FundingState } from "./tables/funding-state.ts";
import { IndexLevels } from "./tables/index-levels.ts";
import { KeyTable } from "./tables/key-table.ts";
import { LiquidationState } from "./tables/liquidation-state.ts";
import { MakerGroups } from "./tables/maker-groups.ts";
import { OrderConnections } from "./tables/order-connections.ts";
import { Positions } from "./tables/positions.ts";
import { ReferencePrices } from "./tables/reference-prices.ts";
import { RewardState } from "./tables/reward-state.ts";
import { RiskTerms } from "./tables/risk-terms.ts";
import { SessionTable } from "./tables/session-table.ts";
import { SwapHolds } from "./tables/swap-holds.ts";
import { TpSlState } from "./tables/tp-sl-state.ts";
import { UnsettledCoins } from "./tables/unsettled-coins.ts";
import { WithdrawalState } from "./tables/withdrawal-state.ts";

export interface VenueStateOptions {
  /**
   * Whether used client order ids and idempotency keys are remembered (default true). Only clearing and
   * snapshots need them; read models save the memory.
   */
  readonly remembersClientIds?: boolean;
}

export class VenueState {
  readonly table: MarketTable;
  readonly accounts = new AccountTable();
  readonly balances = new Balances();
  readonly orders = new OrderTable();
  readonly trailing: TrailingOrders;
  readonly positions = new Positions();
  readonly sideLots = new SideLots();
  /** By account slot: minor units that the account's open orders reserve for their losses at the mark. */
  readonly lossHeld = new BigInt64Array(reservedMemory(8 * accountsMax));
  readonly keys = new KeyTable();
  readonly sessions = new SessionTable();
  readonly clientIds: ClientIdIndex | null;
  /** Null if client ids are not remembered either. */
  readonly requestKeys: RequestKeyTable | null;
  /** Seq of the last applied event; 0 before the first. */
  seq = 0;
  /** Microseconds of the last applied event. */
  tsUs = 0;
  nextOrderId = 1;
  nextTradeId = 1;
  /** Number of markets in this state. The table may list more, or may lack markets added since it was loaded. */
  marketCount: number;
  /** MarketStatus by market id, sized for the maximum number of markets, like the prices. */
  readonly marketStatus: Uint8Array;
  /** Ticks of the last trade by market id; 0 before the first. */
  readonly lastPrice: Float64Array;
  /** Mark and index in ticks by market id, as last journaled; 0 for none. */
  readonly mark: Float64Array;
  readonly index: Float64Array;
  readonly references: ReferencePrices;
  readonly basis: BasisAverages;
  readonly indexes: IndexLevels;
  readonly riskTerms: RiskTerms;
  readonly countdowns = new Countdowns();
  readonly makerGroups = new MakerGroups();
  readonly funding: FundingState;
  readonly rewards: RewardState;
  readonly liquidations = new LiquidationState();
  readonly fundHours = new FundHours(marketsMax);
  readonly feesPaid = new FeesPaid();
  readonly withdrawals = new WithdrawalState();
  /** Coins from fills that are not on the ledger yet: part of the reserved amounts. */
  readonly unsettled = new UnsettledCoins();
  /** Coins that wallet swaps will lock: also part of the reserved amounts. */
  readonly swapHolds = new SwapHolds();
  /** Number of swap steps journaled; steps are numbered without gaps. */
  swapMoves = 0;
  readonly tpSl = new TpSlState();
  readonly orderLists = new OrderLists();
  /** Gateways and the results of their commands. */
  readonly commandResults = new CommandResults();
  /** Order connections that cancel on disconnect. */
  readonly connections = new OrderConnections();
  /** By asset id: deposits less withdrawals, with which the conservation check compares the balances. */
  readonly deposited: bigint[];

  constructor(table: MarketTable, options: VenueStateOptions = {}) {
    this.table = table;
    this.trailing = new TrailingOrders(this.orders, table.markets.length);
    const remembers = options.remembersClientIds ?? true;
    this.clientIds = remembers ? new ClientIdIndex() : null;
    this.requestKeys = remembers ? new RequestKeyTable() : null;
    this.marketCount = table.markets.filter(({ wasAdded }) => !wasAdded).length;
    this.marketStatus = new Uint8Array(marketsMax);
    this.marketStatus.set(table.markets.map(({ initialStatus }) => initialStatus));
    this.lastPrice = new Float64Array(marketsMax);
    this.mark = new Float64Array(marketsMax);
    this.index = new Float64Array(marketsMax);
    this.references = new ReferencePrices(marketsMax);
    this.basis = new BasisAverages(marketsMax);
    this.indexes = new IndexLevels(marketsMax);
    this.riskTerms = new RiskTerms(marketsMax);
    this.funding = new FundingState(marketsMax);
    this.rewards = new RewardState(table);
    this.deposited = table.assets.map(() => 0n);
  }
}
