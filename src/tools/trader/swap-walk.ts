// Carries out one swap from request to settlement on the trader's side: collects quotes, accepts the best one, checks
// the transaction before it is signed, and follows the swap's steps. Every statement of the venue that could cost the
// trader money is verified here.

import { createHash, sign } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ledgerDecimals, parseLedgerAmount } from "../../core/money/ledger-amount.ts";
import { type KnownNetwork, unknownNetwork } from "../../services/swaps/known-network.ts";
import { checkPrepared } from "../../services/swaps/prepared-check.ts";
import type { KnownNetworks } from "./known-networks.ts";
import type { LedgerReading } from "./ledger-reading.ts";
import { VenueRefusal, type VenueSession } from "./venue-session.ts";
import type { WalletKey } from "./wallet-key.ts";

interface Listing {
  readonly symbols: readonly {
    readonly filters: readonly { readonly filterType: string; readonly minNotional?: string }[];
  }[];
}

interface BestPrices {
  readonly bidPrice: string;
  readonly askPrice: string;
}

interface RequestedAmount {
  readonly pair: string;
  /** Quantity of the base asset; null if `quoteQty` is given. */
  readonly qty: string | null;
  readonly quoteQty: string | null;
}

/**
 * Returns the market's minimum order value if the amount is below it, otherwise null. A quantity is valued at the
 * higher of best bid and best ask. Throws if the venue does not return the market's filters or prices.
 */
async function leastValueAbove(
  session: VenueSession,
  { pair, qty, quoteQty }: RequestedAmount,
): Promise<string | null> {
  const symbol = encodeURIComponent(pair);
  const listing = await session.get<Listing>(`/api/v3/exchangeInfo?symbol=${symbol}`);
  const filters = listing.symbols[0]?.filters ?? [];
  const least = filters.find(({ filterType }) => filterType === "NOTIONAL")?.minNotional;
  if (least === undefined) return null;
  const one = 10n ** BigInt(ledgerDecimals);
  if (qty === null) return unitsOf(quoteQty ?? "0") < unitsOf(least) ? least : null;
  const path = `/api/v3/ticker/bookTicker?symbol=${symbol}`;
  const { bidPrice, askPrice } = await session.get<BestPrices>(path);
  const isBelow = [bidPrice, askPrice].every(
    (price) => unitsOf(qty) * unitsOf(price) < unitsOf(least) * one,
  );
  return isBelow ? least : null;
}

/** Parses a decimal in units of 10^−10; throws for invalid text. */
function unitsOf(text: string): bigint {
  const units = parseLedgerAmount(text);
  if (units === null)
    throw new Error(`${text.slice(0, 50)} is not a decimal with at most ten places`);
  return units;
}

const lookMs = 150;
/** Maximum time in ms to follow a swap. The deadlines of a swap end it before that. */
const walkMsMax = 600_000;

const ends: ReadonlySet<string> = new Set(["settled", "expired", "cancelled", "released"]);

interface ShownQuote {
  readonly quote_id: string;
  readonly provider_party: string;
  readonly price: string;
  readonly qty: string;
  readonly quote_qty: string;
  readonly valid_until: string | null;
}

export interface ShownMove {
  readonly move_no: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
  readonly at: string;
  /** Text of the step's details, whose hash is in the journal. */
  readonly details: string;
  readonly seq: string | null;
}

export interface ShownSwap {
  readonly swap_id: string;
  readonly pair: string;
  readonly side: "BUY" | "SELL";
  readonly status: string;
  readonly reason: string | null;
  readonly created_at: string;
  readonly ends_at: string | null;
  readonly accepted: ShownQuote | null;
  readonly allocate_before: string | null;
  readonly settle_before: string | null;
  readonly update_id: string | null;
  readonly quotes: readonly ShownQuote[];
  readonly moves: readonly ShownMove[];
}

interface PreparedAnswer {
  readonly swap_id: string;
  readonly prepared_transaction: string;
  readonly prepared_transaction_hash: string;
  readonly hashing_scheme_version: string;
  readonly sign_before: string;
}

export interface SwapRequest {
  readonly pair: string;
  readonly side: "BUY" | "SELL";
  /** Quantity of the base asset; null if `quoteQty` is given. */
  readonly qty: string | null;
  readonly quoteQty: string | null;
  /** Position of the quote to accept; 1 is the best quote. */
  readonly position: number;
  /** Worst acceptable price; null to accept any price. */
  readonly limitPrice: string | null;
  readonly usesFaucet: boolean;
}

interface SwapWalkParts {
  readonly session: VenueSession;
  readonly wallet: WalletKey;
  /** The ledger; null if it cannot be read from here. */
  readonly ledger: LedgerReading | null;
  /** The networks that the wallet has used before; null if the ledger can be read instead. */
  readonly networks: KnownNetworks | null;
  readonly say: (message: string) => void;
}

/** The hash that was signed, and the checks that were made before signing. */
export interface Signed {
  readonly hash: string;
  readonly signature: string;
  readonly checks: readonly string[];
}

