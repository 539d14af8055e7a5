// Tells the user, once per episode, that the account comes close to its liquidation. An episode ends when the margin ratio is
// clearly below its bound again, so that a ratio that moves around the bound is told once. The page moves the marks of
// positions that the venue may have closed meanwhile, so the account is read again before anything is told.

import { effect, untracked } from "@preact/signals";
import { shown } from "../decimal-text.ts";
import { keptSignal } from "../kept-signal.ts";
import { isCalled, type RiskFigures, readMargin, risk } from "../member/risk/margin.ts";
import { session } from "../member/session.ts";
import { announce } from "./notice-list.ts";
import type { Notice } from "./notices.ts";

/** Margin ratio in percent below which an episode ends. */
const calmBelow = 75;

/** Whether an episode goes on or begins with these figures. */
export function isInCall(figures: RiskFigures, wasInCall: boolean): boolean {
  if (isCalled(figures)) return true;
  return wasInCall && Number(figures.ratio ?? 0) >= calmBelow;
}

export function marginNotice({ ratio, equity }: RiskFigures, atMs: number): Notice {
  const state = ratio === null ? "your equity is used up" : `margin ratio ${shown(ratio, 2)} %`;
  const advice =
    "At 100 % your positions are liquidated. Add USDC to the perp wallet or close a part.";
  const text = `Margin call: ${state}, equity ${shown(equity, 2)} USDC. ${advice}`;
  return {
    key: `margin-${atMs}`,
    kind: "liquidation",
    atMs,
    text,
    orderNo: 0,
    symbol: "",
    proof: "",
  };
}

/** The user whose account is in an episode, also over a reload; empty for none. */
const called = keptSignal("rialto-margin-call", "", (value) =>
  typeof value === "string" ? value : undefined,
);

/** Watches the account's figures. */
export function keepMarginCall(): void {
  effect(() => {
    const userId = session.value?.userId ?? "";
    const figures = risk.value;
    if (userId === "" || figures === null) return;
    const wasInCall = called.peek() === userId;
    const isNow = isInCall(figures, wasInCall);
    if (isNow === wasInCall) return;
    called.value = isNow ? userId : "";
    if (isNow) void untracked(() => tell(userId, figures));
  });
}

/** Tells what the venue confirms. A venue that does not answer is no reason to be silent. */
async function tell(userId: string, seen: RiskFigures): Promise<void> {
  const isRead = await readMargin().then(
    () => true,
    () => false,
  );
  if (session.peek()?.userId !== userId || called.peek() !== userId) return;
  const figures = isRead ? risk.peek() : seen;
  if (figures !== null && isInCall(figures, true)) announce(marginNotice(figures, Date.now()));
}
