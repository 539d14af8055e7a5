// Lists of the account as tables: one form, with words where there is nothing.

import type { ComponentChildren, VNode } from "preact";

export interface Column<T> {
  readonly name: string;
  /** Numbers stand right so that their points align. */
  readonly isNumber?: boolean;
  cell(row: T): ComponentChildren;
  tone?(row: T): string;
}

interface Deed<T> {
  /** The word on the button. */
  readonly verb: string;
  /** What a screen reader says behind it. */
  about(row: T): string;
  act(row: T): void;
}

/** A column of one quiet button a row. */
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
  /** Its cells are long: few columns too are a card on a narrow screen. */
  readonly isWide?: boolean;
  keyOf(row: T): string;
}

/** So many find room beside each other on a telephone. */
const columnsAbreastMax = 4;

export function Table<T>(props: TableProps<T>): VNode {
  const { label, rows, columns, empty, isWide = false, keyOf } = props;
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  // On a narrow screen a row of many columns becomes a card, so that nothing lies out of sight.
  const form = isWide || columns.length > columnsAbreastMax ? "stacked" : "";
  return (
    // A region that scrolls must be reachable by keyboard.
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
