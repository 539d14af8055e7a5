// Commits a reference provider to a swap. It compares the request with the provider's quote and with the trader's side
// on the ledger, records the attempt, and submits one transaction that accepts the proposal and locks the provider's
// leg. A retry finds the outcome of the first request, also after a restart. A request is refused only if no submission
// for it can be on the ledger.
//
//   none ──begun (on disk)──▶ sent ──committed──▶ locked
//                              │ └──unknown──▶ on retry: looked up, otherwise resent
//                              └──refused permanently──▶ refused

import { createHash, randomUUID } from "node:crypto";
import type * as z from "zod";
import { acceptBody } from "../../../schemas/http/provider-api.ts";
import type { SwapWallet } from "../../adapters/ledger/swap-wallet.ts";
import { parseLedgerAmount } from "../../core/money/ledger-amount.ts";
import type {
  ChangeKey,
  Committed,
  Holding,
  Instrument,
  Outcome,
  Rejected,
} from "../../ports/ledger/ledger.ts";
import type { Log } from "../../ports/log.ts";
import type { SwapPayment, SwapTerms } from "../../ports/swaps/swap-ledger.ts";
import { chooseCoins } from "../../services/settlement/batches/coin-choice.ts";
import { lockedLegs } from "../../services/swaps/locked-legs.ts";
import type { TradeLog, TradeRecord } from "./provider-home.ts";
import type { OpenQuote, QuoteService } from "./quote-service.ts";

/** Maximum number of attempts within one request, because the venue retries too. */
const attemptsMax = 4;
/** Maximum time in ms until the settlement deadline; a later deadline would lock holdings for too long. */
const settleMsMax = 600_000;

export interface TradeAnswer {
  readonly status: number;
  readonly body: object;
}

export interface TradeServiceParts {
  readonly wallet: SwapWallet;
  readonly quotes: QuoteService;
  readonly log: TradeLog;
  /** Instruments by asset code. */
  readonly instruments: ReadonlyMap<string, Instrument>;
  readonly logger: Log;
}

type AcceptRequest = z.output<typeof acceptBody>;

function refusal(reason: string): TradeAnswer {
  return { status: 409, body: { reason } };
}

/**
 * The reason why no holdings were chosen: they are reserved for another swap, which may release some, or the balance is
 * too small.
 */
type Lack = "set aside" | "too few";

const lackMessages: Readonly<Record<Lack, string>> = {
  "set aside": "the holdings are reserved for another swap",
  "too few": "the holdings are no longer available",
};

function later(reason: string): TradeAnswer {
  return { status: 503, body: { reason } };
}

export class TradeService {
  readonly #parts: TradeServiceParts;
  /** Requests in progress by swap, at most one per swap. */
  readonly #busy = new Map<string, Promise<TradeAnswer>>();
  /** Promise of the latest choice of holdings, so that swaps choose their holdings one after another. */
  #choosing: Promise<unknown> = Promise.resolve();

  constructor(parts: TradeServiceParts) {
    this.#parts = parts;
  }

  /** Commits to the swap, or returns the reason for not doing so. */
  async accept(swapId: string, text: string): Promise<TradeAnswer> {
    await this.#busy.get(swapId)?.catch(() => undefined);
    const answer = this.#accept(swapId, text);
    this.#busy.set(swapId, answer);
    try {
      return await answer;
    } finally {
      if (this.#busy.get(swapId) === answer) this.#busy.delete(swapId);
    }
  }

  /** Releases everything that is reserved for a swap that has ended. */
  close(swapId: string): void {
    this.#parts.quotes.release(swapId);
  }

  async #accept(swapId: string, text: string): Promise<TradeAnswer> {
    const { log } = this.#parts;
    const bodyHash = createHash("sha256").update(text, "utf8").digest("hex");
    const known = log.get(swapId);
    if (known !== undefined && known.bodyHash !== bodyHash)
      return refusal("this swap was requested before with different terms");
    if (known?.state === "locked") return { status: 200, body: known.answer ?? {} };
    if (known?.state === "refused") return { status: 409, body: known.answer ?? {} };
    const read = acceptBody.safeParse(jsonOf(text));
    if (!read.success) return { status: 400, body: { reason: "the body is not understood" } };
    const terms = this.#termsOf(swapId, read.data);
    if (terms === null) return refusal("the legs are not between two parties");
    if (known !== undefined) return this.#resume(known, terms, read.data);
    const fault = this.#termsFault(terms, read.data);
    if (fault !== null) return refusal(fault);
    const seen = await this.#seen(terms, read.data);
    if (seen !== null) return later(seen);
    return this.#begin(terms, read.data, bodyHash);
  }

