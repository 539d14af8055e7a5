// The open positions with their risk; buttons close them and set their take profit and stop loss.

import { effect, signal } from "@preact/signals";
import type { VNode } from "preact";
import { shown, signed, toneOf } from "../../decimal-text.ts";
import { markets } from "../../markets/markets.ts";
import { fundingOf, type Position, positions } from "../../member/account.ts";
import { maintenanceIn, returnOnMargin, revalued } from "../../member/margin.ts";
import { type Column, Table } from "../form/table.tsx";
import { CloseDialog, guardPrice, TpSlDialog } from "./position-dialogs.tsx";
import { averages, pricePlaces, prices, profits, quantities, sideTone } from "./table-columns.tsx";

type Opened = { readonly dialog: "close" | "tpsl"; readonly symbol: string } | null;

const opened = signal<Opened>(null);

// A dialog ends with its position, so that a later position does not open it unasked.
effect(() => {
  const { value } = opened;
  const isGone = !positions.value.some(({ symbol }) => symbol === value?.symbol);
  if (value !== null && isGone) opened.value = null;
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

function profitText(position: Position): string {
  const rate = returnOnMargin(position);
  const profit = signed(position.unrealized_pnl, 2);
  return rate === null ? profit : `${profit} (${signed(rate, 1)} %)`;
}

function guardsText(position: Position): string {
  const price = (text: string) => (text === "" ? "–" : shown(text, pricePlaces(position.symbol)));
  const takeProfit = price(guardPrice(position, "TAKE_PROFIT_MARKET"));
  return `${takeProfit} / ${price(guardPrice(position, "STOP_MARKET"))}`;
}

function listedName(symbol: string): string {
  return markets.value.find((market) => market.symbol === symbol)?.listed ?? "";
}

function Actions({ position: { symbol } }: { position: Position }): VNode {
  const open = (dialog: "close" | "tpsl") => () => {
    opened.value = { dialog, symbol };
  };
  return (
    <span class="actions">
      <button type="button" class="quiet" aria-label={`TP/SL ${symbol}`} onClick={open("tpsl")}>
        TP/SL
      </button>
      <button type="button" class="quiet" aria-label={`Close ${symbol}`} onClick={open("close")}>
        Close
      </button>
    </span>
  );
}

const columns: ReadonlyArray<Column<Position>> = [
  { name: "Market", cell: ({ symbol }) => symbol },
  { name: "Side", cell: ({ side, leverage }) => `${side} ${leverage}×`, tone: sideTone },
  quantities("Quantity", ({ qty }) => qty),
  averages("Entry price", ({ entry_price: entry }) => entry),
  prices("Mark price", ({ mark_price: mark }) => mark),
  {
    name: "Liq. price",
    isNumber: true,
    cell: (position) => <LiquidationPrice position={position} />,
  },
  {
    name: "Margin / maint.",
    isNumber: true,
    cell: ({ margin, symbol }) =>
      `${shown(margin, 2)} / ${shown(maintenanceIn(listedName(symbol)), 2)}`,
  },
  {
    name: "PnL (ROE)",
    isNumber: true,
    cell: profitText,
    tone: ({ unrealized_pnl: profit }) => toneOf(profit),
  },
  profits("Realized PnL", ({ realized_pnl: profit }) => profit),
  profits("Funding", ({ symbol }) => fundingOf(symbol)),
  { name: "TP / SL", isNumber: true, cell: guardsText },
  { name: "", cell: (position) => <Actions position={position} /> },
];

function OpenedDialog(): VNode | null {
  const { value } = opened;
  const position = positions.value.find(({ symbol }) => symbol === value?.symbol);
  const market = markets.value.find(({ symbol }) => symbol === value?.symbol);
  if (value === null || position === undefined || market === undefined) return null;
  const onClose = (): void => {
    opened.value = null;
  };
  const Shown = value.dialog === "close" ? CloseDialog : TpSlDialog;
  return <Shown position={revalued(position)} market={market} onClose={onClose} />;
}

export function PositionsTable(): VNode {
  return (
    <>
      <Table
        label="Positions"
        rows={positions.value.map(revalued)}
        columns={columns}
        keyOf={(position) => position.symbol}
        empty="No open positions."
      />
      <OpenedDialog />
    </>
  );
}
