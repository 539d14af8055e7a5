// Views that need a session show this until there is one.

import { useSignal } from "@preact/signals";
import type { ComponentType, VNode } from "preact";
import { hasKey, logIn, session } from "../session.ts";
import { faultWords } from "../venue-api.ts";

interface GateProps {
  readonly title: string;
  readonly view: ComponentType;
  /** Continues "Log in to …". */
  readonly why: string;
}

/** The log-in itself, wherever it is asked for. */
export function LogIn({ why }: { why: string }): VNode {
  const code = useSignal("");
  const fault = useSignal("");
  const isBusy = useSignal(false);
  const enter = (event: Event): void => {
    event.preventDefault();
    isBusy.value = true;
    fault.value = "";
    logIn(code.value.trim())
      .catch((thrown: unknown) => {
        fault.value = faultWords(thrown);
      })
      .finally(() => {
        isBusy.value = false;
      });
  };
  const isNew = hasKey.value === false;
  return (
    <form class="login" onSubmit={enter}>
      <p>Log in to {why}.</p>
      <p class="soft">
        {isNew
          ? "A key is made in this browser. It cannot be copied out of it, and it is your account: clearing this site's data loses both."
          : "This browser has your key."}
      </p>
      {isNew && (
        <label>
          Referral code, if you have one
          <input
            value={code.value}
            autocomplete="off"
            onInput={({ currentTarget }) => {
              code.value = currentTarget.value;
            }}
          />
        </label>
      )}
      <button type="submit" class="primary" disabled={isBusy.value}>
        {isBusy.value ? "Signing…" : isNew ? "Make a key and log in" : "Log in"}
      </button>
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
    </form>
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
