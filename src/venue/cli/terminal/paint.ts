// Colours for people: only where the output is a terminal that has them. The runtime's own test of that
// heeds NO_COLOR and FORCE_COLOR.

import type { WriteStream } from "node:tty";

const codes = { red: 31, green: 32, yellow: 33, bold: 1 } as const;

export type Colour = keyof typeof codes;

/** `words` in a colour where `stream` shows it, else as they are. */
export function paint(colour: Colour, message: string, stream: WriteStream): string {
  if (!stream.isTTY || !stream.hasColors()) return message;
  return `\x1b[${codes[colour]}m${message}\x1b[0m`;
}
