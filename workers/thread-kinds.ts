// The kinds of threads. Each has an entry point with its name in this folder, and a separate bundle.

export const threadKinds = [
  "journal",
  "clearing",
  "matcher",
  "front",
  "bus",
  "settlement",
] as const;

export type ThreadKind = (typeof threadKinds)[number];
