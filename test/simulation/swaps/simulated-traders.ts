// Traders of swaps in the simulation. Through a front's swap service they request quotes, accept one, cancel, and sign
// prepared transactions. Some traders lock their coins without the venue, and some do nothing.

import { isSwapOver, SwapState } from "../../../src/core/swaps.ts";
import type { ChangeKey, ContractId } from "../../../src/ports/ledger/ledger.ts";
import type { SwapRow } from "../../../src/ports/swaps/swap-store.ts";
import type { SwapService } from "../../../src/services/swaps/swap-service.ts";
import { termsOf } from "../../../src/services/swaps/swap-terms.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { testMarkets } from "../../support/machine/test-markets.ts";
import { type SimulatedSwapLedger, signatureOver } from "../ledger/simulated-swap-ledger.ts";
import type { SimulatedSwapRows } from "./simulated-swap-rows.ts";

export interface SimulatedTradersParts {
  readonly random: SeededRandom;
  readonly rows: SimulatedSwapRows;
  readonly ledger: SimulatedSwapLedger;
  readonly nowMs: () => number;
  readonly accounts: readonly number[];
  readonly instruments: Parameters<typeof termsOf>[2];
}

/** Most open swaps of all traders. With more, their locks would block each other and few swaps would finish. */
const openMax = 4;
/** Most pending requests of traders to a front. */
const requestsMax = 6;

export class SimulatedTraders {
  readonly #parts: SimulatedTradersParts;
  #asked = 0;
  #ids = 0;

  constructor(parts: SimulatedTradersParts) {
    this.#parts = parts;
  }

  /** Starts with no pending requests: the fronts are new, and requests to the old ones are lost. */
  start(): void {
    this.#asked = 0;
  }

  /** Lets one trader act. */
  async act(service: SwapService): Promise<void> {
    const { random, accounts, rows } = this.#parts;
    const open = rows.all.filter(({ state }) => !isSwapOver(state));
    // Handle quoted swaps first, because quotes are valid for seconds only.
    const quoted = open.find(({ state }) => state === SwapState.quoted);
    const swap =
      quoted ?? open[random.below(open.length < openMax ? open.length + 1 : open.length)];
    const account = accounts[random.below(accounts.length)] ?? 0;
    if (this.#asked >= requestsMax) return;
    this.#asked++;
    const over = (): void => {
      this.#asked = Math.max(0, this.#asked - 1);
    };
    const done =
      swap === undefined ? this.#request(service, account) : this.#goOn(service, swap.swapNo);
    // After a failed request the trader simply tries again.
    done.then(over, over);
  }

  async #request(service: SwapService, account: number): Promise<void> {
    const { random } = this.#parts;
    const side = random.below(2) === 0 ? "BUY" : "SELL";
    const qty = `${100 + random.below(900)}`;
    await service.request(account, { pair: "CC-USDC", side, qty, quoteQty: null });
  }

  async #goOn(service: SwapService, swapNo: number): Promise<void> {
    const { random, rows } = this.#parts;
    const swap = await rows.swap(swapNo);
    if (swap === null) return;
    const dice = random.below(100);
    if (swap.state === SwapState.quoted && dice < 70) await this.#accept(service, swap);
    else if (swap.state === SwapState.accepted && swap.isWallet) await this.#lock(swap);
    else if (swap.state === SwapState.accepted && dice < 80) await this.#sign(service, swap);
    else if (swap.state === SwapState.releasing && dice < 60) await this.#sign(service, swap);
    else if (hasLocked(swap) && dice < 2) this.#takeBack(swap);
    else if (dice === 0) await service.cancel(swap);
    else if (dice === 99 && random.below(4) === 0) await rows.requestAbort(swapNo);
  }

  async #accept(service: SwapService, swap: SwapRow): Promise<void> {
    const { random, rows } = this.#parts;
    const quotes = await rows.quotes(swap.swapNo);
    const quote = quotes[random.below(quotes.length)];
    if (quote !== undefined) await service.accept(swap, quote.quoteNo, random.below(4) === 0);
  }

  async #sign(service: SwapService, swap: SwapRow): Promise<void> {
    const ready = await service.prepare(swap);
    if (typeof ready === "string" || !("swapNo" in ready)) return;
    const hash = ready.prepared?.hash ?? "";
    await service.execute(ready, hash, signatureOver(hash));
  }

  async #lock(swap: SwapRow): Promise<void> {
    const { ledger, instruments, nowMs } = this.#parts;
    const { party } = swap.trader;
    const terms = termsOf(swap, testMarkets.market(swap.market), instruments);
    const instrument = terms.legs.find(({ sender }) => sender === party)?.instrument;
    if (instrument === undefined) return;
    const coins = await ledger.freeCoins(party, instrument, nowMs());
    const inputs: ContractId[] = coins.map(({ contractId }) => contractId).slice(0, 100);
    ledger.lockByItself(this.#change(swap, "lock"), terms, inputs);
  }

  #takeBack(swap: SwapRow): void {
    const { swapId, trader } = swap;
    this.#parts.ledger.withdrawByItself(this.#change(swap, "withdraw"), swapId, trader.party);
  }

  #change({ swapId, trader }: SwapRow, what: string): ChangeKey {
    const submissionId = `wallet-${++this.#ids}`;
    const commandId = `wallet:${swapId}:${what}`;
    return { commandId, submissionId, actAs: [trader.party], dedupOffset: 0 };
  }
}

function hasLocked({ state }: SwapRow): boolean {
  return state === SwapState.traderAllocated || state === SwapState.allocated;
}