  #termsOf(swapId: string, request: AcceptRequest): SwapTerms | null {
    const { party } = this.#parts.wallet;
    const legs = request.legs.flatMap(
      ({ leg_id: legId, sender, receiver, instrument_id, amount }) => {
        const units = parseLedgerAmount(amount);
        return units === null
          ? []
          : [{ legId, sender, receiver, instrument: instrument_id, amount: units }];
      },
    );
    const own = legs.find(({ sender }) => sender === party);
    const other = legs.find(({ receiver }) => receiver === party);
    if (own === undefined || other === undefined || own.receiver !== other.sender) return null;
    const { allocate_before, settle_before } = request.settlement;
    return {
      ...{ swapId, trader: other.sender, provider: party, legs },
      allocateBeforeMs: Date.parse(allocate_before),
      settleBeforeMs: Date.parse(settle_before),
    };
  }

  /** Returns the difference between the terms and the quote, or null. */
  #termsFault(terms: SwapTerms, request: AcceptRequest): string | null {
    const { quotes, wallet } = this.#parts;
    const { executor, settlement_ref } = request.settlement;
    const quote = quotes.find(request.quote_id);
    if (quote === undefined || quote.swapId !== terms.swapId) return "no such quote";
    if (executor !== wallet.operator) return "the executor is not the venue";
    if (settlement_ref !== terms.swapId) return "the settlement belongs to another swap";
    const nowMs = Date.now();
    if (terms.allocateBeforeMs <= nowMs) return "allocate_before has passed";
    if (terms.settleBeforeMs > nowMs + settleMsMax) return "settle_before is too far in the future";
    return this.#areQuoted(terms.legs, quote) ? null : "the legs differ from the quote";
  }

  #areQuoted(legs: readonly SwapPayment[], quote: OpenQuote): boolean {
    const { wallet, instruments } = this.#parts;
    const { market, side, baseUnits, quoteUnits } = quote;
    const isLeg = (legId: string, code: string, amount: bigint, isOwn: boolean) => {
      const leg = legs.find((each) => each.legId === legId);
      const instrument = instruments.get(code);
      const isSame = leg?.amount === amount && leg.instrument.id === instrument?.id;
      return isSame && leg.instrument.admin === instrument?.admin
        ? (leg.sender === wallet.party) === isOwn
        : false;
    };
    const isBuy = side === "BUY";
    return (
      legs.length === 2 &&
      isLeg("base", market.base, baseUnits, isBuy) &&
      isLeg("quote", market.quote, quoteUnits, !isBuy)
    );
  }

  /** Returns which part of the trader's side is missing on the ledger, or null. */
  async #seen(terms: SwapTerms, request: AcceptRequest): Promise<string | null> {
    const { wallet } = this.#parts;
    const found = await wallet.contractsOf(terms.swapId);
    const active = found.map((contract) => ({ ...contract, isArchived: false }));
    const legs = lockedLegs(terms, wallet.operator, active);
    if (legs.proposal?.contractId !== request.proposal_cid)
      return "the proposal is not visible on the ledger";
    return legs.traderLock === null ? "the trader's leg is not locked" : null;
  }

  async #begin(terms: SwapTerms, request: AcceptRequest, bodyHash: string): Promise<TradeAnswer> {
    const { wallet, log } = this.#parts;
    const dedupOffset = await wallet.ledgerEnd();
    const { swapId } = terms;
    const head = { swapId, bodyHash, quoteId: request.quote_id, requestedAtMs: Date.now() };
    const trade = { ...head, submissionId: randomUUID(), dedupOffset, inputs: [], answer: null };
    const begun = await this.#exclusively(async () => {
      const inputs = await this.#inputs(terms);
      if (typeof inputs === "string") return inputs;
      const next: TradeRecord = { ...trade, state: "begun", inputs };
      await log.write(next);
      return next;
    });
    if (typeof begun !== "string") return this.#send(begun, terms, request, false);
    return this.#without(begun, { ...trade, state: "begun" }, false);
  }

  /** Resumes an attempt whose outcome is not recorded: looks it up on the ledger before sending again. */
  async #resume(
    trade: TradeRecord,
    terms: SwapTerms,
    request: AcceptRequest,
  ): Promise<TradeAnswer> {
    const found = await this.#parts.wallet.lookup(this.#changeOf(trade));
    if (found.kind === "committed") return this.#finish(trade, await this.#earlier(trade));
    return this.#send(trade, terms, request, true);
  }

  async #send(
    first: TradeRecord,
    terms: SwapTerms,
    request: AcceptRequest,
    wasUnknown: boolean,
  ): Promise<TradeAnswer> {
    const { wallet, logger } = this.#parts;
    const attempt = { trade: first, isOpen: wasUnknown };
    for (let tries = 0; tries < attemptsMax; tries++) {
      const { trade } = attempt;
      const { requestedAtMs, inputs } = trade;
      const accept = { terms, proposalCid: request.proposal_cid, inputs, requestedAtMs };
      const outcome = await wallet.acceptAndLock({ ...this.#changeOf(trade), ...accept });
      if (outcome.kind === "committed") return this.#finish(trade, outcome);
      logger.info(
        { swapId: trade.swapId, outcome: outcome.message },
        "an attempt to lock the provider's leg was not confirmed",
      );
      if (outcome.kind === "unknown") return later("the ledger has not confirmed yet");
      const answer = await this.#afterRefusal(attempt, terms, outcome);
      if (answer !== null) return answer;
    }
    return later("the ledger is busy");
  }

  /** Decides what to do after a rejected attempt: returns an answer, or null to make another attempt. */
  async #afterRefusal(
    attempt: { trade: TradeRecord; isOpen: boolean },
    terms: SwapTerms,
    { action, code }: Rejected,
  ): Promise<TradeAnswer | null> {
    const { trade, isOpen } = attempt;
    if (action === "stop") return isOpen ? later(code) : this.#refuse(trade, code);
    if (action !== "refresh-inputs") return null;
    // An earlier attempt for this swap may have spent the missing holding.
    const earlier = await this.#earlier(trade);
    if (earlier.kind === "committed") return this.#finish(trade, earlier);
    const next = await this.#renewed(trade, terms);
    if (typeof next === "string") return this.#without(next, trade, isOpen);
    attempt.trade = next;
    return null;
  }

  /**
   * Answers when no holdings could be chosen. The refusal is final only if no holdings will be released and no earlier
   * attempt may still commit; otherwise the answer is to try again later.
   */
  async #without(lack: Lack, trade: TradeRecord, isOpen: boolean): Promise<TradeAnswer> {
    const message = lackMessages[lack];
    return isOpen || lack === "set aside" ? later(message) : this.#refuse(trade, message);
  }

  /** Records another attempt to lock the provider's leg, with other holdings. */
  #renewed(trade: TradeRecord, terms: SwapTerms): Promise<TradeRecord | Lack> {
    return this.#exclusively(async () => {
      const inputs = await this.#inputs(terms, trade);
      if (typeof inputs === "string") return inputs;
      const next = { ...trade, inputs, submissionId: randomUUID() };
      await this.#parts.log.write(next);
      return next;
    });
  }

  #earlier(trade: TradeRecord): Promise<Outcome> {
    return this.#parts.wallet.committed(this.#changeOf(trade));
  }

  async #finish(trade: TradeRecord, outcome: Outcome): Promise<TradeAnswer> {
    if (outcome.kind !== "committed") return later("the ledger has not confirmed yet");
    const answer = answerOf(outcome);
    if (answer === null) return later("the allocation is not visible on the ledger yet");
    await this.#parts.log.write({ ...trade, state: "locked", answer });
    return { status: 200, body: answer };
  }

  async #refuse(trade: TradeRecord, reason: string): Promise<TradeAnswer> {
    const answer = { reason };
    await this.#parts.log.write({ ...trade, state: "refused", answer });
    return { status: 409, body: answer };
  }

  #changeOf({ swapId, dedupOffset, submissionId }: TradeRecord): ChangeKey {
    const actAs = [this.#parts.wallet.party];
    return { commandId: `lp:${swapId}:accept`, actAs, dedupOffset, submissionId };
  }

  /** Returns holdings that pay the provider's leg, small ones first, or the reason why none were chosen. */
  async #inputs(terms: SwapTerms, own?: TradeRecord): Promise<readonly string[] | Lack> {
    const { wallet, log } = this.#parts;
    const leg = terms.legs.find(({ sender }) => sender === wallet.party);
    if (leg === undefined) return "too few";
    const leased = log.leased;
    const isPayment = ({ instrument }: Holding) =>
      instrument.id === leg.instrument.id && instrument.admin === leg.instrument.admin;
    const isFree = ({ contractId }: Holding) =>
      !leased.has(contractId) || own?.inputs.includes(contractId) === true;
    const coins = (await wallet.freeCoins(Date.now())).filter(isPayment);
    coins.sort((a, b) => (a.amount < b.amount ? -1 : 1));
    const chosen = chooseCoins(coins.filter(isFree), leg.amount);
    if (chosen !== null) return chosen;
    return chooseCoins(coins, leg.amount) === null ? "too few" : "set aside";
  }

  #exclusively<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#choosing.then(step);
    this.#choosing = done.catch(() => undefined);
    return done;
  }
}

/** Returns the trade and the allocation that the transaction created; null if one of them is not visible. */
function answerOf({ created, updateId }: Committed): Record<string, string> | null {
  const trade = created.find(({ templateId }) => templateId.endsWith(":Venue.Swap:SwapTrade"));
  const allocation = created.find(({ payload }) => typeof payload["allocation"] === "object");
  if (trade === undefined || allocation === undefined) return null;
  return {
    allocation_cid: allocation.contractId,
    trade_cid: trade.contractId,
    update_id: updateId,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
