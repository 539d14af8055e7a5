// How long the ledger has been silent, for a request that waits for it: what the venue says at /health, which everybody may
// read.

import type { Problem } from "../../../../src/ports/venue-problems.ts";

const lookMs = 3_000;

/** What to tell the user who waits, from the problems of /health; empty if the ledger is not the reason. */
export function waitText(problems: readonly Problem[]): string {
  const found = problems.find(({ kind }) => kind === "ledger_late" || kind === "ledger_stale");
  if (found === undefined) return "";
  const [said = ""] = found.text.split(":");
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}; still trying. Nothing has left your wallet yet.`;
}

/** Tells again and again, until the returned function is called, how long the ledger has been silent. */
export function watchLedger(tell: (text: string) => void): () => void {
  let isOver = false;
  const look = async (): Promise<void> => {
    const answer = await fetch("/health", { signal: AbortSignal.timeout(lookMs) });
    const { problems = [] } = (await answer.json()) as { problems?: readonly Problem[] };
    const text = waitText(problems);
    if (!isOver && text !== "") tell(text);
  };
  const timer = setInterval(() => void look().catch(() => undefined), lookMs);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}
