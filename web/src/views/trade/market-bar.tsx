// The market selector and the 24-hour figures of the selected market.

import type { VNode } from "preact";
import { nowMs } from "../../clock.ts";
import { shown, signed, toneOf } from "../../decimal-text.ts";
import type { Market } from "../../markets/market.ts";
import { day, mark, markAtMs, restriction } from "../../markets/market-figures.ts";
import { marketNotice } from "../../markets/market-notice.ts";
import { markets } from "../../markets/markets.ts";
import { addressOf } from "../../route.ts";
import { LeverageButton } from "./leverage-dialog.tsx";

interface MarketProps {
  readonly market: Market;
}

function Figure({ name, value, tone = "" }: { name: string; value: string; tone?: string }): VNode {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd class={tone}>{value}</dd>
    </div>
  );
}

/** A rate such as 0.00010000 in percent. */
function percentOf(rate: string): string {
  return `${(Number(rate) * 100).toFixed(4)} %`;
}

function clockOf(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16);
}

function PerpetualFigures({ market }: MarketProps): VNode {
  const { value } = mark;
  const places = market.pricePlaces;
  const isKnown = value !== null && Number(value.price) > 0;
  return (
    <>
      <Figure name="Mark" value={isKnown ? shown(value.price, places) : "–"} />
      <Figure name="Funding" value={value === null ? "–" : percentOf(value.fundingRate)} />
      <Figure
        name="Next funding (UTC)"
        value={value === null ? "–" : clockOf(value.nextFundingMs)}
      />
    </>
  );
}

/** Lists the markets to choose from. Delisted markets are left out, except one that the page's address names. */
function MarketOptions({ market }: MarketProps): VNode {
  const listed = markets.value.filter((one) => !one.isDelisted || one.symbol === market.symbol);
  return (
    <>
      {listed.map(({ symbol, isDelisted }) => (
        <option key={symbol} value={symbol}>
          {isDelisted ? `${symbol} (delisted)` : symbol}
        </option>
      ))}
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
  const { value } = day;
  const places = market.pricePlaces;
  const isTraded = value !== null && value.trades > 0;
  const priced = (price: string) => (isTraded ? shown(price, places) : "–");
  return (
    <div class="market-bar">
      <label class="market-choice">
        <span class="unseen">Market</span>
        <select
          value={market.symbol}
          onChange={({ currentTarget }) => {
            location.hash = addressOf("trade", currentTarget.value);
          }}
        >
          <MarketOptions market={market} />
        </select>
      </label>
      <LeverageButton market={market} />
      <dl>
        <Figure name="Last price" value={priced(value?.last ?? "")} tone={toneOf(value?.change)} />
        <Figure
          name="24h change"
          value={isTraded ? `${signed(value.changePercent, 2)} %` : "–"}
          tone={toneOf(value?.change)}
        />
        <Figure name="24h high" value={priced(value?.high ?? "")} />
        <Figure name="24h low" value={priced(value?.low ?? "")} />
        <Figure
          name={`24h volume ${market.quote}`}
          value={isTraded ? shown(value.quoteVolume, 0) : "–"}
        />
        {market.isPerpetual && <PerpetualFigures market={market} />}
      </dl>
    </div>
  );
}
