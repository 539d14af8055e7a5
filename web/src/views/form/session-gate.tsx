// What views that need a session show until the user has logged in.

import { useSignal } from "@preact/signals";
import type { ComponentType, VNode } from "preact";
import { download } from "../../download.ts";
import { checkPassphrase } from "../../member/key-file.ts";
import { hasKey, logIn, session, whyEnded } from "../../member/session.ts";
import { makeKey } from "../../member/wallet-key.ts";
import { invitation } from "../../route.ts";
import { ActionForm } from "./action-form.tsx";
import { bound, PasswordField, TextField } from "./field.tsx";
import { lazyView } from "./lazy-view.tsx";

interface GateProps {
  readonly title: string;
  readonly view: ComponentType;
  /** Purpose of the log-in: the text after "Log in to". */
  readonly why: string;
}

const RestoreKey = lazyView(null, async () => (await import("../keys/restore-key.tsx")).RestoreKey);

const texts = {
  new: "Your account is a key created in this browser. Save it as an encrypted key file now: it cannot be exported later, and without a file, clearing this site's data loses the account.",
  known: "Your key is stored in this browser.",
} as const;

/** Reads the key file's passphrase; null if its fields are empty. */
function wantedPassphrase(passphrase: string, repeated: string): string | null {
  if (passphrase === "" && repeated === "") return null;
  checkPassphrase(passphrase, repeated);
  return passphrase;
}

/** Name of a key's file: with the beginning of its public key, so that the files of two keys are told apart. */
function keyFileName(publicKey: string): string {
  return `rialto-key-${publicKey.replace(/\W/g, "").slice(0, 8)}.json`;
}

/** The log-in form, alone or inside another view. */
export function LogIn({ why }: { why: string }): VNode {
  const code = useSignal(invitation());
  const [passphrase, repeated] = [useSignal(""), useSignal("")];
  const isRestoring = useSignal(false);
  const enter = async (): Promise<string> => {
    const { key, file } = await makeKey(wantedPassphrase(passphrase.value, repeated.value));
    if (file !== null) download(keyFileName(key.publicKey), file, "application/json");
    passphrase.value = "";
    repeated.value = "";
    await logIn(code.value.trim());
    return "";
  };
  const isNew = hasKey.value === false;
  return (
    <div class="login">
      <ActionForm submit={isNew ? "Create a key and log in" : "Log in"} act={enter}>
        {whyEnded.value !== "" && <p role="status">{whyEnded.value}</p>}
        <p>Log in to {why}.</p>
        <p class="soft">{isNew ? texts.new : texts.known}</p>
        {isNew && (
          <>
            <PasswordField label="Passphrase for a key file (recommended)" {...bound(passphrase)} />
            <PasswordField label="Repeat the passphrase" {...bound(repeated)} />
            <TextField label="Referral code (optional)" {...bound(code)} />
          </>
        )}
      </ActionForm>
      <details
        onToggle={({ currentTarget }) => {
          isRestoring.value = currentTarget.open;
        }}
      >
        <summary>Log in with a key file</summary>
        {isRestoring.value && <RestoreKey />}
      </details>
    </div>
  );
}

export function SessionGate({ title, view: View, why }: GateProps): VNode {
  if (session.value === null) {
    return (
      <div class="page">
        <h1>{title}</h1>
        <LogIn why={why} />
      </div>
    );
  }
  return <View />;
}
