// What the user does with a position: close it or a part of it, at the market or at a limit, and set its take profit
// and stop loss.

import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { shown, shownAverage, signed, toneOf } from "../../decimal-text.ts";
import type { Market } from "../../markets/market.ts";
import { blankTicket, shareOf } from "../../markets/order-ticket.ts";
import {
  guardNames,
  lateStopHint,
  percentOfMargin,
  profitAt,
  triggerFault,
} from "../../markets/positions/guard-terms.ts";
import { closingSide, type Guard } from "../../markets/positions/guards.ts";
import { type Position, refreshAccount } from "../../member/account.ts";
import { readReference } from "../../member/best-price.ts";
import { guardPrice, setGuard } from "../../member/position-guards.ts";
import { faultMessage } from "../../member/venue-api.ts";
import { ActionForm } from "../form/action-form.tsx";
import { Choice } from "../form/choice.tsx";
import { Dialog } from "../form/dialog.tsx";
import { Field } from "../form/field.tsx";
import { close, enteredFault } from "./positions/closing.ts";
import { ClosingFigures } from "./positions/closing-figures.tsx";
import { ShareButtons } from "./share-buttons.tsx";
import { orderMessage } from "./ticket-sending.ts";

export interface PositionProps {
  readonly position: Position;
  readonly market: Market;
  onClose(): void;
}

/** The part of a position, rounded down to the market's step. */
function partOf({ qty }: Position, market: Market, percent: string): string {
  const means = {
    free: undefined,
    positionQuantity: qty,
    best: undefined,
    reach: null,
    leverage: 1,
  };
  return shareOf({ ...blankTicket, isReduceOnly: true }, market, percent, means) ?? "";
}

interface GuardFieldProps extends Omit<PositionProps, "onClose"> {
  readonly type: Guard;
  /** What the user has typed; null for a field that was not changed, which then is left as it is. */
  readonly text: Signal<string | null>;
}

const profitDecimals = 2;

export function CloseDialog({ position, market, onClose }: PositionProps): VNode {
  const kind = useSignal<"MARKET" | "LIMIT">("MARKET");
  const quantity = useSignal(partOf(position, market, "100"));
  const price = useSignal("");
  const side = closingSide(position);
  const isLimit = kind.value === "LIMIT";
  const limit = isLimit ? price.value : null;
  const closing = { position, market, quantity: quantity.value, price: limit };
  const fault = enteredFault(closing);
  const act = async (): Promise<string> => {
    const placed = await close(closing);
    if (placed === null) return "Not sent.";
    if (placed.status === "FILLED" || placed.status === "NEW") onClose();
    return orderMessage(placed, market);
  };
  return (
    <Dialog title={`Close ${market.symbol}`} onClose={onClose}>
      <ActionForm
        submit={isLimit ? "Close at limit" : "Close at market"}
        tone={side.toLowerCase()}
        note={fault ?? ""}
        act={act}
      >
        <p class="soft">
          {position.side} {position.qty} {market.base}, entry{" "}
          {shownAverage(position.entry_price, market.pricePlaces)}, mark{" "}
          {shown(position.mark_price, market.pricePlaces)}
        </p>
        <Choice
          label="Close with"
          options={[
            ["MARKET", "Market"],
            ["LIMIT", "Limit"],
          ]}
          value={kind.value}
          onChoose={(next) => {
            kind.value = next;
          }}
        />
        {isLimit && (
          <Field
            label={`Closing price (${market.quote})`}
            hint={shown(position.mark_price, market.pricePlaces)}
            value={price.value}
            onValue={(text) => {
              price.value = text;
            }}
          />
        )}
        <Field
          label={`Quantity to close (${market.base})`}
          value={quantity.value}
          onValue={(text) => {
            quantity.value = text;
          }}
        />
        <ShareButtons
          label="Percentage of the position"
          onChoose={(percent) => {
            quantity.value = partOf(position, market, percent);
          }}
        />
        <ClosingFigures
          position={position}
          market={market}
          quantity={fault === null ? quantity.value : ""}
          limit={limit}
        />
      </ActionForm>
    </Dialog>
  );
}

