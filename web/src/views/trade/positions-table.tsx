// The open positions with their risk; buttons close them, turn them around and set their take profit and stop loss. Two
// figures share a cell, so that all of them are in sight on a screen 1440 pixels wide; what a trader looks at most comes
// first.

import { effect, signal } from "@preact/signals";
import type { VNode } from "preact";
import { rounded, shown, shownAverage, signed, toneOf } from "../../decimal-text.ts";
import { markets } from "../../markets/markets.ts";
import { fundingOf, type Position, positions } from "../../member/account.ts";
import { guardPrice } from "../../member/position-guards.ts";
import { realisedOf } from "../../member/realised.ts";
import { maintenanceIn, returnOnMargin, revalued } from "../../member/risk/margin.ts";
import { lazyView } from "../form/lazy-view.tsx";
import { type Column, Table } from "../form/table.tsx";
import type { PositionProps } from "./position-dialogs.tsx";
import { pricePlaces, quantities, sideTone } from "./table-columns.tsx";

type DialogName = "close" | "reverse" | "tpsl";
type Opened = { readonly dialog: DialogName; readonly symbol: string } | null;

const opened = signal<Opened>(null);
const isClosingAll = signal(false);

// A dialog ends with its position, so that a later position does not open it unasked.
effect(() => {
  const { value } = opened;
  const isGone = !positions.value.some(({ symbol }) => symbol === value?.symbol);
  if (value !== null && isGone) opened.value = null;
  if (positions.value.length === 0) isClosingAll.value = false;
});

/** The liquidation price, or why there is none. */
function LiquidationPrice({ position }: { position: Position }): VNode {
  const { liquidation_price: price, mark_price: mark, symbol } = position;
  if (price !== null) return <>{shown(price, pricePlaces(symbol))}</>;
  return (
    <span
      class="soft"
      title={
        mark === null
          ? "The market has no mark price, so nothing is liquidated."
          : "Your equity covers this position at every price of the market."
      }
    >
      {mark === null ? "None: no mark" : "None: covered"}
    </span>
  );
}

/** Two figures in one cell, the second below the first. */
function Pair({ first, second }: { first: string; second: string }): VNode {
  return (
    <span class="pair-cell">
      <span>{first}</span> <span>{second}</span>
    </span>
  );
}

function Profit({ position }: { position: Position }): VNode {
  const rate = returnOnMargin(position);
  return (
    <Pair
      first={signed(position.unrealized_pnl, 2)}
      second={rate === null ? "–" : `${signed(rate, 1)} %`}
    />
  );
}

/** What the position has realised and its funding, coloured each by its own sign. */
function Booked({ position }: { position: Position }): VNode {
  const [realised, funding] = [realisedOf(position), fundingOf(position)];
  return (
    <span class="pair-cell">
      <span
        class={toneOf(realised)}
        title={
          realised === null
            ? "Unknown: the position was opened before your newest 500 trades in this market."
            : "Realized by this position since it was opened, before fees"
        }
      >
        {signed(realised, 2)}
      </span>{" "}
      <span
        class={toneOf(funding)}
        title={
          funding === null
            ? "Unknown: the position was opened before your newest 500 trades in this market or 1,000 payments."
            : "Funding received by this position since it was opened, less paid"
        }
      >
        {signed(funding, 2)}
      </span>
    </span>
  );
}

function Guards({ position }: { position: Position }): VNode {
  const price = (text: string) => (text === "" ? "–" : shown(text, pricePlaces(position.symbol)));
  return (
    <Pair
      first={price(guardPrice(position, "TAKE_PROFIT_MARKET"))}
      second={price(guardPrice(position, "STOP_MARKET"))}
    />
  );
}

function listedName(symbol: string): string {
  return markets.value.find((market) => market.symbol === symbol)?.listed ?? "";
}

const actions: ReadonlyArray<readonly [DialogName, string]> = [
  ["tpsl", "TP/SL"],
  ["reverse", "Reverse"],
  ["close", "Close"],
];

function Actions({ position: { symbol } }: { position: Position }): VNode {
  return (
    <span class="actions">
      {actions.map(([dialog, verb]) => (
        <button
          key={dialog}
          type="button"
          class="quiet"
          aria-label={`${verb} ${symbol}`}
          onClick={() => {
            opened.value = { dialog, symbol };
          }}
        >
          {verb}
        </button>
      ))}
    </span>
  );
}

const columns: ReadonlyArray<Column<Position>> = [
  {
    name: "Market",
    cell: ({ symbol, side, leverage }) => (
      <span class="pair-cell">
        <b>{symbol}</b>{" "}
        <span class={sideTone({ side })}>
          {side} {leverage}×
        </span>
      </span>
    ),
  },
  quantities("Quantity", ({ qty }) => qty),
  {
    name: "Entry / mark",
    isNumber: true,
    cell: ({ symbol, entry_price: entry, mark_price: mark }) => (
      <Pair
        first={shownAverage(entry, pricePlaces(symbol))}
        second={shown(mark, pricePlaces(symbol))}
      />
    ),
  },
  {
    name: "PnL / ROE",
    isNumber: true,
    cell: (position) => <Profit position={position} />,
    tone: ({ unrealized_pnl: profit }) => toneOf(profit),
  },
  {
    name: "Liq. price",
    isNumber: true,
    cell: (position) => <LiquidationPrice position={position} />,
  },
  { name: "TP / SL", isNumber: true, cell: (position) => <Guards position={position} /> },
  {
    name: "Margin / maint.",
    isNumber: true,
    cell: ({ margin, symbol }) => (
      <Pair
        first={shown(margin, 2)}
        second={shown(rounded(maintenanceIn(listedName(symbol)), 2), 2)}
      />
    ),
  },
  {
    name: "Realized / funding",
    isNumber: true,
    cell: (position) => <Booked position={position} />,
  },
  { name: "", cell: (position) => <Actions position={position} /> },
];

const dialogs = {
  close: lazyView<PositionProps>(null, async () => {
    return (await import("./position-dialogs.tsx")).CloseDialog;
  }),
  reverse: lazyView<PositionProps>(null, async () => {
    return (await import("./positions/reverse-dialog.tsx")).ReverseDialog;
  }),
  tpsl: lazyView<PositionProps>(null, async () => {
    return (await import("./position-dialogs.tsx")).TpSlDialog;
  }),
} as const;

const CloseAllDialog = lazyView<{ onClose(): void }>(null, async () => {
  return (await import("./positions/close-all-dialog.tsx")).CloseAllDialog;
});

function OpenedDialog(): VNode | null {
  const { value } = opened;
  const position = positions.value.find(({ symbol }) => symbol === value?.symbol);
  const market = markets.value.find(({ symbol }) => symbol === value?.symbol);
  if (value === null || position === undefined || market === undefined) return null;
  const onClose = (): void => {
    opened.value = null;
  };
  const Shown = dialogs[value.dialog];
  return <Shown position={revalued(position)} market={market} onClose={onClose} />;
}

export function PositionsTable(): VNode {
  return (
    <>
      {positions.value.length > 0 && (
        <div class="toolbar end">
          <button
            type="button"
            class="quiet"
            onClick={() => {
              isClosingAll.value = true;
            }}
          >
            Close all
          </button>
        </div>
      )}
      <Table
        label="Positions"
        rows={positions.value.map(revalued)}
        columns={columns}
        keyOf={(position) => position.symbol}
        empty="No open positions."
      />
      <OpenedDialog />
      {isClosingAll.value && (
        <CloseAllDialog
          onClose={() => {
            isClosingAll.value = false;
          }}
        />
      )}
    </>
  );
}
