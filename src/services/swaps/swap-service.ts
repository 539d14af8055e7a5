// The calls that traders make for their swaps, on any front. Each call adds a row or changes one under a condition; the
// settlement thread does the rest. A refusal is a code that the surface renders; it changes nothing.

import { PublicIdKind, parsePublicId } from "../../core/ids/public-id.ts";
import { isPerpetual, type Market, type MarketTable } from "../../core/markets.ts";
import { DecimalFault, parseAmount, parseScaled } from "../../core/money/amounts.ts";
import type { Asset } from "../../core/money/assets.ts";
import { toLedgerAmount } from "../../core/money/ledger-amount.ts";
import { Side } from "../../core/orders.ts";
import { isSwapOver, SwapState, swapsOpenPerAccountMax } from "../../core/swaps.ts";
import { quoteValue } from "../../engine/swaps/quote-fit.ts";
import type { SwapTimes } from "../../engine/swaps/swap-machine.ts";
import {
  type NewSwap,
  type QuoteRow,
  SwapPhase,
  type SwapRecord,
  type SwapRepository,
  type SwapRow,
} from "../../ports/swaps/swap-store.ts";
import { SwapSteps } from "./swap-steps.ts";
import { paidAsset } from "./swap-terms.ts";

export interface SwapExecutionParts {
  readonly store: SwapRepository;
  readonly table: MarketTable;
  readonly times: SwapTimes;
  readonly now: () => number;
  /** Resolves after `ms` milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  readonly isTrading: (market: number) => boolean;
  /** Whether the operator or settlement has frozen the account. */
  readonly isFrozen: (account: number) => boolean;
  /** The higher of a market's best bid and best offer, in ticks; 0 without orders. */
  readonly dearestOf: (market: Market) => number;
  /**
   * Free coins of a wallet-funded account in minor units: not held by its orders or swaps, nor spent or
   * received by unsettled fills. Null for other accounts, whose wallets the venue does not know.
   */
  readonly coinsFree: (account: number, asset: number) => bigint | null;
  /** Amount held for a swap in minor units; null until the acceptance of its quote is in the journal. */
  readonly coinsHeld: (account: number, swapNo: number) => bigint | null;
  /** Longest time in ms that a trader's call waits for the transaction to sign. */
  readonly prepareMs: number;
  /** Longest time in ms that an acceptance waits for what the ledger says of the trader's coins. */
  readonly fundsMs: number;
  /** Verifies a base64 signature over the bytes by a public key in standard base64. */
  readonly isSigned: (publicKey: string, bytes: Uint8Array, signature: string) => Promise<boolean>;
}

export type SwapFault =
  | "unknownPair"
  | "marketClosed"
  | "badSide"
  | "qtyOrValue"
  | "badQty"
  | "badQuoteQty"
  | "tooSmall"
  | "tooManySwaps"
  | "frozen"
  | "unknownSwap"
  | "unknownQuote"
  | "quoteLapsed"
  | "signedTooLate"
  | "tooManyUnkept"
  | "notNow"
  | "badHash"
  | "notPrepared"
  | "badSignature"
  | "prepareTimeout";

export interface SwapRequest {
  readonly pair: string;
  readonly side: string;
  readonly qty: string | null;
  readonly quoteQty: string | null;
}

/** A trader has too few free coins for its swap: the asset and the free amount. */
export interface CoinShortage {
  readonly asset: Asset;
  /** Minor units, rounded down. */
  readonly free: bigint;
  /** Whether the account is wallet-funded, so that its open orders and unsettled fills may need the rest. */
  readonly isMember: boolean;
}

/** A requested quantity above the market's maximum. */
export interface QtyTooLarge {
  readonly qtyMaxOf: Market;
}

/** Why no transaction could be prepared, as reported by the ledger. */
export interface PrepareRefusal {
  readonly message: string;
}

/** Polling interval for the prepared transaction. */
const lookMs = 50;
/** Standard base64, padding optional. */
const hashForm = /^[A-Za-z0-9+/]+={0,2}$/;

export class SwapService {
  readonly #parts: SwapExecutionParts;
  readonly #steps: SwapSteps;

  constructor(parts: SwapExecutionParts) {
    this.#parts = parts;
    this.#steps = new SwapSteps(parts);
  }

