// Parts of the report's page. Every text of a client or of a file is escaped here: names of orders are chosen by strangers.

import type { Rows } from "./report-form.ts";

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? "");
}

/** A template whose values are escaped, unless they are HTML; lists are joined, null is nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Shown[]): Html {
  let text = parts[0] ?? "";
  for (const [at, value] of values.entries()) text += shown(value) + (parts[at + 1] ?? "");
  return new Html(text);
}

export type Shown = Html | string | number | null | readonly Shown[];

function shown(value: Shown): string {
  if (value === null) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(shown).join("");
  return escaped(String(value));
}

export interface Column<Row> {
  readonly name: string;
  readonly of: (row: Row) => Shown;
  /** Whether its cells are figures, which are aligned at their end. */
  readonly isFigure?: boolean;
}

/** A table with its title and how many rows it leaves out; nothing without rows. */
export function table<Row>(
  { title, hint }: { readonly title: string; readonly hint?: string },
  columns: readonly Column<Row>[],
  { rows, more }: Rows<Row>,
): Html | null {
  if (rows.length === 0) return null;
  const kind = ({ isFigure = false }: Column<Row>) => new Html(isFigure ? ' class="figure"' : "");
  const head = columns.map((column) => html`<th scope="col"${kind(column)}>${column.name}</th>`);
  const body = rows.map((row) => {
    const cells = columns.map((column) => html`<td${kind(column)}>${cell(column.of(row))}</td>`);
    return html`<tr>${cells}</tr>\n`;
  });
  const rest =
    more === 0
      ? null
      : html`<p class="rest">The first ${rows.length} rows; ${more.toLocaleString("en-US")} more are left out.</p>`;
  return html`<section class="table"><h3>${title}</h3>${hint === undefined ? null : html`<p class="hint">${hint}</p>`}
<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><thead><tr>${head}</tr></thead>
<tbody>${body}</tbody></table></div>${rest}</section>`;
}

function cell(value: Shown): Shown {
  return value === null || value === "" ? html`<span class="none">–</span>` : value;
}

export interface Tile {
  readonly name: string;
  readonly value: Shown;
  readonly note?: string;
  /** How it is coloured. */
  readonly tone?: "gain" | "loss";
}

/** Figures side by side. */
export function tiles(all: readonly Tile[]): Html {
  const each = all.map(({ name, value, note, tone }) => {
    const more = note === undefined ? null : html`<small>${note}</small>`;
    return html`<div class="tile"><dt>${name}</dt><dd class="${tone ?? ""}">${value}${more}</dd></div>`;
  });
  return html`<dl class="tiles">${each}</dl>`;
}

/** `time` of ISO 8601 without its date, for tables. */
export function clockTime(iso: string): string {
  return iso.slice(11).replace("Z", "");
}
