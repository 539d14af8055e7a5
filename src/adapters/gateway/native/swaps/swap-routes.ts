// /v1/swaps/rfq: request quotes from liquidity providers, accept one, and settle it from the trader's own wallet on the
// ledger. A list shows only a swap's main fields. Answers about one swap also have its quotes, best first, and its
// steps.

import type * as z from "zod";
import {
  emptyBody,
  swapAcceptBody,
  swapExecuteBody,
  swapRequestBody,
  swapsQuery,
} from "../../../../../schemas/http/native.ts";
import { Wallet } from "../../../../core/accounts.ts";
import { MarketStatus } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import { Side } from "../../../../core/orders.ts";
import { SwapState, swapReasonNames, swapStateNames } from "../../../../core/swaps.ts";
import { quoteValue } from "../../../../engine/swaps/quote-fit.ts";
import type { QuoteRow, SwapRecord, SwapRow } from "../../../../ports/swaps/swap-store.ts";
import { Ed25519Signature } from "../../../../services/access/signed-request.ts";
import {
  type CoinShortage,
  type SwapFault,
  SwapService,
} from "../../../../services/swaps/swap-service.ts";
import { bestFirst } from "../../../../services/swaps/swap-terms.ts";
import { type Outcome, routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { refused } from "../../requests/surface-error.ts";
import { nativeFaults } from "../error-map.ts";
import { isoOfMs, pageText } from "../native-context.ts";
import { coinsNeeded, prepareRefused, qtyTooLarge, swapFaults } from "./swap-errors.ts";

class Swaps {
  readonly #context: RouteContext;
  readonly #service: SwapService;

  constructor(context: RouteContext) {
    const { swaps, table, clock, model } = context;
    this.#context = context;
    this.#service = new SwapService({
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

  async request(account: number, params: z.output<typeof swapRequestBody>): Promise<Outcome> {
    const { pair, side, qty = null, quote_qty: quoteQty = null } = params;
    const swap = await this.#service.request(account, { pair, side, qty, quoteQty });
    if (typeof swap !== "string" && "qtyMaxOf" in swap) return qtyTooLarge(swap.qtyMaxOf);
    return this.#show(swap);
  }

  async show(account: number, id: string): Promise<Outcome> {
    return this.#show(await this.#service.record(await this.#find(account, id)));
  }

  async list(account: number, limit: number, before: number | null): Promise<Outcome> {
    const { store } = this.#context.swaps;
    const rows = await store.swapsOf({ account, before, limit: limit + 1 });
    const show = (row: SwapRow) => this.#head(row);
    return pageText(rows, limit, show, ({ swapNo }) => swapNo);
  }

  async accept(
    account: number,
    id: string,
    { quote_id: quote, submission }: z.output<typeof swapAcceptBody>,
  ): Promise<Outcome> {
    const swap = await this.#find(account, id);
    const isWallet = submission === "wallet";
    return this.#changed(await this.#service.accept(swap, Number(quote), isWallet));
  }

  async cancel(account: number, id: string): Promise<Outcome> {
    return this.#changed(await this.#service.cancel(await this.#find(account, id)));
  }

  async prepare(account: number, id: string): Promise<Outcome> {
    const answer = await this.#service.prepare(await this.#find(account, id));
    if (typeof answer === "string") return swapFaults[answer];
    if ("message" in answer) return prepareRefused(answer.message);
    if ("free" in answer) return coinsNeeded(answer);
    const { prepared } = answer;
    return JSON.stringify({
      swap_id: answer.swapId,
      prepared_transaction: prepared?.transaction,
      prepared_transaction_hash: prepared?.hash,
      hashing_scheme_version: prepared?.hashingScheme,
      sign_before: isoOfMs(endOf(answer)),
    });
  }

  async execute(
    account: number,
    id: string,
    { prepared_transaction_hash: hash, signature }: z.output<typeof swapExecuteBody>,
  ): Promise<Outcome> {
    const swap = await this.#find(account, id);
    return this.#changed(await this.#service.execute(swap, hash, signature));
  }

  #changed(swap: SwapRecord | SwapFault | CoinShortage): Outcome {
    return typeof swap !== "string" && "free" in swap ? coinsNeeded(swap) : this.#show(swap);
  }

  async #find(account: number, id: string): Promise<SwapRow> {
    const swap = await this.#service.find(account, id);
    return typeof swap === "string" ? refused(swapFaults[swap]) : swap;
  }

  /** Answers with the committed state of the swap; no further read is needed. Spec NAT-54. */
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

/**
 * The time at which the swap's current state expires. An accepted swap that the trader has not signed also expires when
 * the time for the signature ends. Spec RFQ-24.
 */
function endOf({ state, signature, dueMs, signBeforeMs }: SwapRow): number {
  const isToSign = state === SwapState.accepted && signature === null;
  return isToSign ? Math.min(dueMs, signBeforeMs) : dueMs;
}

/** The swap service; refuses the request if the venue has no ledger network. */
function open({ swaps, hasLedger }: SwapParts): Swaps {
  return hasLedger ? swaps : refused(nativeFaults.noLedger);
}

interface SwapParts {
  readonly swaps: Swaps;
  readonly hasLedger: boolean;
}

const ofLedger = { 503: "The ledger network is unreachable; nothing was done." };
const ofState = {
  404: "The caller has no such swap, or it has no such quote.",
  409: "The request is not possible in the swap's current state; the message gives the reason.",
  ...ofLedger,
};
const newest = "$(own GET /v1/swaps/rfq | field .items[0].swap_id)";
const untilQuoted = `for i in $(seq 30); do own GET "/v1/swaps/rfq/${newest}" | field '.quotes[0]?.quote_id ?? process.exit(1)' && break; sleep 1; done`;
const bestQuote = `$(own GET "/v1/swaps/rfq/${newest}" | field .quotes[0].quote_id)`;

/** Swaps with liquidity providers, for the user of a session. */
export const swapRoutes = routeGroup(
  (context): SwapParts => ({ swaps: new Swaps(context), hasLedger: context.hasLedger }),
)([
  sessionRoute("POST /v1/swaps/rfq", {
    summary: "Requests quotes from liquidity providers.",
    body: swapRequestBody,
    faults: {
      403: "The account is not wallet-funded, or may not trade.",
      409: "The account already has the maximum number of open swaps.",
      ...ofLedger,
    },
    example: '{"pair":"CC-USDC","side":"BUY","qty":"100"}',
    weight: 20,
    answer: (parts, _, params, { account }) => open(parts).request(account, params),
  }),
  sessionRoute("GET /v1/swaps/rfq", {
    summary: "The user's swaps, newest first.",
    reads: swapsQuery,
    faults: ofLedger,
    example: "?limit=10",
    weight: 5,
    answer: (parts, _, { limit, cursor = null }, { account }) =>
      open(parts).list(account, limit, cursor),
  }),
  sessionRoute("GET /v1/swaps/rfq/{swap_id}", {
    summary: "One swap with its quotes and steps.",
    faults: ofLedger,
    exampleName: newest,
    isByUuid: true,
    answer: (parts, _, { swap_id: id }, { account }) => open(parts).show(account, id),
  }),
  sessionRoute("POST /v1/swaps/rfq/{swap_id}/accept", {
    summary: "Accepts a quote.",
    body: swapAcceptBody,
    faults: ofState,
    exampleLine: `own POST /v1/deposits/seed '{"asset":"USDC","amount":"100","wallet":"ledger"}' && ${untilQuoted} && own POST "/v1/swaps/rfq/${newest}/accept" "{\\"quote_id\\":\\"${bestQuote}\\"}"`,
    // The ledger is asked what the trader has, as for a transaction to sign.
    weight: 10,
    isByUuid: true,
    isRepeatable: true,
    answer: (parts, _, { swap_id: id, ...params }, { account }) =>
      open(parts).accept(account, id, params),
  }),
  sessionRoute("POST /v1/swaps/rfq/{swap_id}/cancel", {
    summary: "Cancels a swap while nothing is locked or about to be.",
    body: emptyBody,
    faults: ofState,
    exampleName: newest,
    isByUuid: true,
    isRepeatable: true,
    answer: (parts, _, { swap_id: id }, { account }) => open(parts).cancel(account, id),
  }),
  sessionRoute("POST /v1/swaps/rfq/{swap_id}/prepare", {
    summary:
      "The transaction to sign with the wallet: it locks the coins of a swap, or returns them.",
    body: emptyBody,
    faults: { ...ofState, 504: "The ledger did not answer in time; try again." },
    exampleName: newest,
    weight: 10,
    isByUuid: true,
    isRepeatable: true,
    answer: (parts, _, { swap_id: id }, { account }) => open(parts).prepare(account, id),
  }),
  sessionRoute("POST /v1/swaps/rfq/{swap_id}/execute", {
    summary: "Submits the wallet's signature over the prepared hash.",
    body: swapExecuteBody,
    faults: ofState,
    example: '{"prepared_transaction_hash":"…","signature":"…"}',
    exampleNeeds: {
      what: "the hash that prepare answered, and the wallet key's signature over it",
      refusal: "prepared_transaction_hash must be standard base64",
    },
    exampleName: newest,
    weight: 5,
    isByUuid: true,
    isRepeatable: true,
    answer: (parts, _, { swap_id: id, ...params }, { account }) =>
      open(parts).execute(account, id, params),
  }),
]);
