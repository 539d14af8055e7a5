// The button that opens the list of markets, and the figures of the selected market.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { nowMs } from "../../../clock.ts";
import { shown, toneOf } from "../../../decimal-text.ts";
import type { Market } from "../../../markets/market.ts";
import {
  day,
  lastPrice,
  mark,
  markAtMs,
  openInterest,
  restriction,
  tradedDay,
} from "../../../markets/market-figures.ts";
import { marketNotice } from "../../../markets/market-notice.ts";
import { Figure } from "../../form/figure.tsx";
import { Popover } from "../../form/popover.tsx";
import { LeverageButton } from "../leverage-dialog.tsx";
import { MarketListView } from "./market-list-view.tsx";
import { changeText, countdownOf, percentOf } from "./rate-text.ts";

interface MarketProps {
  readonly market: Market;
}

/** Whether the list of markets is open. */
export const isListOpen = signal(false);

function NextFunding({ atMs }: { atMs: number }): VNode {
  return <Figure name="Next funding in" value={countdownOf(atMs - nowMs.value)} />;
}

function PerpetualFigures({ market }: MarketProps): VNode {
  const { value } = mark;
  const places = market.pricePlaces;
  const priced = (price: string | undefined) => (Number(price) > 0 ? shown(price, places) : "–");
  return (
    <>
      <Figure name="Mark" value={priced(value?.price)} />
      <Figure name="Index" value={priced(value?.index)} />
      <Figure name="Funding" value={value === null ? "–" : percentOf(value.fundingRate)} />
      {value === null ? (
        <Figure name="Next funding in" value="–" />
      ) : (
        <NextFunding atMs={value.nextFundingMs} />
      )}
      <Figure
        name={`Open interest ${market.base}`}
        value={shown(openInterest.value, market.quantityPlaces)}
      />
    </>
  );
}

/** Shows that the market is delisted, halted, restricted or without fresh prices. */
export function MarketNotice({ market }: MarketProps): VNode {
  const facts = {
    market,
    markAtMs: markAtMs.value,
    refusal: restriction.value,
    nowMs: nowMs.value,
  };
  return (
    <p class="market-notice" role="status">
      {marketNotice(facts)}
    </p>
  );
}

export function MarketBar({ market }: MarketProps): VNode {
  const traded = tradedDay(day.value);
  const places = market.pricePlaces;
  return (
    <div class="market-bar">
      <Popover
        class="market-choice"
        isOpen={isListOpen}
        label="Market"
        text={<b>{market.symbol}</b>}
      >
        <MarketListView current={market} isOpen={isListOpen} />
      </Popover>
      <LeverageButton market={market} />
      {/* The figures of a narrow screen scroll sideways, so they must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <section class="figures" tabIndex={0} aria-label={`Figures of ${market.symbol}`}>
        <dl>
          <Figure
            name="Last price"
            value={shown(lastPrice.value, places)}
            tone={toneOf(traded?.change)}
          />
          <Figure
            name="24h change"
            value={traded === null ? "–" : changeText(traded)}
            tone={toneOf(traded?.change)}
          />
          <Figure name="24h high" value={shown(traded?.high, places)} />
          <Figure name="24h low" value={shown(traded?.low, places)} />
          <Figure name={`24h volume ${market.quote}`} value={shown(traded?.quoteVolume, 0)} />
          {market.isPerpetual && <PerpetualFigures market={market} />}
        </dl>
      </section>
    </div>
  );
}
