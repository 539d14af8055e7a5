// Rows of named fields as a table. On a terminal that is too narrow the table gives up what can be spared: first the
// columns in which every cell is empty, then the ends of the longest cells.

type Row = Readonly<Record<string, unknown>>;

/** What stands for a field without a value. */
const nothing = "-";
/** A cell is not cut to fewer characters, because less would say too little. */
const widthMin = 8;
const gap = "  ";

/** Whether a row fits into one line: its fields are scalars, or lists of scalars. */
export function isFlat(row: unknown): row is Row {
  const isScalar = (value: unknown) => typeof value !== "object" || value === null;
  const isShort = (value: unknown) =>
    isScalar(value) || (Array.isArray(value) && value.every(isScalar));
  return typeof row === "object" && row !== null && Object.values(row).every(isShort);
}

/** Lines of a table: the names of all fields that occur, then a line for each row. Numbers are aligned right. */
export function tableLines(rows: readonly object[]): string[] {
  return linesOf(columnsOf(rows), Number.POSITIVE_INFINITY);
}

/** Like `tableLines`, of at most `width` characters; null if the table would have to leave out too much. */
export function fittedLines(rows: readonly object[], width: number): string[] | null {
  const all = columnsOf(rows);
  if (widthOf(all.map(fullWidth)) <= width) return linesOf(all, Number.POSITIVE_INFINITY);
  const columns = all.filter(({ cells }) => cells.some((cell) => cell !== nothing));
  const widths = columns.map(fullWidth);
  // The greatest width of a cell with which the whole table fits.
  let most = Math.max(...widths);
  const cut = () => widths.map((own) => Math.min(own, most));
  while (widthOf(cut()) > width && most > widthMin) most--;
  return widthOf(cut()) > width ? null : linesOf(columns, most);
}

export function cellText(value: unknown): string {
  if (value === null || value === undefined || value === "") return nothing;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object"))
    return value.length === 0 ? nothing : value.join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

interface Column {
  readonly name: string;
  readonly cells: readonly string[];
}

function columnsOf(rows: readonly object[]): Column[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => ({ name, cells: rows.map((row) => cellText((row as Row)[name])) }));
}

function fullWidth({ name, cells }: Column): number {
  return Math.max(name.length, ...cells.map((cell) => cell.length));
}

function widthOf(widths: readonly number[]): number {
  return (
    widths.reduce((sum, width) => sum + width, 0) + gap.length * Math.max(0, widths.length - 1)
  );
}

/** Whether the cells are numbers, apart from those without a value. */
function isNumeric(cells: readonly string[]): boolean {
  const given = cells.filter((cell) => cell !== nothing);
  return given.length > 0 && given.every((cell) => /^-?\d+(\.\d+)?$/.test(cell));
}

function linesOf(columns: readonly Column[], widthMax: number): string[] {
  const padded = columns.map((column) => {
    const width = Math.min(fullWidth(column), widthMax);
    const isNumber = isNumeric(column.cells);
    return [column.name, ...column.cells].map((cell) => {
      const shown = cell.length > width ? `${cell.slice(0, width - 1)}…` : cell;
      return isNumber ? shown.padStart(width) : shown.padEnd(width);
    });
  });
  const height = padded[0]?.length ?? 0;
  return Array.from({ length: height }, (_, line) =>
    padded
      .map((column) => column[line] ?? "")
      .join(gap)
      .trimEnd(),
  );
}