  /** Opens a swap and starts its quote round. Spec RFQ-1. */
  async request(
    account: number,
    params: SwapRequest,
  ): Promise<SwapRecord | SwapFault | QtyTooLarge> {
    const { store, times, now } = this.#parts;
    const market = this.#market(params.pair);
    if (typeof market === "string") return market;
    if (params.side !== "BUY" && params.side !== "SELL") return "badSide";
    const requested = requestedAmountOf(params, market);
    if (typeof requested === "string" || "qtyMaxOf" in requested) return requested;
    if (this.#isSmall(requested, market)) return "tooSmall";
    if (this.#parts.isFrozen(account)) return "frozen";
    const trader = await store.trader(account);
    const createdMs = now();
    const side = params.side === "BUY" ? Side.buy : Side.sell;
    const windowEndsMs = createdMs + times.quoteWindowMs;
    const terms = { trader, market: market.id, side, ...requested };
    const added = await store.add({ ...terms, createdMs, windowEndsMs }, swapsOpenPerAccountMax);
    return added ?? "tooManySwaps";
  }

  #market(pair: string): Market | SwapFault {
    const { table, isTrading } = this.#parts;
    const market = table.find(pair);
    if (market === undefined || isPerpetual(market) || market.symbol !== pair) return "unknownPair";
    return market.base === null || !isTrading(market.id) ? "marketClosed" : market;
  }

  /**
   * True if the quantity is worth less than the market's minimum value at `dearestOf`, the higher of best bid and best
   * offer. False without orders, because the value is then unknown.
   */
  #isSmall({ askedLots }: RequestedAmount, market: Market): boolean {
    const ticks = this.#parts.dearestOf(market);
    if (askedLots === null || ticks === 0) return false;
    return quoteValue(market, ticks, askedLots) < market.minNotional;
  }

  /** A swap of the account by its public id. */
  async find(account: number, swapId: string): Promise<SwapRow | SwapFault> {
    const named = parsePublicId(PublicIdKind.swap, swapId);
    const swap = named === null ? null : await this.#parts.store.swap(named.number);
    const isOwn = swap?.trader.account === account && swap.swapId === swapId.toLowerCase();
    return isOwn && swap !== null ? swap : "unknownSwap";
  }

  /** Accepts a quote. A repeated call returns the swap's current state. Spec RFQ-3. */
  async accept(
    swap: SwapRow,
    quoteNo: number,
    isWallet: boolean,
    triesLeft = 2,
  ): Promise<SwapRecord | SwapFault | CoinShortage> {
    const { store, times, now } = this.#parts;
    const quote = (await store.quotes(swap.swapNo)).find((each) => each.quoteNo === quoteNo);
    if (quote === undefined) return "unknownQuote";
    if (swap.taken !== null) return swap.taken.quoteNo === quoteNo ? this.record(swap) : "notNow";
    if (swap.state !== SwapState.quoted) return "notNow";
    if (this.#isFrozen(swap)) return "frozen";
    if (quote.validUntilMs <= now()) return "quoteLapsed";
    const shortage =
      this.#shortage(swap, quote) ?? (await this.#ledgerShortage(swap, quote, isWallet));
    if (shortage !== null) return shortage;
    // The ledger may have taken seconds to answer, so the time is read again.
    const atMs = now();
    if (quote.validUntilMs <= atMs) return "quoteLapsed";
    const unkept = { max: times.unkeptMax, sinceMs: atMs - times.unkeptMs };
    if ((await store.unkept(swap.trader.account, unkept.sinceMs)) >= unkept.max)
      return "tooManyUnkept";
    const allocateBeforeMs = atMs + times.allocateMs;
    const settleBeforeMs = allocateBeforeMs + times.settleMs;
    const signBeforeMs = quote.validUntilMs + times.graceMs;
    const taken = { quote, isWallet, allocateBeforeMs, settleBeforeMs, signBeforeMs, unkept };
    const details = { provider: quote.provider, quote_id: quote.quoteId };
    const done = await this.#steps.take(swap, { kind: "accepted", isWallet }, details, { taken });
    if (done !== null) return done;
    // The row changed meanwhile, because the same request was sent twice or a new quote extended the swap.
    const current = await this.#again(swap);
    if (current.taken?.quoteNo === quoteNo) return this.record(current);
    const isOpen = current.state === SwapState.quoted && triesLeft > 0;
    return isOpen ? this.accept(current, quoteNo, isWallet, triesLeft - 1) : "notNow";
  }

  /**
   * The shortage of coins for a quote; null if the free coins suffice or are not known to the venue. Coins needed by
   * open orders or unsettled fills are not free. Spec RFQ-20.
   */
  #shortage(swap: SwapRow, quote: QuoteRow): CoinShortage | null {
    const { coinsFree, coinsHeld } = this.#parts;
    const { trader, swapNo } = swap;
    const { asset, pays } = this.#payment(swap, quote);
    const unheld = coinsFree(trader.account, asset.id);
    if (unheld === null) return null;
    // Once the acceptance is in the journal, only held coins count: any order may spend coins that are not held.
    const free = coinsHeld(trader.account, swapNo) ?? unheld;
    return free >= pays ? null : { asset, free, isMember: true };
  }

