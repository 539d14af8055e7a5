// Text for HTML.

const forms: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** `text` so that it means itself inside an element or a quoted attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => forms[sign] ?? sign);
}

/** A block of code that can be scrolled by keyboard. */
export function codeBlock(text: string): string {
  return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
}

/** A table that can be scrolled by keyboard. */
export function scrolled(table: string): string {
  return `<div class="table" tabindex="0">${table}</div>\n`;
}
