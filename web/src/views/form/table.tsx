// Lists as tables, with a text for an empty list.

import type { ComponentChildren, VNode } from "preact";

export interface Column<T> {
  readonly name: string;
  /** Numbers are right-aligned, so that their decimal points align. */
  readonly isNumber?: boolean;
  cell(row: T): ComponentChildren;
  tone?(row: T): string;
}

interface Deed<T> {
  /** Label of the button. */
  readonly verb: string;
  /** Added to the label for screen readers. */
  about(row: T): string;
  act(row: T): void;
}

/** A column with one button in each row. */
export function buttons<T>({ verb, about, act }: Deed<T>): Column<T> {
  const cell = (row: T) => (
    <button
      type="button"
      class="quiet"
      aria-label={`${verb} ${about(row)}`}
      onClick={() => act(row)}
    >
      {verb}
    </button>
  );
  return { name: "", cell };
}

interface TableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: ReadonlyArray<Column<T>>;
  readonly empty: string;
  /** True if cells are long: rows then become cards on a narrow screen even with few columns. */
  readonly isWide?: boolean;
  keyOf(row: T): string;
}

/** Number of columns that fit on a phone. */
const columnsAbreastMax = 4;

export function Table<T>(props: TableProps<T>): VNode {
  const { label, rows, columns, empty, isWide = false, keyOf } = props;
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  // On a narrow screen a row with many columns becomes a card, so that nothing is hidden.
  const form = isWide || columns.length > columnsAbreastMax ? "stacked" : "";
  return (
    // A scrolling region must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section class="table" tabIndex={0} aria-label={label}>
      <table class={form}>
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" class={isNumber ? "number" : ""}>
                {name === "" ? <span class="unseen">Actions</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, isNumber, cell, tone }) => (
                <td
                  key={name}
                  data-name={name}
                  class={`${isNumber ? "number" : ""} ${tone?.(row) ?? ""}`}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
