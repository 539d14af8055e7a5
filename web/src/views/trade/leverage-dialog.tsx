// The account's leverage in a market: shown beside the market, and changed in a dialog.

import type { VNode } from "preact";
import type { Market } from "../../markets/market.ts";
import { leverageMarket } from "../../member/risk/leverage-market.ts";
import { accountMargin, leverageIn } from "../../member/risk/margin.ts";
import { session } from "../../member/session.ts";
import { Dialog } from "../form/dialog.tsx";
import { lazyView } from "../form/lazy-view.tsx";

const LeverageForm = lazyView(null, async () => (await import("./leverage-form.tsx")).LeverageForm);

/** Shows the leverage of a perpetual, and opens its dialog. */
export function LeverageButton({ market }: { market: Market }): VNode | null {
  if (!market.isPerpetual || session.value === null) return null;
  const isKnown = accountMargin.value !== null;
  const leverage = isKnown ? leverageIn(market.listed) : "–";
  return (
    <button
      type="button"
      class="leverage"
      aria-label={`Leverage of ${market.symbol}: ${leverage}×`}
      title="Change the leverage of this market"
      disabled={!isKnown}
      onClick={() => {
        leverageMarket.value = market;
      }}
    >
      {leverage}×
    </button>
  );
}

/** Stands apart from the button, so that no style of the market bar reaches the dialog. */
export function LeverageDialog(): VNode | null {
  const { value: market } = leverageMarket;
  if (market === null) return null;
  const close = (): void => {
    leverageMarket.value = null;
  };
  return (
    <Dialog title={`Leverage of ${market.symbol}`} onClose={close}>
      <LeverageForm />
    </Dialog>
  );
}