  /** What the trader pays for a quote, in minor units. */
  #payment(swap: SwapRow, { priceTicks, lots }: QuoteRow): { asset: Asset; pays: bigint } {
    const market = this.#parts.table.market(swap.market);
    const isBuy = swap.side === Side.buy;
    const pays = isBuy
      ? quoteValue(market, priceTicks, lots)
      : BigInt(lots) * market.baseUnitsPerLot;
    return { asset: paidAsset(swap, market), pays };
  }

  /**
   * The shortage of coins on the ledger of a trader whose wallet the venue does not mirror; null if they suffice. Also
   * null if the ledger does not answer in time, or if the trader's own wallet locks them, which may keep them where the
   * venue cannot read them. Spec RFQ-40.
   */
  async #ledgerShortage(
    swap: SwapRow,
    quote: QuoteRow,
    isWallet: boolean,
  ): Promise<CoinShortage | null> {
    const { asset, pays } = this.#payment(swap, quote);
    if (isWallet || this.#parts.coinsFree(swap.trader.account, asset.id) !== null) return null;
    const free = await this.#freeUnits(swap);
    if (free === null || free >= toLedgerAmount(pays, asset.decimals)) return null;
    const unit = toLedgerAmount(1n, asset.decimals);
    return { asset, free: free / unit, isMember: false };
  }

  async #freeUnits(swap: SwapRow): Promise<bigint | null> {
    const { store, now, pause, fundsMs } = this.#parts;
    if (!(await store.requestPrepare(swap, SwapPhase.lock))) return null;
    for (const deadlineMs = now() + fundsMs; now() < deadlineMs; ) {
      const { freeUnits, state } = await this.#again(swap);
      if (freeUnits !== null || state !== swap.state) return freeUnits;
      await pause(lookMs);
    }
    return null;
  }

  /** The shortage that the trader's lock would run into; null if the lock may be signed. */
  #lockShortage(swap: SwapRow): CoinShortage | null {
    return swap.taken === null || swap.state !== SwapState.accepted
      ? null
      : this.#shortage(swap, swap.taken);
  }

  /**
   * False while an accepted swap of a wallet-funded account has no hold yet. Until the acceptance is in the journal,
   * orders may still take the coins.
   */
  #isHeld({ trader, swapNo, state }: SwapRow): boolean {
    const { coinsFree, coinsHeld } = this.#parts;
    if (state !== SwapState.accepted || coinsHeld(trader.account, swapNo) !== null) return true;
    return coinsFree(trader.account, 0) === null;
  }

  /** Cancels the swap, unless the trader has signed. A repeated call returns the swap's current state. */
  async cancel(swap: SwapRow): Promise<SwapRecord | SwapFault> {
    for (let current = swap, tries = 0; tries < 3; tries++) {
      if (current.state === SwapState.cancelled) return this.record(current);
      const done = await this.#steps.take(current, { kind: "cancelled" });
      if (done !== null) return done;
      current = await this.#again(swap);
    }
    return "notNow";
  }

  /** Requests the transaction to sign: the lock or, while the swap is `releasing`, the withdrawal of the lock. */
  async prepare(swap: SwapRow): Promise<SwapRow | SwapFault | PrepareRefusal | CoinShortage> {
    const phase = phaseOf(swap.state);
    if (phase === SwapPhase.none || swap.signature !== null) return "notNow";
    if (phase === SwapPhase.lock && this.#isFrozen(swap)) return "frozen";
    if (this.#isLapsed(swap)) return "signedTooLate";
    const shortage = this.#lockShortage(swap);
    if (shortage !== null) return shortage;
    const isRequested = await this.#parts.store.requestPrepare(swap, phase);
    return isRequested ? this.#awaitPrepared(swap) : "notNow";
  }

  async #awaitPrepared(
    swap: SwapRow,
  ): Promise<SwapRow | SwapFault | PrepareRefusal | CoinShortage> {
    const { now, pause, prepareMs } = this.#parts;
    for (const deadlineMs = now() + prepareMs; now() < deadlineMs; ) {
      const current = await this.#again(swap);
      if (current.prepared !== null && this.#isHeld(current))
        return this.#lockShortage(current) ?? current;
      if (current.prepareFault !== null) return { message: current.prepareFault };
      if (current.state !== swap.state || isSwapOver(current.state)) return "notNow";
      await pause(lookMs);
    }
    return "prepareTimeout";
  }

  /** Takes the wallet's signature over the prepared hash; the settlement thread submits it. */
  async execute(
    swap: SwapRow,
    hash: string,
    signature: string,
  ): Promise<SwapRecord | SwapFault | CoinShortage> {
    const { store, now, isSigned } = this.#parts;
    if (!hashForm.test(hash)) return "badHash";
    const bytes = Buffer.from(hash, "base64");
    // Normalise, so that the ledger gets one form and a repeated request compares equal.
    const sound = Buffer.from(signature, "base64").toString("base64");
    const isOver = () => isSigned(swap.trader.publicKey, bytes, signature);
    // The swap may have gone on with the signature since the request that is repeated.
    if (swap.takenSignature === sound && (await isOver())) return this.record(swap);
    const own = swap.prepared?.hash ?? null;
    if (own === null || own !== bytes.toString("base64")) return "notPrepared";
    if (swap.signature !== null) return "notNow";
    if (!(await isOver())) return "badSignature";
    if (swap.state === SwapState.accepted && this.#isFrozen(swap)) return "frozen";
    if (this.#isLapsed(swap)) return "signedTooLate";
    const shortage = this.#lockShortage(swap);
    if (shortage !== null) return shortage;
    return (await store.sign(swap, own, sound, now())) ?? "notNow";
  }

  /** The current swap with its quotes and steps. */
  async record(swap: SwapRow): Promise<SwapRecord> {
    const { store } = this.#parts;
    const [quotes, moves] = await Promise.all([
      store.quotes(swap.swapNo),
      store.moves(swap.swapNo),
    ]);
    return { ...swap, quotes, moves };
  }

  /** Whether the time to sign for the accepted quote has ended, so that nothing may be signed for it. Spec RFQ-24. */
  #isLapsed({ state, signBeforeMs }: SwapRow): boolean {
    return state === SwapState.accepted && this.#parts.now() >= signBeforeMs;
  }

  #isFrozen({ trader, isFrozen }: SwapRow): boolean {
    return isFrozen || this.#parts.isFrozen(trader.account);
  }

  async #again({ swapNo }: SwapRow): Promise<SwapRow> {
    const swap = await this.#parts.store.swap(swapNo);
    if (swap === null) throw new Error(`swap ${swapNo} no longer exists`);
    return swap;
  }
}

type RequestedAmount = Pick<NewSwap, "askedLots" | "askedQuote">;

/** The requested lots or value. */
function requestedAmountOf(
  { qty, quoteQty }: SwapRequest,
  market: Market,
): RequestedAmount | SwapFault | QtyTooLarge {
  if ((qty === null) === (quoteQty === null)) return "qtyOrValue";
  if (qty !== null) {
    const askedLots = parseScaled(qty, market.lotDecimals);
    const isTooLarge = askedLots === DecimalFault.tooLarge || askedLots > market.qtyLotsMax;
    if (isTooLarge) return { qtyMaxOf: market };
    return askedLots > 0 ? { askedLots, askedQuote: null } : "badQty";
  }
  const askedQuote = parseAmount(quoteQty ?? "", market.quote.decimals);
  const isValue = askedQuote !== null && askedQuote > 0n && askedQuote >= market.minNotional;
  return isValue ? { askedLots: null, askedQuote } : "badQuoteQty";
}

function phaseOf(state: SwapState): SwapPhase {
  if (state === SwapState.accepted) return SwapPhase.lock;
  return state === SwapState.releasing ? SwapPhase.withdraw : SwapPhase.none;
}
