// The filters of a history: market, side, kind and days. A change applies at once.

import type { Signal } from "@preact/signals";
import type { VNode } from "preact";
import type { HistoryFilter, HistoryList } from "../../history/history-lists.ts";
import { markets } from "../../markets/markets.ts";

const dayMs = 86_400_000;

/** Formats a time as the value of a date field, "2026-11-29", in UTC. */
function dayOf(ms: number | null): string {
  return ms === null ? "" : new Date(ms).toISOString().slice(0, 10);
}

interface FilterProps {
  readonly filter: Signal<HistoryFilter>;
  /** Called after each change. */
  changed(): void;
}

interface ChoiceProps {
  readonly label: string;
  readonly options: ReadonlyArray<readonly [value: string, text: string]>;
  readonly value: string;
  onChoose(value: string): void;
}

function Choose({ label, options, value, onChoose }: ChoiceProps): VNode {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The first and the last day. Days are those of UTC, like the days of the profit list. */
export function DayFields({ filter, changed }: FilterProps): VNode {
  const set = (change: Partial<HistoryFilter>): void => {
    filter.value = { ...filter.value, ...change };
    changed();
  };
  const startOf = (day: string) => (day === "" ? null : Date.parse(`${day}T00:00:00Z`));
  const { startMs, endMs } = filter.value;
  return (
    <>
      <label>
        From (UTC)
        <input
          type="date"
          value={dayOf(startMs)}
          onChange={({ currentTarget }) => set({ startMs: startOf(currentTarget.value) })}
        />
      </label>
      <label>
        To (UTC)
        <input
          type="date"
          value={dayOf(endMs)}
          onChange={({ currentTarget }) => {
            const start = startOf(currentTarget.value);
            set({ endMs: start === null ? null : start + dayMs - 1 });
          }}
        />
      </label>
    </>
  );
}

export function HistoryFilters(props: FilterProps & { readonly list: HistoryList }): VNode {
  const { list, filter, changed } = props;
  const set = (change: Partial<HistoryFilter>): void => {
    filter.value = { ...filter.value, ...change };
    changed();
  };
  const { symbol, side, kind } = filter.value;
  const symbols = markets.value.map((market) => [market.symbol, market.symbol] as const);
  const kinds = list.kinds.map(([name]) => [name, name] as const);
  return (
    <>
      {list.hasMarket && (
        <Choose
          label="Market"
          options={[["", "All markets"], ...symbols]}
          value={symbol}
          onChoose={(next) => set({ symbol: next })}
        />
      )}
      {list.hasSide && (
        <Choose
          label="Side"
          options={[
            ["", "Both sides"],
            ["BUY", "Buy"],
            ["SELL", "Sell"],
          ]}
          value={side}
          onChoose={(next) => set({ side: next })}
        />
      )}
      <Choose
        label="Kind"
        options={[["", "All kinds"], ...kinds]}
        value={kind}
        onChoose={(next) => set({ kind: next })}
      />
      <DayFields filter={filter} changed={changed} />
    </>
  );
}
