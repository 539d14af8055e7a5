// The providers of a campaign, each with its own socket and a wallet on the ledger. They quote honestly. For each swap,
// a provider's behaviour after the trader took its quote is drawn at random.

import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { AcceptOutcome, AcceptRequest } from "../../src/ports/swaps/liquidity-providers.ts";
import type { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { approvedHost } from "../providers/approved-host.ts";
import { json, type ProviderHost } from "../providers/provider-host.ts";
import { LedgerMaker } from "../support/ledger/ledger-maker.ts";
import type { CampaignVenue } from "../support/venue/campaign-venue.ts";

/** The behaviours of providers, each with the number of forty swaps that get it. */
const conducts = [
  ["honest", 32],
  ["slow", 1],
  ["silent", 1],
  ["declines", 1],
  ["lies", 1],
  ["locks twice", 1],
  ["locks and hangs up", 1],
  ["locks and says no", 1],
  ["hangs up first", 1],
] as const;
type Conduct = (typeof conducts)[number][0];

const slowMs = 1_500;
const validMs = 20_000;
/** Coins of each asset beyond the maker's own four, because many swaps lock coins at once. */
const moreCoins = 12;
const coinWorth = 100_000;
/** A provider's initial amount of each asset. */
export const makerCoins = (4 + moreCoins) * coinWorth;

export class CampaignMaker {
  readonly party: string;
  readonly struck: Record<string, number> = {};
  readonly #host: ProviderHost;
  readonly #maker: LedgerMaker;
  readonly #random: SeededRandom;
  readonly #conducts = new Map<string, Conduct>();

  static async open(
    venue: CampaignVenue,
    name: string,
    random: SeededRandom,
  ): Promise<CampaignMaker> {
    const [ledger, secrets, admin] = await Promise.all([
      venue.ledger(),
      venue.secrets(),
      venue.control(),
    ]);
    const maker = await LedgerMaker.open({ ledger: { endpoint: ledger }, secrets, admin }, name);
    for (const asset of ["USDC", "CC"])
      for (let coin = 0; coin < moreCoins; coin++)
        await admin.tap(maker.party, asset, `${coinWorth}`);
    const approve = (provider: string) => venue.call("providers/approve", { provider });
    const { host } = await approvedHost(
      { address: venue.address, operator: { providers: { approve } } },
      maker.party,
    );
    return new CampaignMaker(host, maker, random);
  }

  private constructor(host: ProviderHost, maker: LedgerMaker, random: SeededRandom) {
    this.party = maker.party;
    this.#host = host;
    this.#maker = maker;
    this.#random = random;
    host.answer("quotes", ({ body }, response) => this.#quote(body, response));
    host.answer("accept-and-allocate", ({ body }, response) => {
      // A maker that fails sends no answer, so the venue retries.
      this.#accept(JSON.parse(body) as AcceptRequest, response).catch(() => response.destroy());
    });
    for (const notice of ["result", "cancel"])
      host.answer(notice, (_, response) => void response.writeHead(204).end());
  }

  /** Returns the maker's unlocked coins. */
  usable(): ReturnType<LedgerMaker["usable"]> {
    return this.#maker.usable();
  }

  close(): Promise<void> {
    return this.#host.close();
  }

  #quote(body: string, response: ServerResponse): void {
    const { side, qty } = JSON.parse(body) as { side: string; qty?: string };
    json(response, 200, {
      quote_id: `q-${this.#random.below(1_000_000_000)}`,
      price: side === "BUY" ? "0.1510" : "0.1490",
      qty: qty ?? "100.0",
      valid_until_ms: Date.now() + validMs,
      provider_party: this.party,
    });
  }

  async #accept(request: AcceptRequest, response: ServerResponse): Promise<void> {
    const maker = this.#maker;
    switch (this.#conductIn(request.settlement.settlement_ref)) {
      case "silent":
        return;
      case "hangs up first":
        response.destroy();
        return;
      case "declines":
        json(response, 409, { reason: "no" });
        return;
      case "lies":
        tell(response, await maker.lockInTurn(request, (units) => units - 1n));
        return;
      case "locks twice":
        await maker.accept(request);
        await maker.lockInTurn(request, (units) => units, false);
        tell(response, await maker.accept(request));
        return;
      case "locks and hangs up":
        await maker.accept(request);
        response.destroy();
        return;
      case "locks and says no":
        await maker.accept(request);
        json(response, 422, { reason: "no" });
        return;
      case "slow":
        await sleep(slowMs);
        tell(response, await maker.accept(request));
        return;
      case "honest":
        tell(response, await maker.accept(request));
    }
  }

  #conductIn(swapId: string): Conduct {
    const known = this.#conducts.get(swapId);
    if (known !== undefined) return known;
    const conduct = this.#drawn();
    this.#conducts.set(swapId, conduct);
    this.struck[conduct] = (this.struck[conduct] ?? 0) + 1;
    return conduct;
  }

  #drawn(): Conduct {
    const all = conducts.reduce((sum, [, share]) => sum + share, 0);
    let left = this.#random.below(all);
    for (const [conduct, share] of conducts) {
      left -= share;
      if (left < 0) return conduct;
    }
    return "honest";
  }
}

function tell(response: ServerResponse, outcome: AcceptOutcome): void {
  if (outcome.kind === "accepted") {
    const { update_id } = outcome.answer;
    json(response, 200, { allocation_cid: "00", trade_cid: "00", update_id });
  } else if (outcome.kind === "rejected") json(response, 409, { reason: outcome.reason });
  else json(response, 503, {});
}
