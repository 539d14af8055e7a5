// Proves which words are kept of a User-Agent header, which a client can write as it likes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deviceName } from "./device-name.ts";

const apple = "AppleWebKit/605.1.15 (KHTML, like Gecko)";

test("SES-21 the device of a log-in is browser and system, by the words of a fixed list", () => {
  const known: ReadonlyArray<readonly [string, string]> = [
    ["Mozilla/5.0 (Windows NT 10.0; rv:131.0) Gecko/20100101 Firefox/131.0", "Firefox on Windows"],
    [
      `Mozilla/5.0 (Windows NT 10.0) ${apple} Chrome/130.0.0.0 Safari/537.36 Edg/130.0`,
      "Edge on Windows",
    ],
    [`Mozilla/5.0 (X11; Linux x86_64) ${apple} Chrome/130.0.0.0 Safari/537.36`, "Chrome on Linux"],
    [
      `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${apple} Chrome/130.0.0.0 Mobile Safari/537.36`,
      "Chrome on Android",
    ],
    [
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${apple} Version/17.6 Safari/605.1.15`,
      "Safari on macOS",
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) ${apple} Version/17.6 Mobile/15E148 Safari/604.1`,
      "Safari on iOS",
    ],
    ["something (X11; Linux)", "Linux"],
  ];
  for (const [header, name] of known) assert.equal(deviceName(header), name, header);
});

test("SES-21 nothing else of the header is kept, whatever it is and however long", () => {
  for (const header of ["", "node", "curl/8.5.0", "<b>Firefox</b>", "x".repeat(100_000)])
    assert.equal(deviceName(header), null, header.slice(0, 20));
  const hostile = "<script>alert(1)</script> Firefox/1.0\u202e (Windows NT 1)";
  assert.equal(deviceName(hostile), "Firefox on Windows");
  assert.equal(deviceName(`${"x".repeat(600)} Firefox/1.0`), null);
});
