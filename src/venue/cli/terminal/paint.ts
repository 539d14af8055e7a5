// Colours, only on a terminal that supports them. The runtime's check respects NO_COLOR and FORCE_COLOR.

import type { WriteStream } from "node:tty";

const codes = { red: 31, green: 32, yellow: 33, bold: 1 } as const;

export type Colour = keyof typeof codes;

/** `message` in a colour if `stream` supports it, otherwise unchanged. */
export function paint(colour: Colour, message: string, stream: WriteStream): string {
  if (!stream.isTTY || !stream.hasColors()) return message;
  return `\x1b[${codes[colour]}m${message}\x1b[0m`;
}
