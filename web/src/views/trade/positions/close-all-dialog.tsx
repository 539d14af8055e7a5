// Closes all positions at the market, after the user has seen which.

import type { VNode } from "preact";
import { signed } from "../../../decimal-text.ts";
import { positions } from "../../../member/account.ts";
import { revalued } from "../../../member/risk/margin.ts";
import { ActionForm } from "../../form/action-form.tsx";
import { Dialog } from "../../form/dialog.tsx";
import { closeAll } from "./closing.ts";

export function CloseAllDialog({ onClose }: { onClose(): void }): VNode {
  const held = positions.value.map(revalued);
  const act = async (): Promise<string> => {
    await closeAll(positions.peek());
    onClose();
    return "";
  };
  return (
    <Dialog title="Close all positions" onClose={onClose}>
      <ActionForm submit={`Close ${held.length} at market`} tone="sell" act={act}>
        <ul class="plain" aria-label="Positions to close">
          {held.map(({ symbol, side, qty, unrealized_pnl: profit }) => (
            <li key={symbol}>
              {symbol}: {side} {qty}, unrealized {signed(profit, 2)}
            </li>
          ))}
        </ul>
        <p class="soft">Each is closed by a reduce-only order at the market. Open orders stay.</p>
      </ActionForm>
    </Dialog>
  );
}
