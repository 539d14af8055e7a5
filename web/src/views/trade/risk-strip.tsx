// The account's risk in one strip: equity, margin ratio, maintenance margin, profit, funding. The mark is the one of the
// market bar, at the same moment.

import { effect } from "@preact/signals";
import type { VNode } from "preact";
import { nowMs } from "../../clock.ts";
import { rounded, shown, signed, toneOf } from "../../decimal-text.ts";
import { keptSignal } from "../../kept-signal.ts";
import { cutTo, exact, times } from "../../markets/exact.ts";
import { mark } from "../../markets/market-figures.ts";
import { market } from "../../markets/markets.ts";
import { funding, positions } from "../../member/account.ts";
import { risk as figures, isCalled, type RiskFigures } from "../../member/risk/margin.ts";
import { Figure } from "../form/figure.tsx";
import { countdownOf } from "./market/rate-text.ts";

const places = 2;

/** Whether a payment would leave the account with less than its maintenance margin. */
function isAboveMargin(amount: string): boolean {
  const risk = figures.value;
  const [change, equity, kept] = [exact(amount), exact(risk?.equity), exact(risk?.maintenance)];
  if (change === null || equity === null || kept === null) return false;
  return change < 0n && equity + change < kept;
}

/** What the next funding would charge the position in the selected market at the present rate. */
function NextFunding(): VNode | null {
  const { value } = mark;
  const shownMarket = market.value;
  if (value === null || shownMarket === undefined || !shownMarket.isPerpetual) return null;
  const held = positions.value.find(({ symbol }) => symbol === shownMarket.symbol);
  const size = exact(held?.qty) ?? 0n;
  const worth = times(size, exact(value.price) ?? 0n);
  const due = times(worth, exact(value.fundingRate) ?? 0n);
  const amount = cutTo(held?.side === "SHORT" ? due : -due, 6);
  const text = countdownOf(value.nextFundingMs - nowMs.value);
  const isHeld = size > 0n;
  const isTooMuch = isHeld && isAboveMargin(amount);
  const said = isHeld ? `${text} · ${signed(amount, places)}` : text;
  return (
    <Figure
      name={`Next funding ${shownMarket.base}`}
      value={isTooMuch ? `${said} · more than your margin` : said}
      tone={isTooMuch ? "loss" : ""}
      title={
        isTooMuch
          ? "This payment would leave less than your maintenance margin: your positions would be liquidated. Add USDC or close a part before it is due."
          : "Time until funding, and what your position in this market would receive or pay at the present rate"
      }
    />
  );
}

/** The margin ratio, and whether it calls for more margin. */
function ratioText(risk: RiskFigures | null): string {
  if (risk === null) return "–";
  const ratio = risk.ratio === null ? "–" : `${shown(risk.ratio, places)} %`;
  return isCalled(risk) ? `${ratio} · margin call` : ratio;
}

/**
 * Whether the strip was shown when its figures were read last: so long as they are not, it takes its place or leaves it, and
 * moves nothing when they arrive.
 */
const wasUsed = keptSignal("rialto-perpetuals", false, (value) => value === true);

effect(() => {
  const { value } = figures;
  if (value !== null) wasUsed.value = hasUsed(value);
});

/** Whether an account has ever used perpetuals, as far as is known. */
function isUsed(): boolean {
  const { value } = figures;
  return value === null ? wasUsed.value : hasUsed(value);
}

function hasUsed(value: RiskFigures): boolean {
  const sums = [value.wallet, value.equity, value.maintenance, funding.value];
  return positions.value.length > 0 || sums.some((sum) => (exact(sum) ?? 0n) !== 0n);
}

/**
 * On spot only for an account that uses perpetuals. Dashes stand for figures that are not read yet, so that nothing moves
 * when they are.
 */
export function RiskStrip(): VNode | null {
  const risk = figures.value;
  if (market.value?.isPerpetual === false && !isUsed()) return null;
  return (
    <dl class="risk" aria-label="Perpetual account">
      {market.value?.isPerpetual === false && (
        <Figure
          name="Account"
          value="Perpetuals"
          title="These figures are of your perp wallet and positions, not of the spot market in sight"
        />
      )}
      <Figure
        name="Equity"
        value={shown(risk?.equity, places)}
        title="Perp wallet and unrealized PnL"
      />
      <Figure
        name="Margin ratio"
        value={ratioText(risk)}
        tone={risk !== null && isCalled(risk) ? "loss" : ""}
        title="Maintenance margin as part of the equity. At 100 % the account is liquidated."
      />
      <Figure name="Maintenance" value={shown(rounded(risk?.maintenance, places), places)} />
      <Figure name="Available" value={shown(risk?.available, places)} />
      <Figure
        name="Unrealized PnL"
        value={signed(risk?.unrealized, places)}
        tone={toneOf(risk?.unrealized)}
      />
      <Figure
        name="Funding"
        value={signed(funding.value, places)}
        tone={toneOf(funding.value)}
        title="Received less paid, in your newest thousand payments"
      />
      <NextFunding />
    </dl>
  );
}
