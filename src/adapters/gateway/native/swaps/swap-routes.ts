// /v1/swaps/rfq: asking liquidity providers for a quote, taking one, and settling it from the trader's
// own wallet on the ledger. What a swap shows is the same everywhere; quotes are the best first.

import { emptyBody } from "../../../../../schemas/http/native.ts";
import {
  swapAcceptBody,
  swapExecuteBody,
  swapRequestBody,
  swapsQuery,
} from "../../../../../schemas/http/native-swaps.ts";
import { Wallet } from "../../../../core/accounts.ts";
import { MarketStatus } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import { Side } from "../../../../core/orders.ts";
import { SwapState, swapReasonNames, swapStateNames } from "../../../../core/swaps.ts";
import type { SessionState } from "../../../../engine/state/tables/session-table.ts";
import { quoteValue } from "../../../../engine/swaps/quote-fit.ts";
import type { QuoteRow, SwapRecord, SwapRow } from "../../../../ports/swaps/swap-store.ts";
import { Ed25519Signature } from "../../../../services/access/signed-request.ts";
import {
  type CoinShortage,
  SwapDesk,
  type SwapFault,
} from "../../../../services/swaps/swap-desk.ts";
import { bestFirst } from "../../../../services/swaps/swap-terms.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { nativeFaults } from "../error-map.ts";
import { answerWith, isoOfMs, type NativeContext, type Outcome } from "../native-context.ts";
import { type NativeAsk, type NativeRoute, sessionRoute, uuidRoute } from "../native-route.ts";
import { pageText } from "../page-text.ts";
import { bodyReader, queryReader } from "../read-body.ts";
import { coinsNeeded, prepareRefused, swapFaults } from "./swap-errors.ts";

const readRequest = bodyReader(swapRequestBody);
const readAccept = bodyReader(swapAcceptBody);
const readExecute = bodyReader(swapExecuteBody);
const readNothing = bodyReader(emptyBody);
const readList = queryReader(swapsQuery);

class SwapRoutes {
  readonly #context: NativeContext;
  readonly #desk: SwapDesk;

