// The key of this browser: which one it is, and whether it can be brought to another device.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { session } from "../../member/session.ts";
import { storedKey, type WalletKey } from "../../member/wallet-key.ts";
import { CopyButton } from "../form/copy-button.tsx";

export function BrowserKeyCard(): VNode {
  const key = useSignal<WalletKey | null>(null);
  useEffect(() => {
    storedKey().then(
      (found) => {
        key.value = found;
      },
      () => undefined,
    );
  }, []);
  const party = session.value?.partyId ?? "";
  return (
    <section class="notice" aria-label="Key of this browser">
      <h2>Key of this browser</h2>
      <p>
        It logs you in and signs swaps and key changes. Its private part cannot be read out of the
        browser, not even by this page.
      </p>
      <p class="soft">
        {key.value?.hasFile === true
          ? "You have its key file. On another device, choose “Log in with a key file”."
          : "It has no key file: a file can be saved only when a key is created. To use a second device, create a key there with a file and move your funds to its account."}
      </p>
      {key.value !== null && (
        <p class="soft">
          Public key <code>{key.value.publicKey}</code>; its first letters are in the file’s name.
        </p>
      )}
      <dl class="copied">
        <dt>
          Party <CopyButton text={party} what="party" />
        </dt>
        <dd>
          <code>{party}</code>
        </dd>
      </dl>
    </section>
  );
}
