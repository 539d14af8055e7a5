// Implements LiquidityProviders over HTTP: requests quotes from the best eight providers, has the provider of an
// accepted quote accept the swap and lock its coins, delivers notices, and lowers or raises the providers' scores. It
// makes no decisions about a swap.

import { setTimeout as sleep } from "node:timers/promises";
import { acceptAnswer, refusalAnswer } from "../../../schemas/http/provider-api.ts";
import type { MarketTable } from "../../core/markets.ts";
import type { Log } from "../../ports/log.ts";
import type {
  AcceptOutcome,
  AcceptRequest,
  LiquidityProviders,
  ProviderMark,
  ProviderQuote,
  QuoteRequest,
} from "../../ports/swaps/liquidity-providers.ts";
import type { ProviderRepository } from "../../ports/swaps/provider-registry.ts";
import type { VenueSigner } from "../../services/access/venue-signer.ts";
import { type Conduct, chosenFor } from "../../services/providers/provider-score.ts";
import { NoticeCourier } from "./notice-courier.ts";
import { answerOf, shownReply } from "./provider-answer.ts";
import type { ProviderClient } from "./provider-client.ts";
import { ProviderRoll } from "./provider-roll.ts";
import { QuoteRound } from "./quote-round.ts";
import type { ProviderReply } from "./reply-reader.ts";

/** Pauses in milliseconds before the second and each later request to accept the same swap. */
const acceptPausesMs = [250, 500, 1_000, 2_000] as const;

/** Timeout in milliseconds of one accept request. The provider makes a ledger transaction before it answers. */
const acceptMsMax = 10_000;

/** Polling interval in milliseconds for notices that no wake-up announced. */
const noticeLookMs = 5_000;

export interface HttpLiquidityProvidersParts {
  readonly store: ProviderRepository;
  readonly signer: VenueSigner;
  readonly table: MarketTable;
  /** Milliseconds between two health checks. */
  readonly healthMs: number;
  /** True if plain HTTP is allowed, which it is only on development venues. */
  readonly isPlainAllowed: boolean;
  /** Returns whether connections to an address are allowed. */
  readonly mayReach: (address: string) => boolean;
  readonly log: Log;
  nowMs(): number;
}

const conductOf: Readonly<Record<ProviderMark, Conduct>> = {
  settled: "settled",
  declined: "declined",
  late: "unlocked",
};

export class HttpLiquidityProviders implements LiquidityProviders {
  readonly #parts: HttpLiquidityProvidersParts;
  readonly #roll: ProviderRoll;
  readonly #courier: NoticeCourier;
  /**
   * Number of quote requests sent to single providers so far. Among providers of one score band, the one whose last
   * request has the lowest number is next.
   */
  #turns = 0;

  constructor(parts: HttpLiquidityProvidersParts) {
    this.#parts = parts;
    const { store, signer, healthMs, isPlainAllowed, mayReach } = parts;
    this.#roll = new ProviderRoll({
      ...parts,
      client: {
        isPlainAllowed,
        mayReach,
        sign: (message, idempotencyKey) => signer.sign(message, idempotencyKey),
      },
      healthMs,
      refreshKeys: () => signer.refresh(),
    });
    const lookMs = noticeLookMs;
    this.#courier = new NoticeCourier({ ...parts, store, roll: this.#roll, lookMs });
  }

  /** Resolves when the first health check of all approved providers has ended. */
  ready(): Promise<void> {
    return this.#roll.ready();
  }

  async requestQuotes(
    request: QuoteRequest,
    onQuote: (quote: ProviderQuote) => void,
  ): Promise<readonly string[]> {
    const { table, log, nowMs } = this.#parts;
    const market = table.find(request.pair);
    if (market === undefined) return [];
    const chosen = chosenFor(request.pair, this.#roll.listed);
    for (const provider of chosen) {
      this.#turns++;
      provider.requested(this.#turns);
    }
    await new QuoteRound({ request, market, onQuote, log, nowMs }).run(chosen);
    return chosen.map(({ provider }) => provider);
  }

  async acceptAndAllocate(
    provider: string,
    request: AcceptRequest,
    deadlineMs: number,
  ): Promise<AcceptOutcome> {
    const client = await this.#roll.clientOf(provider);
    if (client === null) return { kind: "unknown", message: "unknown provider id" };
    const { nowMs } = this.#parts;
    const body = JSON.stringify(request);
    const swapId = request.settlement.settlement_ref;
    for (const pauseMs of [...acceptPausesMs, null]) {
      const reply = await this.#accept(client, { swapId, body, deadlineMs });
      const outcome = outcomeOf(reply);
      const isLastTry = pauseMs === null || nowMs() + pauseMs >= deadlineMs;
      if (outcome.kind !== "unknown" || !isWorthAnother(reply) || isLastTry) return outcome;
      await sleep(pauseMs);
    }
    return { kind: "unknown", message: "no answer in time" };
  }

  async mark(provider: string, mark: ProviderMark, reason: string): Promise<void> {
    const listed = this.#roll.find(provider);
    listed?.did(conductOf[mark]);
    const change = listed?.takeChange() ?? null;
    if (change !== null) await this.#parts.store.saveFigures([change]);
    if (mark !== "settled")
      this.#parts.log.info({ provider, mark, reason }, "a provider did not complete a swap");
  }

  async suspend(provider: string, reason: string): Promise<void> {
    const { store, log, nowMs } = this.#parts;
    const change = this.#roll.find(provider)?.takeChange() ?? null;
    this.#roll.drop(provider);
    await store.suspend(provider, reason.slice(0, 200), nowMs());
    if (change !== null) await store.saveFigures([change]);
    log.warn({ provider, reason }, "a provider is suspended");
  }

  wakeCourier(): void {
    this.#courier.wake();
  }

  /** Ends all work in progress. After a restart, work continues from the stored state. */
  async stop(): Promise<void> {
    await this.#roll.stop();
    await this.#courier.stop();
  }

  #accept(
    client: ProviderClient,
    given: { readonly swapId: string; readonly body: string; readonly deadlineMs: number },
  ): Promise<ProviderReply> {
    const { swapId, body, deadlineMs } = given;
    const leftMs = Math.max(1, Math.min(deadlineMs - this.#parts.nowMs(), acceptMsMax));
    return client.send({
      method: "POST",
      path: `/rfq/trades/${swapId}/accept-and-allocate`,
      body,
      idempotencyKey: `accept-${swapId}`,
      signal: AbortSignal.timeout(leftMs),
    });
  }
}

function outcomeOf(reply: ProviderReply): AcceptOutcome {
  const answer = answerOf(acceptAnswer, reply);
  if (answer !== null) return { kind: "accepted", answer };
  const refusal = answerOf(refusalAnswer, reply, 409) ?? answerOf(refusalAnswer, reply, 422);
  if (refusal !== null) return { kind: "rejected", reason: refusal.reason };
  return { kind: "unknown", message: shownReply(reply) };
}

/** True if the same request may be repeated, which is the case only if the reply leaves the outcome open. */
function isWorthAnother(reply: ProviderReply): boolean {
  return reply.kind !== "answer" || reply.status === 429 || reply.status >= 500;
}
