// The form that changes the account's leverage in a market: it says first what the change does to the position there. It is
// loaded when it is opened.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { shown } from "../../decimal-text.ts";
import { cutTo, exact, sizeOf, times } from "../../markets/exact.ts";
import type { Market } from "../../markets/market.ts";
import { floorLeverages } from "../../markets/markets.ts";
import { marginOf } from "../../markets/order-estimate.ts";
import { positions, refreshAccount } from "../../member/account.ts";
import { setLeverage } from "../../member/order-actions.ts";
import { leverageMarket } from "../../member/risk/leverage-market.ts";
import { largestValue, leverageIn, orderMarginIn, risk } from "../../member/risk/margin.ts";
import { worthIfFilled } from "../../member/risk/opening-terms.ts";
import { floorText } from "../../member/risk/order-cover.ts";
import { announce } from "../../notices/notice-list.ts";
import type { Notice } from "../../notices/notices.ts";
import { ActionForm } from "../form/action-form.tsx";

const places = 2;

interface Change {
  readonly before: string;
  readonly after: string;
}

/** Margins before and after a change of leverage; orders and position are valued as they were opened. */
function changesOf(market: Market, now: number, next: number) {
  const position = positions.value.find(({ symbol }) => symbol === market.symbol);
  const cost = times(exact(position?.qty) ?? 0n, exact(position?.entry_price) ?? 0n);
  const orders = exact(orderMarginIn(market.listed)) ?? 0n;
  const ordersAfter = (orders * BigInt(now)) / BigInt(next);
  const held = exact(position?.margin) ?? 0n;
  const heldAfter = exact(marginOf(sizeOf(cost), next)) ?? 0n;
  const free = exact(risk.value?.available) ?? 0n;
  const freeAfter = free + held + orders - heldAfter - ordersAfter;
  const pair = (before: bigint, after: bigint): Change => ({
    before: shown(cutTo(before, places), places),
    after: shown(cutTo(after, places), places),
  });
  return {
    position,
    margin: pair(held, heldAfter),
    orders: pair(orders, ordersAfter),
    free: pair(free, freeAfter),
    isShort: freeAfter < 0n,
  };
}

/** A value to the whole unit. */
function money(units: bigint): string {
  return shown(cutTo(units, 0), 0);
}

function ChangeLine({ name, change }: { name: string; change: Change }): VNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {change.before === change.after ? change.after : `${change.before} → ${change.after}`}
      </dd>
    </>
  );
}

function changeNotice({ symbol }: Market, leverage: number): Notice {
  const text = `Leverage of ${symbol} set to ${leverage}×`;
  return {
    key: `leverage ${symbol}`,
    kind: "change",
    atMs: Date.now(),
    text,
    orderNo: 0,
    symbol,
    proof: "",
  };
}

export function LeverageForm(): VNode | null {
  const { value: market } = leverageMarket;
  return market === null ? null : <FormOf market={market} />;
}

function FormOf({ market }: { market: Market }): VNode {
  const now = leverageIn(market.listed);
  // The text as typed: the dialog is drawn again with every mark, which must not undo what the user types.
  const text = useSignal(String(now));
  const most = market.leverageMax;
  const wanted = /^\d{1,3}$/.test(text.value) ? Number(text.value) : 0;
  const isValid = wanted >= 1 && wanted <= most;
  const next = isValid ? wanted : now;
  const { position, margin, orders, free, isShort } = changesOf(market, now, next);
  const floored = floorText(next, floorLeverages.value.get(market.listed) ?? null);
  const largest = largestValue(market.listed, next);
  const worth = worthIfFilled(market);
  // A lower leverage is always allowed.
  const isBeyond = next > now && largest !== null && worth > largest;
  const set = async (): Promise<string> => {
    await setLeverage(market, next);
    refreshAccount();
    announce(changeNotice(market, next));
    leverageMarket.value = null;
    return "";
  };
  const choose = (typed: string): void => {
    text.value = typed.trim();
  };
  return (
    <ActionForm
      submit={isValid ? `Set ${wanted}×` : "Set leverage"}
      isDisabled={!isValid || isBeyond || (isShort && next !== now)}
      act={set}
    >
      <label>
        Leverage, 1 to {most}
        <input
          inputMode="numeric"
          autocomplete="off"
          value={text.value}
          onInput={({ currentTarget }) => choose(currentTarget.value)}
        />
      </label>
      <input
        type="range"
        aria-label="Leverage"
        min="1"
        max={most}
        value={next}
        onInput={({ currentTarget }) => choose(currentTarget.value)}
      />
      {!isValid && <p role="alert">{`A whole number from 1 to ${most}`}</p>}
      <p class="soft">It applies to your whole position and all open orders in this market.</p>
      <dl class="estimate" aria-label="What changes">
        <ChangeLine name="Margin of the position" change={margin} />
        <ChangeLine name="Margin of open orders" change={orders} />
        <ChangeLine name="Available USDC" change={free} />
        <dt>Largest position {market.quote}</dt>
        <dd>{largest === null ? "no limit" : money(largest)}</dd>
        <dt>Liquidation price</dt>
        <dd>{liquidationText(market, position?.liquidation_price, position !== undefined)}</dd>
      </dl>
      <p class="soft">
        Margin is cross: your whole perp wallet backs the position, so leverage changes what is
        locked, not the liquidation price.
      </p>
      {floored !== "" && <p role="status">{floored}</p>}
      {isBeyond && (
        <p role="alert">
          Your position and open orders are worth {money(worth)} {market.quote}, more than the
          largest position at {next}×.
        </p>
      )}
      {isShort && next !== now && (
        <p role="alert">Your available balance does not cover this leverage.</p>
      )}
    </ActionForm>
  );
}

function liquidationText(
  { pricePlaces }: Market,
  price: string | null | undefined,
  hasPosition: boolean,
): string {
  if (!hasPosition) return "no position";
  return price == null ? "none, unchanged" : `${shown(price, pricePlaces)}, unchanged`;
}
