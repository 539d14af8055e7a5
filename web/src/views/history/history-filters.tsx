// The filters of a history: market, side, kind and days. A change applies at once.

import type { Signal } from "@preact/signals";
import type { VNode } from "preact";
import { dayOf, endOfDay, startOfDay } from "../../history/days.ts";
import type { HistoryFilter, HistoryList } from "../../history/history-lists.ts";
import { markets } from "../../markets/markets.ts";
import { zone, zoneLabel } from "../../time-zone.ts";

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

interface DayProps extends FilterProps {
  /** True for days of UTC, like those of the profit list; false for days of the chosen zone, like the times of the rows. */
  readonly isUtc: boolean;
}

/** The first and the last day. */
export function DayFields({ filter, changed, isUtc }: DayProps): VNode {
  const set = (change: Partial<HistoryFilter>): void => {
    filter.value = { ...filter.value, ...change };
    changed();
  };
  const { startMs, endMs } = filter.value;
  const inUtc = isUtc || zone.value === "UTC";
  const label = inUtc ? "UTC" : zoneLabel.value;
  const isReversed = startMs !== null && endMs !== null && startMs > endMs;
  return (
    <>
      <label>
        From ({label})
        <input
          type="date"
          value={dayOf(startMs, inUtc)}
          onChange={({ currentTarget: { value } }) => set({ startMs: startOfDay(value, inUtc) })}
        />
      </label>
      <label>
        To ({label})
        <input
          type="date"
          value={dayOf(endMs, inUtc)}
          onChange={({ currentTarget: { value } }) => set({ endMs: endOfDay(value, inUtc) })}
        />
      </label>
      {isReversed && <small role="alert">“From” is after “To”: no day is between them.</small>}
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
      <DayFields filter={filter} changed={changed} isUtc={false} />
    </>
  );
}