  constructor(context: NativeContext) {
    const { swaps, table, clock, model } = context;
    this.#context = context;
    this.#desk = new SwapDesk({
      ...swaps,
      table,
      now: () => clock.nowMs(),
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      isSigned: (key, bytes, signature) => new Ed25519Signature(key).verifyBytes(bytes, signature),
      isTrading: (market) => model.state.marketStatus[market] === MarketStatus.trading,
      isFrozen: (account) => model.state.accounts.isFrozen(account),
      coinsFree: (account, asset) => {
        const { accounts, balances } = model.state;
        return accounts.isWallet(account) ? balances.free(account, Wallet.spot, asset) : null;
      },
      coinsHeld: (account, swapNo) => model.state.swapHolds.of(account, swapNo),
      dearestOf: (market) => {
        const { depth } = model.view(market);
        return Math.max(depth.best(Side.buy), depth.best(Side.sell));
      },
    });
  }

  request(call: HttpCall, { account }: SessionState): void {
    const asked = readRequest(call);
    if (asked === null) return;
    const { pair, side, qty = null, quote_qty: quoteQty = null } = asked;
    this.#answer(call, async () => {
      const made = await this.#desk.request(account, { pair, side, qty, quoteQty });
      return this.#show(made);
    });
  }

  show(call: HttpCall, { path }: NativeAsk, { account }: SessionState): void {
    this.#answer(call, async () => {
      const swap = await this.#find(account, path);
      return this.#show(typeof swap === "string" ? swap : await this.#desk.record(swap));
    });
  }

  list(call: HttpCall, asked: NativeAsk, { account }: SessionState): void {
    const query = readList(call, asked.parameters);
    if (query === null) return;
    const { limit, cursor } = query;
    this.#answer(call, async () => {
      const { store } = this.#context.swaps;
      const rows = await store.swapsOf({ account, before: cursor ?? null, limit: limit + 1 });
      return pageText(
        rows,
        limit,
        (row) => this.#head(row),
        ({ swapNo }) => swapNo,
      );
    });
  }

  accept(call: HttpCall, { path }: NativeAsk, { account }: SessionState): void {
    const asked = readAccept(call);
    if (asked === null) return;
    const isWallet = asked.submission === "wallet";
    this.#change(call, account, path, (swap) =>
      this.#desk.accept(swap, Number(asked.quote_id), isWallet),
    );
  }

  cancel(call: HttpCall, { path }: NativeAsk, { account }: SessionState): void {
    if (readNothing(call) === null) return;
    this.#change(call, account, path, (swap) => this.#desk.cancel(swap));
  }

  prepare(call: HttpCall, { path }: NativeAsk, { account }: SessionState): void {
    if (readNothing(call) === null) return;
    this.#answer(call, async () => {
      const swap = await this.#find(account, path);
      if (typeof swap === "string") return swapFaults[swap];
      const answer = await this.#desk.prepare(swap);
      if (typeof answer === "string") return swapFaults[answer];
      if ("words" in answer) return prepareRefused(answer.words);
      if ("free" in answer) return coinsNeeded(answer);
      const { prepared } = answer;
      return JSON.stringify({
        swap_id: answer.swapId,
        prepared_transaction: prepared?.transaction,
        prepared_transaction_hash: prepared?.hash,
        hashing_scheme_version: prepared?.hashingScheme,
        sign_before: isoOfMs(endOf(answer)),
      });
    });
  }

  execute(call: HttpCall, { path }: NativeAsk, { account }: SessionState): void {
    const asked = readExecute(call);
    if (asked === null) return;
    const { prepared_transaction_hash: hash, signature } = asked;
    this.#change(call, account, path, (swap) => this.#desk.execute(swap, hash, signature));
  }

  #change(
    call: HttpCall,
    account: number,
    path: NativeAsk["path"],
    change: (swap: SwapRow) => Promise<SwapRecord | SwapFault | CoinShortage>,
  ): void {
    this.#answer(call, async () => {
      const swap = await this.#find(account, path);
      const changed = typeof swap === "string" ? swap : await change(swap);
      const isShort = typeof changed !== "string" && "free" in changed;
      return isShort ? coinsNeeded(changed) : this.#show(changed);
    });
  }

  #answer(call: HttpCall, work: () => Promise<Outcome>): void {
    const { hasLedger } = this.#context;
    answerWith(this.#context, call, hasLedger ? work() : Promise.resolve(nativeFaults.noLedger));
  }

  #find(account: number, path: NativeAsk["path"]): Promise<SwapRow | SwapFault> {
    return this.#desk.find(account, path["swap_id"] ?? "");
  }

  /** What was committed is answered as it was, without another read. Spec NAT-54. */
  #show(swap: SwapRecord | SwapFault): Outcome {
    if (typeof swap === "string") return swapFaults[swap];
    const { quotes, moves } = swap;
    return JSON.stringify({
      ...this.#head(swap),
      quotes: bestFirst(quotes, swap.side).map((quote) => this.#quote(swap, quote)),
      moves: moves.map((move) => ({
        move_no: String(move.moveNo),
        from: swapStateNames[move.from],
        to: swapStateNames[move.to],
        reason: swapReasonNames[move.reason],
        at: isoOfMs(move.atMs),
        details: move.details,
        seq: move.seq === null ? null : String(move.seq),
      })),
    });
  }

  #head(swap: SwapRow): object {
    const { table } = this.#context;
    const market = table.market(swap.market);
    const { askedLots, askedQuote, taken, state } = swap;
    const isTaken = taken !== null;
    return {
      swap_id: swap.swapId,
      pair: market.symbol,
      side: swap.side === Side.buy ? "BUY" : "SELL",
      qty: askedLots === null ? null : formatScaled(askedLots, market.lotDecimals),
      quote_qty: askedQuote === null ? null : formatScaled(askedQuote, market.quote.decimals),
      status: swapStateNames[state],
      reason: swapReasonNames[swap.reason],
      created_at: isoOfMs(swap.createdMs),
      ends_at: swap.dueMs === 0 ? null : isoOfMs(endOf(swap)),
      accepted: isTaken ? this.#quote(swap, taken) : null,
      submission: isTaken ? (swap.isWallet ? "wallet" : "prepared") : null,
      allocate_before: isTaken ? isoOfMs(swap.allocateBeforeMs) : null,
      settle_before: isTaken ? isoOfMs(swap.settleBeforeMs) : null,
      prepare_fault: swap.prepareFault,
      update_id: swap.updateId,
    };
  }

  #quote(swap: SwapRow, quote: QuoteRow): object {
    const market = this.#context.table.market(swap.market);
    const value = quoteValue(market, quote.priceTicks, quote.lots);
    return {
      quote_id: String(quote.quoteNo),
      provider_party: quote.providerParty,
      price: formatScaled(quote.priceTicks, market.tickDecimals),
      qty: formatScaled(quote.lots, market.lotDecimals),
      quote_qty: formatScaled(value, market.quote.decimals),
      valid_until: quote.validUntilMs === 0 ? null : isoOfMs(quote.validUntilMs),
    };
  }
}

/** When the state ends by itself: what is to be signed, with the quote that was taken. Spec RFQ-24. */
function endOf({ state, signature, dueMs, signBeforeMs }: SwapRow): number {
  const isToSign = state === SwapState.accepted && signature === null;
  return isToSign ? Math.min(dueMs, signBeforeMs) : dueMs;
}

/** Swaps with liquidity providers, for the user of a session. */
export function swapRoutes(context: NativeContext): NativeRoute[] {
  const routes = new SwapRoutes(context);
  const one = "/v1/swaps/rfq/{swap_id}";
  return [
    sessionRoute("POST /v1/swaps/rfq", (call, _, session) => routes.request(call, session), {
      weight: 20,
    }),
    sessionRoute("GET /v1/swaps/rfq", (call, asked, session) => routes.list(call, asked, session), {
      weight: 5,
    }),
    uuidRoute(`GET ${one}`, (call, asked, session) => routes.show(call, asked, session)),
    uuidRoute(`POST ${one}/accept`, (call, asked, session) => routes.accept(call, asked, session)),
    uuidRoute(`POST ${one}/cancel`, (call, asked, session) => routes.cancel(call, asked, session)),
    uuidRoute(
      `POST ${one}/prepare`,
      (call, asked, session) => routes.prepare(call, asked, session),
      { weight: 10 },
    ),
    uuidRoute(
      `POST ${one}/execute`,
      (call, asked, session) => routes.execute(call, asked, session),
      { weight: 5 },
    ),
  ];
}
