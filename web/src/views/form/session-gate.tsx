// Views that need a session show this until there is one.

import { useSignal } from "@preact/signals";
import type { ComponentType, VNode } from "preact";
import { hasKey, logIn, session } from "../../member/session.ts";
import { ActionForm } from "./action-form.tsx";
import { bound, TextField } from "./field.tsx";

interface GateProps {
  readonly title: string;
  readonly view: ComponentType;
  /** Continues "Log in to …". */
  readonly why: string;
}

/** The log-in itself, wherever it is asked for. */
export function LogIn({ why }: { why: string }): VNode {
  const code = useSignal("");
  const enter = async (): Promise<string> => {
    await logIn(code.value.trim());
    return "";
  };
  const isNew = hasKey.value === false;
  return (
    <ActionForm layout="login" submit={isNew ? "Make a key and log in" : "Log in"} act={enter}>
      <p>Log in to {why}.</p>
      <p class="soft">
        {isNew
          ? "A key is made in this browser. It cannot be copied out of it, and it is your account: clearing this site's data loses both."
          : "This browser has your key."}
      </p>
      {isNew && <TextField label="Referral code, if you have one" {...bound(code)} />}
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
