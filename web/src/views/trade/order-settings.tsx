// The user's own limits on orders: confirmations, the largest value, the largest distance from the mark, slippage.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { orderGuards } from "../../markets/guard-settings.ts";
import type { Market } from "../../markets/market.ts";
import { limitFault, type OrderGuards } from "../../markets/order-guards.ts";
import { ActionForm } from "../form/action-form.tsx";
import { Dialog } from "../form/dialog.tsx";
import { Field } from "../form/field.tsx";

const fields = [
  ["valueMax", "Largest order value", "no limit"],
  ["distanceMax", "Largest distance of a price", "no limit"],
  ["slippageMax", "Slippage of market orders (%)", "no limit"],
] as const;

/** The label of a limit, with its unit and what it is measured by in the market. */
function labelIn({ quote, isPerpetual }: Market, name: keyof OrderGuards, label: string): string {
  if (name === "valueMax") return `${label} (${quote})`;
  if (name !== "distanceMax") return label;
  return `${label} from the ${isPerpetual ? "mark" : "last price"} (%)`;
}

function SettingsDialog({ market, onClose }: { market: Market; onClose: () => void }): VNode {
  const draft = useSignal(orderGuards.peek());
  const set = (part: Partial<OrderGuards>): void => {
    draft.value = { ...draft.value, ...part };
  };
  const save = async (): Promise<string> => {
    for (const [name, label] of fields) {
      const fault = limitFault(name, labelIn(market, name, label), draft.value[name]);
      if (fault !== null) throw new Error(fault);
    }
    orderGuards.value = draft.value;
    onClose();
    return "";
  };
  return (
    <Dialog title="Order settings" onClose={onClose}>
      <ActionForm submit="Save settings" act={save}>
        <p class="soft">Your own limits, kept in this browser. An empty field is no limit.</p>
        <label class="check">
          <input
            type="checkbox"
            checked={draft.value.confirms}
            onChange={({ currentTarget }) => set({ confirms: currentTarget.checked })}
          />
          Confirm each order before it is sent
        </label>
        {fields.map(([name, label, hint]) => (
          <Field
            key={name}
            label={labelIn(market, name, label)}
            hint={hint}
            value={draft.value[name]}
            onValue={(text) => set({ [name]: text })}
          />
        ))}
        <p class="soft">
          With a slippage limit a market order is sent as a limit order that trades at once, at most
          so much beyond the best price; the rest expires.
        </p>
      </ActionForm>
    </Dialog>
  );
}

/** Opens the settings, and says which of them are on. */
export function SettingsButton({ market }: { market: Market }): VNode {
  const isOpen = useSignal(false);
  const { confirms, valueMax, distanceMax, slippageMax } = orderGuards.value;
  const on = [
    confirms ? "confirm" : "",
    valueMax === "" ? "" : `≤ ${valueMax}`,
    distanceMax === "" ? "" : `± ${distanceMax} %`,
    slippageMax === "" ? "" : `slippage ${slippageMax} %`,
  ].filter((part) => part !== "");
  return (
    <p class="order-settings">
      <button
        type="button"
        class="quiet"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        Order settings
      </button>
      <small class="soft">{on.join(", ")}</small>
      {isOpen.value && (
        <SettingsDialog
          market={market}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </p>
  );
}
