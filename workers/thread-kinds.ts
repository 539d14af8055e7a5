// The kinds of threads. Each has an entry point of its name in this folder, and a bundle of its own.

export const threadKinds = [
  "journal",
  "clearing",
  "matcher",
  "front",
  "bus",
  "settlement",
] as const;

export type ThreadKind = (typeof threadKinds)[number];