export class SwapWalk {
  readonly #parts: SwapWalkParts;
  #movesSaid = 0;
  #seen: ShownSwap | null = null;

  constructor(parts: SwapWalkParts) {
    this.#parts = parts;
  }

  /** The state that the venue last reported; null before the request. */
  get seen(): ShownSwap | null {
    return this.#seen;
  }

  /** Carries out the swap and returns it once settled; throws the reason if it does not settle. */
  async run(request: SwapRequest): Promise<{ swap: ShownSwap; signed: Signed }> {
    const quoted = await this.#quotes(request);
    const quote = chosenQuote(quoted, request);
    if (request.usesFaucet) await this.#fund(quoted, quote);
    const path = pathOf(quoted);
    const { session, say } = this.#parts;
    const taken = await session.post<ShownSwap>(`${path}/accept`, { quote_id: quote.quote_id });
    this.#seen = taken;
    say(`Accepted quote ${quote.quote_id}: ${termsOf(quoted, quote)}`);
    // The agreed terms are the request and the accepted quote as first shown, so later reports of the venue cannot
    // change them.
    const agreed = { ...taken, pair: request.pair, side: request.side, accepted: quote };
    const signed = await this.#sign(path, agreed);
    const swap = await this.#follow(path);
    return { swap, signed };
  }

  /** Requests the swap; returns it with all quotes of its window. */
  async #quotes(request: SwapRequest): Promise<ShownSwap> {
    const { pair, side, qty, quoteQty } = request;
    const { session, say } = this.#parts;
    const amount = qty === null ? { quote_qty: quoteQty } : { qty };
    let swap = await session
      .post<ShownSwap>("/v1/swaps/rfq", { pair, side, ...amount })
      .catch((error: unknown) => this.#refused(error, request));
    this.#seen = swap;
    say(`Swap ${swap.swap_id}: requesting quotes`);
    const windowMs = Date.parse(swap.ends_at ?? swap.created_at) - Date.parse(swap.created_at);
    const untilMs = performance.now() + windowMs;
    const said = new Set<string>();
    for (const path = pathOf(swap); ; await sleep(lookMs)) {
      const isLast = performance.now() >= untilMs;
      swap = await session.get<ShownSwap>(path);
      this.#seen = swap;
      for (const quote of swap.quotes.filter(({ quote_id: id }) => !said.has(id))) {
        said.add(quote.quote_id);
        say(`  quote ${quote.quote_id}: ${termsOf(swap, quote)}`);
      }
      const isQuoted = swap.status === "quoted";
      if (isQuoted ? isLast : swap.status !== "requested") break;
    }
    if (swap.status !== "quoted") throw endedWithout(swap);
    return swap;
  }

  /** Throws `error`. If the amount is below the market's minimum value, adds that minimum to the message. */
  async #refused(error: unknown, request: SwapRequest): Promise<never> {
    if (!(error instanceof VenueRefusal) || error.status !== 400) throw error;
    // If the market's filters or prices cannot be read, pass the refusal on unchanged.
    const least = await leastValueAbove(this.#parts.session, request).catch(() => null);
    if (least === null) throw error;
    const quote = request.pair.split("-")[1];
    throw new Error(
      `${error.message}; a swap of ${request.pair} must be worth at least ${least} ${quote}`,
    );
  }

