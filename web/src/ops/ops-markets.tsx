// The table of markets on the operations page.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useReloaded } from "../views/form/reloaded.ts";
import { type Column, Table } from "../views/form/table.tsx";
import { type MarketRow, marketRows, type Read, readMarkets } from "./market-rows.ts";
import { samples } from "./samples.ts";

const refreshMs = 10_000;

function dashed(text: string): string {
  return text === "" ? "–" : text;
}

function whole(value: number | null, unit = ""): string {
  return value === null ? "–" : `${Math.round(value).toLocaleString("en")}${unit}`;
}

/** A delisted market stays delisted, so it is no alarm. */
const statusTones: Readonly<Record<string, string>> = { trading: "", delisted: "soft" };

/** A note alone is no alarm either: a new market has no orders until its makers come. */
const noteTone = ({ hasProblem }: MarketRow) => (hasProblem ? "warned" : "soft");

/** A spot market has no such figures: a narrow page leaves them out. */
const perpetualTone = ({ openInterest }: MarketRow) => (openInterest === null ? "lacking" : "");

const columns: ReadonlyArray<Column<MarketRow>> = [
  { name: "Market", cell: ({ name }) => name },
  {
    name: "Status",
    cell: ({ status }) => status,
    tone: ({ status }) => statusTones[status] ?? "warned",
  },
  {
    name: "Note",
    cell: ({ note }) => dashed(note),
    tone: noteTone,
  },
  { name: "Last", isNumber: true, cell: ({ last }) => dashed(last) },
  { name: "Bid", isNumber: true, cell: ({ bid }) => dashed(bid) },
  { name: "Offer", isNumber: true, cell: ({ offer }) => dashed(offer) },
  {
    name: "Spread (bps)",
    isNumber: true,
    cell: ({ spreadBps }) => (spreadBps === null ? "–" : spreadBps.toFixed(1)),
  },
  { name: "Trades (24h)", isNumber: true, cell: ({ trades }) => whole(trades) },
  { name: "Volume (24h)", isNumber: true, cell: ({ volume, quote }) => whole(volume, ` ${quote}`) },
  { name: "Mark", isNumber: true, cell: ({ mark }) => dashed(mark), tone: perpetualTone },
  { name: "Index", isNumber: true, cell: ({ index }) => dashed(index), tone: perpetualTone },
  { name: "Index from", cell: ({ source }) => dashed(source), tone: perpetualTone },
  {
    name: "Funding",
    isNumber: true,
    tone: perpetualTone,
    cell: ({ fundingPercent }) =>
      fundingPercent === null ? "–" : `${fundingPercent.toFixed(4)} %`,
  },
  {
    name: "Open interest",
    isNumber: true,
    tone: perpetualTone,
    cell: ({ openInterest, quote }) => whole(openInterest, ` ${quote}`),
  },
];

export function OpsMarkets(): VNode {
  const read = useSignal<readonly Read[] | null>(null);
  const fault = useReloaded(async () => {
    read.value = await readMarkets();
  }, refreshMs);
  const newest = samples.value.at(-1);
  const rows = read.value === null || newest === undefined ? null : marketRows(read.value, newest);
  return (
    <section id="markets" class="markets" aria-label="All markets">
      <h2>Markets</h2>
      {fault.value !== "" && <p role="alert">Markets: {fault.value}</p>}
      {rows === null ? (
        <p class="empty">Loading…</p>
      ) : (
        <Table
          label="Markets"
          rows={rows}
          columns={columns}
          keyOf={({ name }) => name}
          empty="This venue has no markets."
          isWide
        />
      )}
    </section>
  );
}
