// Proves that the page escapes what strangers chose, and says what its tables leave out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { html, table } from "./page-parts.ts";

test("REW-140 texts of clients are escaped, and only HTML is not", () => {
  const text = `<script>alert("1")</script>&'`;
  const { text: shown } = html`<b title="${text}">${text}</b>${html`<i>${1}</i>`}${null}`;
  const safe = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;";
  assert.equal(shown, `<b title="${safe}">${safe}</b><i>1</i>`);
});

test("REW-141 a table says how many rows it leaves out, and one without rows is not shown", () => {
  const columns = [{ name: "N", of: (row: number) => row, isFigure: true }];
  const shown = table({ title: "Numbers" }, columns, { rows: [1, 2], more: 12_345 });
  assert.match(shown?.text ?? "", /The first 2 rows; 12,345 more are left out\./);
  assert.equal(table({ title: "Numbers" }, columns, { rows: [], more: 0 }), null);
});