  /** Gets test funds from the venue's faucet if the party cannot pay. */
  async #fund({ pair, side }: ShownSwap, quote: ShownQuote): Promise<void> {
    const { session, ledger, say } = this.#parts;
    const [base = "", other = ""] = pair.split("-");
    const [asset, amount] = side === "SELL" ? [base, quote.qty] : [other, quote.quote_qty];
    const held = (await ledger?.free(asset)) ?? 0n;
    if (held >= unitsOf(amount)) return;
    try {
      await session.post("/v1/deposits/seed", { asset, amount, wallet: "ledger" });
      say(`Received ${amount} ${asset} from the faucet on the ledger`);
    } catch (error) {
      // A venue without development tools has no faucet and answers 404.
      if (!(error instanceof VenueRefusal) || error.status !== 404) throw error;
    }
  }

  /** Signs the transaction if it locks the trader's payment and does nothing else. */
  async #sign(path: string, agreed: ShownSwap): Promise<Signed> {
    const { session, wallet, networks, say } = this.#parts;
    const prepared = await session.post<PreparedAnswer>(`${path}/prepare`);
    const { party } = session;
    const options = { sha256, party, known: await this.#known(), nowMs: Date.now() };
    // This program only signs locks, never withdrawals, whatever state the venue reports.
    const verdict = await checkPrepared(prepared, { ...agreed, status: "accepted" }, options);
    const { isReadable, isValid, isOtherNetwork, steps } = verdict;
    const hash = prepared.prepared_transaction_hash;
    say(`Transaction to sign before ${prepared.sign_before}: ${hash}`);
    for (const { isOk, message } of steps) say(`  ${isOk ? "ok    " : "FAILED"} ${message}`);
    if (!isReadable || !isValid) {
      const known = `delete its entry in ${networks?.path} only if the venue has announced the change`;
      const differs =
        isOtherNetwork && networks !== null
          ? known
          : "the transaction does not match the accepted quote";
      const why = isReadable ? differs : "this program cannot read the transaction";
      throw new Error(`nothing was signed, and nothing is locked: ${why}`);
    }
    // Store the network before signing, so that every network for which the wallet has ever signed is in the file.
    await networks?.keep(verdict.known);
    const signature = sign(null, Buffer.from(hash, "base64"), wallet.key).toString("base64");
    await session.post(`${path}/execute`, { prepared_transaction_hash: hash, signature });
    say("Signed");
    return { hash, signature, checks: steps.map(({ message }) => message) };
  }

  /** Returns what is known of the network: from the ledger if it can be read, otherwise from earlier swaps. */
  async #known(): Promise<KnownNetwork> {
    const { networks, ledger } = this.#parts;
    if (networks !== null) return networks.read();
    return (await ledger?.network()) ?? unknownNetwork;
  }

  /** Follows the swap; resolves when it is settled and its steps are in the journal. */
  async #follow(path: string): Promise<ShownSwap> {
    const { session } = this.#parts;
    for (
      const untilMs = performance.now() + walkMsMax;
      performance.now() < untilMs;
      await sleep(lookMs)
    ) {
      const swap = await session.get<ShownSwap>(path);
      this.#seen = swap;
      this.#sayMoves(swap);
      if (!ends.has(swap.status)) continue;
      if (swap.status !== "settled") throw endedWithout(swap);
      if (swap.moves.every(({ seq }) => seq !== null)) return swap;
    }
    throw new Error(`the swap is still in progress; follow it with GET ${path}`);
  }

  #sayMoves({ moves }: ShownSwap): void {
    for (const { from, to, at } of moves.slice(this.#movesSaid))
      this.#parts.say(`  ${at}  ${from} → ${to}`);
    this.#movesSaid = moves.length;
  }
}

/** Returns the SHA-256 of `data`, computed by the runtime. */
export function sha256(data: Uint8Array): Uint8Array {
  return createHash("sha256").update(data).digest();
}

function pathOf({ swap_id: id }: ShownSwap): string {
  return `/v1/swaps/rfq/${id}`;
}

function termsOf({ pair, side }: ShownSwap, quote: ShownQuote): string {
  const [base = "", other = ""] = pair.split("-");
  const verb = side === "BUY" ? "buy" : "sell";
  const who = quote.provider_party.split("::")[0];
  return `${verb} ${quote.qty} ${base} at ${quote.price}, ${quote.quote_qty} ${other}, from ${who}`;
}

/** Returns the quote at the requested position; quotes are sorted, best first. */
function chosenQuote(swap: ShownSwap, request: SwapRequest): ShownQuote {
  const { position, limitPrice } = request;
  const quote = swap.quotes[position - 1];
  if (quote === undefined)
    throw new Error(`no quote ${position}: ${swap.quotes.length} arrived; nothing was accepted`);
  const fault = quoteFault(quote, request);
  if (fault !== null) throw new Error(`the quote ${fault}; nothing was accepted`);
  if (limitPrice === null) return quote;
  const [price, limit] = [unitsOf(quote.price), unitsOf(limitPrice)];
  if (request.side === "BUY" ? price > limit : price < limit)
    throw new Error(
      `the quote of ${quote.price} is worse than ${limitPrice}; nothing was accepted`,
    );
  return quote;
}

/** Returns why a quote does not fit the request, or null. */
function quoteFault(quote: ShownQuote, { side, qty, quoteQty }: SwapRequest): string | null {
  const [price, lots, value] = [quote.price, quote.qty, quote.quote_qty].map(unitsOf);
  if (price === undefined || lots === undefined || value === undefined) return "is malformed";
  if (price * lots !== value * 10n ** BigInt(ledgerDecimals))
    return "has amounts that do not match its price";
  if (qty !== null) return lots === unitsOf(qty) ? null : "is for another quantity";
  const most = unitsOf(quoteQty ?? "0");
  return (side === "BUY" ? value <= most : value >= most) ? null : "is for another amount";
}

const hints: Readonly<Record<string, string>> = {
  no_quote:
    "no provider quoted: the pair's order book may be too thin for this side or amount, or the amount is below " +
    "the market's minimum; with DEV_PROVIDER=0 or on another venue, start a provider ('rialto provider')",
  quotes_lapsed: "the quotes expired before one was accepted: try again",
  trader_late: "the signature arrived too late: try again",
  lock_failed: "the ledger did not accept the signed transaction: nothing is locked, try again",
  provider_declined: "the provider withdrew its quote: your lock is released",
  provider_late: "the provider did not lock its holdings in time: your lock is released",
  operator_aborted: "the operator cancelled the swap: your lock is released",
};

function endedWithout({ swap_id: id, status, reason }: ShownSwap): Error {
  return new Error(
    `swap ${id} is ${status} (${reason}): ${hints[reason ?? ""] ?? "nothing was transferred"}`,
  );
}
