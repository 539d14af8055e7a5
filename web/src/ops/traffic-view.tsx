// The page of ledger traffic: what settlement uses of it, and the state of the operator's market makers. It is public.

import { useSignal } from "@preact/signals";
import { render, type VNode } from "preact";
import { request } from "../member/venue-api.ts";
import { timeOfDay } from "../moment.ts";
import { keepTheme, theme, turnTheme } from "../theme.ts";
import { useReloaded } from "../views/form/reloaded.ts";
import { type Column, Table } from "../views/form/table.tsx";

interface Lane {
  readonly lane: string;
  readonly budget_bytes: number;
  readonly used_bytes: number;
  readonly tx: number;
  readonly last_cost: number | null;
}

interface Traffic {
  readonly window_s: number;
  readonly base: {
    readonly burst_bytes: number;
    readonly used_bytes: number;
    readonly remaining_bytes: number;
    readonly source: "measured" | "modelled";
  };
  readonly extra: { readonly purchased: number | null; readonly consumed: number | null };
  readonly lanes: readonly Lane[];
  readonly as_of: string | null;
}

interface Trader {
  readonly name: string;
  readonly account: number;
  readonly symbols: readonly string[];
  readonly open_orders: number;
  readonly fills_24h: number;
  readonly budget_left: number;
}

interface MarketMaking {
  readonly state: "ok" | "paused" | "halted";
  readonly fleet: readonly Trader[];
}

const refreshMs = 5_000;

const stateSentences = {
  ok: "The venue's market makers are running.",
  paused: "The venue's market makers are paused: the remaining traffic is reserved for settlement.",
  halted:
    "The venue's market makers are stopped: wallets have not been checked against the ledger.",
} as const;

function count(value: number | null): string {
  return value === null ? "–" : value.toLocaleString("en");
}

const laneColumns: ReadonlyArray<Column<Lane>> = [
  { name: "Lane", cell: ({ lane }) => lane },
  { name: "Used (bytes)", isNumber: true, cell: ({ used_bytes: used }) => count(used) },
  { name: "Budget (bytes)", isNumber: true, cell: ({ budget_bytes: budget }) => count(budget) },
  {
    name: "Share",
    isNumber: true,
    cell: ({ used_bytes: used, budget_bytes: budget }) =>
      budget === 0 ? "–" : `${((100 * used) / budget).toFixed(1)} %`,
  },
  { name: "Transactions", isNumber: true, cell: ({ tx }) => count(tx) },
  { name: "Last cost (bytes)", isNumber: true, cell: ({ last_cost: cost }) => count(cost) },
];

const traderColumns: ReadonlyArray<Column<Trader>> = [
  { name: "Name", cell: ({ name }) => name },
  { name: "Account", isNumber: true, cell: ({ account }) => account },
  { name: "Markets", cell: ({ symbols }) => (symbols.length === 0 ? "–" : symbols.join(", ")) },
  { name: "Open orders", isNumber: true, cell: ({ open_orders: orders }) => count(orders) },
  { name: "Fills (24h)", isNumber: true, cell: ({ fills_24h: fills }) => count(fills) },
  { name: "Settlements left", isNumber: true, cell: ({ budget_left: left }) => count(left) },
];

function BaseUse({ traffic }: { traffic: Traffic }): VNode {
  const { base, extra, window_s: seconds, as_of: asOf } = traffic;
  const read = asOf === null ? "not read yet" : timeOfDay(asOf);
  return (
    <>
      <label class="share">
        Free traffic left: {count(base.remaining_bytes)} of {count(base.burst_bytes)} bytes
        <meter min={0} max={base.burst_bytes} value={base.remaining_bytes} />
      </label>
      <dl class="estimate wide">
        <dt>Used in the last {seconds / 60} minutes</dt>
        <dd>{count(base.used_bytes)} bytes</dd>
        <dt>Source</dt>
        <dd>{base.source}</dd>
        <dt>Purchased</dt>
        <dd>{count(extra.purchased)} bytes</dd>
        <dt>Purchased and used</dt>
        <dd>{count(extra.consumed)} bytes</dd>
        <dt>Last read from the ledger</dt>
        <dd>{read}</dd>
      </dl>
    </>
  );
}

function TrafficView(): VNode {
  const traffic = useSignal<Traffic | null>(null);
  const making = useSignal<MarketMaking | null>(null);
  const fault = useReloaded(async () => {
    [traffic.value, making.value] = await Promise.all([
      request<Traffic>("GET", "/v1/traffic"),
      request<MarketMaking>("GET", "/v1/traffic/mm"),
    ]);
  }, refreshMs);
  return (
    <div class="page">
      <h1>Traffic</h1>
      <p class="soft">
        Every ledger transaction uses traffic, measured in bytes. Part of it is free and refills
        over time. Each kind of work has a lane with its own budget.
      </p>
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      {making.value !== null && making.value.fleet.length > 0 && (
        <p class={making.value.state === "ok" ? "" : "loss"} role="status">
          {stateSentences[making.value.state]}
        </p>
      )}
      {traffic.value === null ? (
        fault.value === "" && <p class="empty">Loading…</p>
      ) : (
        <>
          <BaseUse traffic={traffic.value} />
          <h2>Lanes</h2>
          <Table
            label="Lanes"
            rows={traffic.value.lanes}
            columns={laneColumns}
            keyOf={({ lane }) => lane}
            empty="No lanes."
          />
        </>
      )}
      <h2>Market makers of the venue</h2>
      <Table
        label="Market makers of the venue"
        rows={making.value?.fleet ?? []}
        columns={traderColumns}
        keyOf={({ name }) => name}
        empty={making.value === null ? "Loading…" : "This venue runs no market makers."}
      />
    </div>
  );
}

function TrafficPage(): VNode {
  return (
    <>
      <header class="frame">
        <a class="brand" href="/">
          Rialto
        </a>
        <span class="soft place">Traffic</span>
        <span class="spacer" />
        <a href="/ops">Operations</a>
        <a href="/docs">Documentation</a>
        <button type="button" class="quiet icon" aria-label="Switch theme" onClick={turnTheme}>
          {theme.value === "dark" ? "☀" : "☾"}
        </button>
      </header>
      <main>
        <TrafficView />
      </main>
    </>
  );
}

keepTheme();
const container = document.getElementById("traffic");
if (container !== null) render(<TrafficPage />, container);
