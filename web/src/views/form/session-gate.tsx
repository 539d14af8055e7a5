// What views that need a session show until the user has logged in.

import { useSignal } from "@preact/signals";
import type { ComponentType, VNode } from "preact";
import { hasKey, logIn, session } from "../../member/session.ts";
import { ActionForm } from "./action-form.tsx";
import { bound, TextField } from "./field.tsx";

interface GateProps {
  readonly title: string;
  readonly view: ComponentType;
  /** Purpose of the log-in: the text after "Log in to". */
  readonly why: string;
}

/** The log-in form, alone or inside another view. */
export function LogIn({ why }: { why: string }): VNode {
  const code = useSignal("");
  const enter = async (): Promise<string> => {
    await logIn(code.value.trim());
    return "";
  };
  const isNew = hasKey.value === false;
  return (
    <ActionForm layout="login" submit={isNew ? "Create a key and log in" : "Log in"} act={enter}>
      <p>Log in to {why}.</p>
      <p class="soft">
        {isNew
          ? "Your account is a key created in this browser. It cannot be exported: clearing this site's data deletes the key and access to the account."
          : "Your key is stored in this browser."}
      </p>
      {isNew && <TextField label="Referral code (optional)" {...bound(code)} />}
    </ActionForm>
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
