// Opens the account of a key file in this browser. A wrong passphrase or a damaged file changes nothing.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { keyFileLengthMax, openedKey } from "../../member/key-file.ts";
import { hasKey, logIn, lookForKey } from "../../member/session.ts";
import { keepKey } from "../../member/wallet-key.ts";
import { ActionForm } from "../form/action-form.tsx";
import { bound, PasswordField } from "../form/field.tsx";

async function textOf(file: File | null): Promise<string> {
  if (file === null) throw new Error("Choose your key file.");
  if (file.size > keyFileLengthMax)
    throw new Error("This is not a Rialto key file. Nothing was changed.");
  return file.text();
}

export function RestoreKey(): VNode {
  const file = useSignal<File | null>(null);
  const passphrase = useSignal("");
  const mayReplace = useSignal(false);
  const isReplacing = hasKey.value === true;
  const restore = async (): Promise<string> => {
    const pair = await openedKey(await textOf(file.value), passphrase.value);
    // Another tab may have made a key since the page looked.
    await lookForKey();
    if (hasKey.value === true && !mayReplace.value)
      throw new Error("Confirm first that the key of this browser may be replaced.");
    await keepKey({ pair, hasFile: true });
    passphrase.value = "";
    await lookForKey();
    await logIn();
    return "";
  };
  return (
    <ActionForm submit="Log in with this file" act={restore}>
      <label>
        Key file
        <input
          type="file"
          accept=".json,application/json"
          onChange={({ currentTarget }) => {
            file.value = currentTarget.files?.[0] ?? null;
          }}
        />
      </label>
      <PasswordField label="Passphrase of the file" {...bound(passphrase)} />
      {isReplacing && (
        <label class="check">
          <input
            type="checkbox"
            checked={mayReplace.value}
            onChange={({ currentTarget }) => {
              mayReplace.value = currentTarget.checked;
            }}
          />
          Replace the key of this browser. Without its own key file, its account is lost.
        </label>
      )}
    </ActionForm>
  );
}
