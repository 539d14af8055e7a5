// The icon of a coin: a disc with the coin's first letters, in a colour of its own. It is made from the
// code alone, so that a market the operator adds has one too.

import { createHash } from "node:crypto";

/** An icon as it is served. */
export interface Icon {
  readonly svg: string;
  /** In its quotes. */
  readonly etag: string;
}

const hues: Readonly<Record<string, number>> = { BTC: 36, ETH: 228, CC: 168 };

function hueOf(code: string): number {
  const known = hues[code];
  if (known !== undefined) return known;
  return (createHash("sha256").update(code).digest()[0] ?? 0) * (360 / 256);
}

/** Where the icon of a coin is served. */
export function iconPath(code: string): string {
  return `/v1/icons/${code.toLowerCase()}.svg`;
}

/** The icon of a coin whose code is upper-case letters and digits. */
export function iconOf(code: string): Icon {
  const letters = code.slice(0, 3);
  const size = letters.length > 2 ? 19 : 24;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="${code}">` +
    `<circle cx="32" cy="32" r="32" fill="hsl(${Math.round(hueOf(code))} 62% 42%)"/>` +
    `<circle cx="32" cy="32" r="26" fill="none" stroke="#fff" stroke-opacity=".35" stroke-width="2"/>` +
    `<text x="32" y="33" fill="#fff" font-family="sans-serif" font-weight="700" font-size="${size}"` +
    ` text-anchor="middle" dominant-baseline="middle">${letters}</text></svg>\n`;
  const digest = createHash("sha256").update(svg).digest("base64url").slice(0, 22);
  return { svg, etag: `"${digest}"` };
}
