// Lists of open orders as JSON texts. Each list is rendered once and cached until one of its orders changes, because
// market makers request the same list all day. The texts of single orders are cached too, so that a change renders one
// order again instead of two hundred.

import { openListCharactersKept, openTextsKept } from "../../../core/limits.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import type { VenueState } from "../../../engine/state/venue-state.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import type { SurfaceView } from "../requests/surface-view.ts";
import { type ShownMarket, shownIn } from "./order-format.ts";

/** The orders of a list: those in one market, or in all markets of a kind. */
export interface OpenOrderScope {
  readonly kind: MarketKind;
  readonly market: Market | null;
  /** The view for which the orders are rendered. */
  readonly view: SurfaceView;
}

export type OrderRenderer = (order: OrderRecord, market: ShownMarket) => string;

/**
 * The key of a list in the cache. It is negative for a list of all markets of a kind, so that it differs from the keys
 * of single markets. Lists with and without padding have different keys.
 */
function scopeKey({ kind, market }: OpenOrderScope, isPadded: boolean): number {
  return 2 * (market === null ? -1 - kind : market.id) + (isPadded ? 1 : 0);
}

/** Returns whether the list shows figures padded with zeros. */
function hasPadding({ kind, view }: OpenOrderScope): boolean {
  return view === "compat" && kind === MarketKind.spot;
}

export class OpenOrderTexts {
  readonly #state: VenueState;
  readonly #record: (slot: number) => OrderRecord;
  /** Texts of single orders by slot; `#padded` holds the texts with padded figures. */
  readonly #texts = new Map<number, string>();
  readonly #padded = new Map<number, string>();
  /** Whole lists by account, then by scope. */
  readonly #lists = new Map<number, Map<number, string>>();
  #listCharacters = 0;
  /** False until the first list is requested: until then there is nothing to invalidate. */
  isUsed = false;

  /** Creates the empty cache; `record` reads the order in a slot of `state`. */
  constructor(state: VenueState, record: (slot: number) => OrderRecord) {
    this.#state = state;
    this.#record = record;
  }

  /**
   * The account's open orders as a JSON array, oldest first. Each scope must always be rendered by the same function.
   */
  list(account: number, scope: OpenOrderScope, render: OrderRenderer): string {
    this.isUsed = true;
    const key = scopeKey(scope, hasPadding(scope));
    const kept = this.#lists.get(account)?.get(key);
    if (kept !== undefined) return kept;
    const text = this.#joined(account, scope, render);
    if (this.#listCharacters + text.length > openListCharactersKept) this.#forgetLists();
    this.#listCharacters += text.length;
    const lists = this.#lists.get(account) ?? new Map<number, string>();
    this.#lists.set(account, lists.set(key, text));
    return text;
  }

  /** Drops cached texts, because the order in `slot` was added or changed, or is about to be removed. */
  forget(slot: number): void {
    if (this.#texts.size > 0) this.#texts.delete(slot);
    if (this.#padded.size > 0) this.#padded.delete(slot);
    if (this.#lists.size === 0) return;
    const account = this.#state.orders.account[slot] ?? 0;
    const lists = this.#lists.get(account);
    if (lists === undefined) return;
    for (const text of lists.values()) this.#listCharacters -= text.length;
    this.#lists.delete(account);
  }

  #forgetLists(): void {
    this.#lists.clear();
    this.#listCharacters = 0;
  }

  #joined(account: number, scope: OpenOrderScope, render: OrderRenderer): string {
    const { kind, market, view } = scope;
    const { orders, table } = this.#state;
    const kept = hasPadding(scope) ? this.#padded : this.#texts;
    const texts: string[] = [];
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      const own = table.market(orders.market[slot] ?? 0);
      if (market === null ? own.kind !== kind : own !== market) continue;
      texts.push(this.#textOf(slot, shownIn(view, own), { render, kept }));
    }
    // Brackets are joined with the items into one flat string: V8 would traverse a concatenated string again at every
    // answer.
    return ["[", texts.reverse().join(","), "]"].join("");
  }

  #textOf(
    slot: number,
    market: ShownMarket,
    { render, kept }: { render: OrderRenderer; kept: Map<number, string> },
  ): string {
    const known = kept.get(slot);
    if (known !== undefined) return known;
    // Converting to bytes and back gives a flat string, which V8 does not have to traverse at each answer.
    const text = Buffer.from(render(this.#record(slot), market)).toString("latin1");
    if (kept.size >= openTextsKept) kept.clear();
    kept.set(slot, text);
    return text;
  }
}
