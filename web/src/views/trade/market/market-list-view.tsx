// The list of markets to choose from: search, favourites, and the figures of each market. The arrow keys move through
// the rows, Enter opens one.

import { type Signal, signal, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { shown, toneOf } from "../../../decimal-text.ts";
import { marketFeed } from "../../../markets/feed.ts";
import type { Market } from "../../../markets/market.ts";
import { tradedDay } from "../../../markets/market-figures.ts";
import {
  favourites,
  followList,
  type ListFigures,
  listFigures,
  turnFavourite,
} from "../../../markets/market-list.ts";
import { foundMarkets, type MarketKind, marketKinds } from "../../../markets/market-search.ts";
import { markets } from "../../../markets/markets.ts";
import { addressOf } from "../../../route.ts";
import { Tabs } from "../../form/choice.tsx";
import { changeText, percentOf } from "./rate-text.ts";

const text = signal("");
const kind = signal<MarketKind>("All");

const millions = new Intl.NumberFormat("en-US", {
  notation: "compact",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** A sum of money in whole units, from a million on with a letter: "12.3M". */
function compactText(sum: string | undefined): string {
  return Number(sum ?? 0) < 1e6 ? shown(sum, 0) : millions.format(Number(sum));
}

interface FiguresProps {
  readonly market: Market;
  readonly figures: ListFigures | undefined;
}

function Figures({ market, figures }: FiguresProps): VNode {
  const { pricePlaces, quantityPlaces } = market;
  const day = tradedDay(figures?.day);
  const mark = Number(figures?.mark?.price ?? 0) > 0 ? figures?.mark : undefined;
  return (
    <>
      <td>{shown(day?.last, pricePlaces)}</td>
      <td class={toneOf(day?.change)}>{day === null ? "–" : changeText(day)}</td>
      <td title={shown(day?.quoteVolume, 0)}>{compactText(day?.quoteVolume)}</td>
      <td>{shown(mark?.price, pricePlaces)}</td>
      <td>{shown(mark?.index, pricePlaces)}</td>
      <td>{mark == null ? "–" : percentOf(mark.fundingRate)}</td>
      <td>{shown(figures?.openInterest, quantityPlaces)}</td>
    </>
  );
}

function Star({ symbol }: { symbol: string }): VNode {
  const isKept = favourites.value.includes(symbol);
  return (
    <button
      type="button"
      class="star"
      aria-pressed={isKept}
      aria-label={`${symbol} is a favourite`}
      onClick={() => turnFavourite(symbol)}
    >
      {isKept ? "★" : "☆"}
    </button>
  );
}

const headings = ["Last", "24h", "Volume", "Mark", "Index", "Funding", "Open interest"] as const;

interface ListProps {
  readonly current: Market;
  readonly isOpen: Signal<boolean>;
}

function Rows({ current, isOpen }: ListProps): VNode {
  const search = { text: text.value, kind: kind.value, favourites: favourites.value };
  const found = foundMarkets(markets.value, { ...search, current: current.symbol });
  if (found.length === 0) return <p class="empty">No market matches.</p>;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col" colSpan={2}>
            Market
          </th>
          {headings.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {found.map((market) => (
          <tr key={market.symbol} class={market.symbol === current.symbol ? "current" : ""}>
            <td>
              <Star symbol={market.symbol} />
            </td>
            <th scope="row">
              <a
                href={addressOf("trade", market.symbol)}
                aria-current={market.symbol === current.symbol ? "true" : undefined}
                onClick={() => {
                  isOpen.value = false;
                }}
              >
                {market.symbol}
              </a>
              {market.isDelisted && <small> delisted</small>}
              {!market.isDelisted && !market.isTrading && <small> halted</small>}
            </th>
            <Figures market={market} figures={listFigures.value.get(market.symbol)} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Moves the focus among the search field and the rows' links. */
function step(event: KeyboardEvent, field: HTMLInputElement | null): void {
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const list = event.currentTarget;
  if (move === undefined || !(list instanceof HTMLElement)) return;
  const links = [...list.querySelectorAll<HTMLElement>("tbody a")];
  const now = links.indexOf(document.activeElement as HTMLElement);
  event.preventDefault();
  (links[now + move] ?? (move < 0 ? field : links.at(-1)))?.focus();
}

export function MarketListView({ current, isOpen }: ListProps): VNode {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    text.value = "";
    field.current?.focus();
    // Letters go on with the search from wherever in the list, as after a click on a star.
    const search = ({ key, ctrlKey, altKey, metaKey, target }: KeyboardEvent): void => {
      const isText = key.length === 1 && key !== " " && !ctrlKey && !altKey && !metaKey;
      const isTyped = target instanceof HTMLInputElement;
      if (isText && !isTyped) field.current?.focus();
    };
    addEventListener("keydown", search);
    return () => removeEventListener("keydown", search);
  }, []);
  useSignalEffect(() => followList(marketFeed, markets.value));
  return (
    // Keys of the fields and links inside.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div class="market-list" onKeyDown={(event) => step(event, field.current)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const list = event.currentTarget.closest(".market-list");
          list?.querySelector<HTMLElement>("tbody a")?.click();
        }}
      >
        <input
          type="search"
          ref={field}
          aria-label="Search markets"
          placeholder="Search markets"
          autocomplete="off"
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
          }}
        />
      </form>
      <Tabs class="tabs" label="Kind of market" names={marketKinds} chosen={kind} />
      <div class="market-rows">
        <Rows current={current} isOpen={isOpen} />
      </div>
    </div>
  );
}
