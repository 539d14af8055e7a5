// One request for quotes to several providers at once: the same body, a signature each, one deadline. Each
// answer is looked at when it comes; what comes late, or is no quote for what was asked, is counted and
// dropped. Nobody is asked twice. Spec LPC-2, LPC-3.

import { quoteAnswer } from "../../../schemas/http/provider-api.ts";
import type { Market } from "../../core/markets.ts";
import type { Log } from "../../ports/log.ts";
import type { ProviderQuote, QuoteRequest } from "../../ports/swaps/liquidity-providers.ts";
import type { Conduct } from "../../services/providers/provider-standing.ts";
import { quoteFault } from "../../services/providers/quote-terms.ts";
import { answerOf, shownReply } from "./provider-answer.ts";
import type { ListedProvider } from "./provider-roll.ts";
import type { ProviderReply } from "./reply-reader.ts";

export interface QuoteRoundParts {
  readonly request: QuoteRequest;
  readonly market: Market;
  readonly onQuote: (quote: ProviderQuote) => void;
  readonly log: Log;
  nowMs(): number;
}

export class QuoteRound {
  readonly #parts: QuoteRoundParts;
  readonly #body: string;
  readonly #askedMs: number;
  readonly #end = new AbortController();
  #isOver = false;

  constructor(parts: QuoteRoundParts) {
    this.#parts = parts;
    this.#body = JSON.stringify(parts.request);
    this.#askedMs = parts.nowMs();
  }

  /** Resolves when all have answered or the time is over, whichever comes first. */
  async run(asked: readonly ListedProvider[]): Promise<void> {
    const leftMs = Math.max(0, this.#parts.request.respond_by_ms - this.#askedMs);
    let timer: NodeJS.Timeout | undefined;
    const closed = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#isOver = true;
        this.#end.abort();
        resolve();
      }, leftMs);
    });
    await Promise.race([Promise.all(asked.map((provider) => this.#ask(provider))), closed]);
    clearTimeout(timer);
  }

  async #ask(provider: ListedProvider): Promise<void> {
    const reply = await provider.client.ask({
      method: "POST",
      path: "/rfq/quotes",
      body: this.#body,
      idempotencyKey: `quote-${this.#parts.request.rfq_id}`,
      signal: this.#end.signal,
    });
    const nowMs = this.#parts.nowMs();
    const conduct = this.#isOver ? "late" : this.#take(provider, reply, nowMs);
    provider.did(conduct, conduct === "quoted" || conduct === "passed" ? nowMs - this.#askedMs : 0);
  }

  #take(provider: ListedProvider, reply: ProviderReply, nowMs: number): Conduct {
    const { request, market, onQuote } = this.#parts;
    if (reply.kind === "late" || nowMs > request.respond_by_ms) return "late";
    if (reply.kind === "fault" || reply.status >= 500 || reply.status === 429) {
      return this.#complain(provider, "failed", shownReply(reply));
    }
    if (reply.status === 204) return "passed";
    const answer = answerOf(quoteAnswer, reply);
    if (answer === null) return this.#complain(provider, "invalid", shownReply(reply));
    if (answer.provider_party !== provider.record.party)
      return this.#complain(provider, "invalid", "a quote for another party");
    const fault = quoteFault(market, { request, answer, askedMs: this.#askedMs, nowMs });
    if (fault !== null) return this.#complain(provider, fault.conduct, fault.words);
    onQuote({ ...answer, provider: provider.provider });
    return "quoted";
  }

  #complain(provider: ListedProvider, conduct: Conduct, words: string): Conduct {
    const { log } = this.#parts;
    log.debug({ provider: provider.provider, words }, "a provider gave no usable quote");
    return conduct;
  }
}
