// The depth of the book as two curves around the middle price. It is drawn with the ladder's updates, and only while it
// is shown.

import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { book, type WholeBook } from "../../../markets/book.ts";
import { type DepthPoint, depthCurve } from "../../../markets/book-groups.ts";
import type { Market } from "../../../markets/market.ts";

/** Shares of the middle price that the curves can reach away from it. */
const shares = [0.001, 0.005, 0.02, 0.1] as const;
const [width, height] = [300, 200];

interface Frame {
  readonly middle: number;
  readonly share: number;
  readonly most: number;
}

function xOf(price: number, { middle, share }: Frame): number {
  return (width / 2) * (1 + (price - middle) / (share * middle));
}

function yOf(total: number, { most }: Frame): number {
  return height - 4 - (height - 24) * (total / most);
}

/** Path of one side as steps: a level adds its quantity at its price. */
function pathOf(points: readonly DepthPoint[], frame: Frame, edge: number): string {
  const [first] = points;
  if (first === undefined) return "";
  const steps = points.map(
    ({ price, total }) => `H${xOf(price, frame).toFixed(1)}V${yOf(total, frame).toFixed(1)}`,
  );
  return `M${xOf(first.price, frame).toFixed(1)} ${height}${steps.join("")}H${edge}V${height}Z`;
}

function numberText(value: number, places: number): string {
  return value.toLocaleString("en-US", {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  });
}

interface Curves {
  readonly bids: readonly DepthPoint[];
  readonly asks: readonly DepthPoint[];
  readonly frame: Frame;
}

function curvesOf({ bids, asks }: WholeBook, share: number): Curves {
  const [bid, ask] = [bids[0], asks[0]];
  const middle = ((bid ?? ask)?.value ?? 0) / 2 + ((ask ?? bid)?.value ?? 0) / 2;
  const curves = { bids: depthCurve(bids, middle, share), asks: depthCurve(asks, middle, share) };
  const totals = [curves.bids, curves.asks].map((side) => side.at(-1)?.total ?? 0);
  return { ...curves, frame: { middle, share, most: Math.max(...totals, 1e-12) } };
}

/** The price under the pointer and the quantity up to it; without a pointer, the middle price. */
function readingOf({ bids, asks, frame }: Curves, at: number | null, market: Market): string {
  const { middle, share } = frame;
  const { pricePlaces, quantityPlaces, base } = market;
  if (middle === 0) return "–";
  if (at === null) return `Middle ${numberText(middle, pricePlaces)}`;
  const price = middle * (1 + share * (2 * at - 1));
  const reached =
    price < middle
      ? bids.findLast((point) => point.price >= price)
      : asks.findLast((point) => point.price <= price);
  const total = numberText(reached?.total ?? 0, quantityPlaces);
  return `${numberText(price, pricePlaces)}: ${total} ${base}`;
}

function labelOf({ bids, asks }: Curves, { symbol, base, quantityPlaces }: Market): string {
  const [bought, sold] = [bids, asks].map((side) =>
    numberText(side.at(-1)?.total ?? 0, quantityPlaces),
  );
  return `Depth of ${symbol}: bids ${bought}, asks ${sold} ${base}`;
}

function RangeChoice({ share }: { share: Signal<number> }): VNode {
  return (
    <fieldset class="periods" aria-label="Range around the price">
      {shares.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={share.value === one}
          onClick={() => {
            share.value = one;
          }}
        >
          ±{one * 100} %
        </button>
      ))}
    </fieldset>
  );
}

export function DepthView({ market }: { market: Market }): VNode {
  const share = useSignal<number>(shares[1]);
  const hovered = useSignal<number | null>(null);
  const whole = book.whole.value;
  const curves = curvesOf(whole, share.value);
  const { frame } = curves;
  const reading = readingOf(curves, hovered.value, market);
  const edge = (sign: 1 | -1) =>
    frame.middle === 0
      ? ""
      : numberText(frame.middle * (1 + sign * share.value), market.pricePlaces);
  return (
    <div class="depth-chart">
      <RangeChoice share={share} />
      {/* Centred: with another text another element, so that nothing moves. */}
      <p key={reading} class="depth-reading">
        {reading}
      </p>
      {whole.isKnown && frame.middle === 0 && <p class="empty over">No open orders.</p>}
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={labelOf(curves, market)}
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width: shownWidth } = currentTarget.getBoundingClientRect();
          hovered.value = Math.min(Math.max((clientX - left) / shownWidth, 0), 1);
        }}
        onPointerLeave={() => {
          hovered.value = null;
        }}
      >
        <path class="bids" d={pathOf(curves.bids, frame, 0)} />
        <path class="asks" d={pathOf(curves.asks, frame, width)} />
        {hovered.value !== null && (
          <path class="cursor" d={`M${(hovered.value * width).toFixed(1)} 0V${height}`} />
        )}
      </svg>
      <div class="depth-axis" aria-hidden="true">
        <span>{edge(-1)}</span>
        <span key={edge(1)}>{edge(1)}</span>
      </div>
    </div>
  );
}