/** In the order of their fields. */
const guards = ["TAKE_PROFIT_MARKET", "STOP_MARKET"] as const;

/** Why what is typed would be refused; null for a price that the order has already. */
function typedFault({ position, market, type, text }: GuardFieldProps): string | null {
  const price = text.value ?? "";
  if (price === guardPrice(position, type)) return null;
  return triggerFault(position, market, type, price);
}

/** Where a take profit or stop loss of the position is entered, with what it would bring or why it would be refused. */
function GuardField(props: GuardFieldProps): VNode {
  const { position, market, type, text } = props;
  const price = text.value ?? guardPrice(position, type);
  const fault = typedFault(props);
  const profit = profitAt(position, price);
  const percent = percentOfMargin(profit, position.margin);
  const late = type === "STOP_MARKET" ? lateStopHint(position, market.pricePlaces, price) : null;
  return (
    <>
      <Field
        label={`${guardNames[type]} of the position`}
        isFirst={type === guards[0]}
        value={price}
        onValue={(value) => {
          text.value = value;
        }}
      />
      {fault === null ? (
        <small>
          Expected PnL ({market.quote}):{" "}
          <span class={toneOf(profit)}>{signed(profit, profitDecimals)}</span>
          {percent !== null && <span> ({signed(percent, 1)} %)</span>}
          {late !== null && (
            <span class="loss late" role="status">
              {late}
            </span>
          )}
        </small>
      ) : (
        <small class="loss" role="status">
          {fault}
        </small>
      )}
    </>
  );
}

export function TpSlDialog({ position, market, onClose }: PositionProps): VNode {
  const texts = {
    TAKE_PROFIT_MARKET: useSignal<string | null>(null),
    STOP_MARKET: useSignal<string | null>(null),
  };
  const isRefused = guards.some(
    (type) => typedFault({ position, market, type, text: texts[type] }) !== null,
  );
  const set = async (): Promise<string> => {
    const changed = guards.flatMap((type) => {
      const price = texts[type].value;
      return price === null || price === guardPrice(position, type) ? [] : [{ type, price }];
    });
    // The page's mark may be a moment old.
    const now = { side: position.side, mark_price: (await readReference(market)) ?? null };
    for (const { type, price } of changed) {
      const fault = triggerFault(now, market, type, price);
      if (fault !== null) throw new Error(`${fault}. Nothing was changed.`);
    }
    await setGuards(position, market, changed);
    onClose();
    return "";
  };
  return (
    <Dialog title={`TP/SL of ${market.symbol}`} onClose={onClose}>
      <ActionForm submit="Set TP/SL" act={set} isDisabled={isRefused}>
        <p class="soft">
          {position.side} {position.qty} {market.base}, entry{" "}
          {shownAverage(position.entry_price, market.pricePlaces)}, mark{" "}
          {shown(position.mark_price, market.pricePlaces)}. When the mark reaches a price, the whole
          position is closed at the market. Both end with the position. Empty removes one.
        </p>
        {guards.map((type) => (
          <GuardField key={type} {...{ position, market, type }} text={texts[type]} />
        ))}
      </ActionForm>
    </Dialog>
  );
}

/** Sets the take profit and the stop loss that were changed. A refusal says which it was about, and what was set. */
async function setGuards(
  position: Position,
  market: Market,
  changed: ReadonlyArray<{ readonly type: Guard; readonly price: string }>,
): Promise<void> {
  const done: string[] = [];
  try {
    for (const { type, price } of changed) {
      await setGuard(position, market, type, price).catch((thrown: unknown) => {
        const refusal = `${guardNames[type]}: ${faultMessage(thrown)}`;
        throw new Error([refusal, ...done.map((name) => `${name} was changed.`)].join(" "));
      });
      done.push(guardNames[type]);
    }
  } finally {
    refreshAccount();
  }
}
