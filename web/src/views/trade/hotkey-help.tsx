// The overlay that lists the keys of the trading view.

import type { VNode } from "preact";
import { Dialog } from "../form/dialog.tsx";
import { areHotkeysOn, hotkeys, isHelpOpen } from "./hotkeys.ts";

function close(): void {
  isHelpOpen.value = false;
}

export function HotkeyHelp(): VNode | null {
  if (!isHelpOpen.value) return null;
  return (
    <Dialog title="Keyboard" onClose={close}>
      <table class="keys">
        <tbody>
          {hotkeys.map(({ key, withShift, does }) => (
            <tr key={key}>
              <td>
                {withShift === true && <kbd>Shift</kbd>} <kbd>{key}</kbd>
              </td>
              <td>{does}</td>
            </tr>
          ))}
          <tr>
            <td>
              <kbd>Enter</kbd>
            </td>
            <td>Send the order or its change</td>
          </tr>
        </tbody>
      </table>
      <p class="soft">Single keys do nothing in fields. Only Enter sends an order.</p>
      <label class="check">
        <input
          type="checkbox"
          checked={areHotkeysOn.value}
          onChange={({ currentTarget }) => {
            areHotkeysOn.value = currentTarget.checked;
          }}
        />
        Single keys act
      </label>
    </Dialog>
  );
}
