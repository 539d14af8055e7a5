// A form that asks the venue for something: its fields, one button, and what came of it under them. Every form
// of the terminal is one of these.

import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { faultMessage } from "../../member/venue-api.ts";

interface FormAction {
  readonly isBusy: Signal<boolean>;
  readonly message: Signal<string>;
  readonly isFault: Signal<boolean>;
  /** Runs `work` and shows the words it answers, or those of what it threw. */
  run(work: () => Promise<string>): void;
}

export function useFormAction(): FormAction {
  const isBusy = useSignal(false);
  const message = useSignal("");
  const isFault = useSignal(false);
  const finish = (text: string, failed: boolean): void => {
    message.value = text;
    isFault.value = failed;
    isBusy.value = false;
  };
  const run = (work: () => Promise<string>): void => {
    isBusy.value = true;
    message.value = "";
    work().then(
      (text) => finish(text, false),
      (thrown: unknown) => finish(faultMessage(thrown), true),
    );
  };
  return { isBusy, message, isFault, run };
}

interface ActionFormProps {
  /** Words of the button. */
  readonly submit: string;
  /** What the form is called above its fields. */
  readonly title?: string;
  /** How the fields lie: `row` beside the button, `order` as the ticket. */
  readonly layout?: string;
  /** Which button it is: `buy`, `sell`. */
  readonly tone?: string;
  /** Given where something beside the form shares its answer. */
  readonly action?: FormAction;
  readonly children?: ComponentChildren;
  /** What is done; answers words for the user, or throws them. */
  act(): Promise<string>;
}

/** What came of it: words that a screen reader says, louder where it failed. */
export function ActionAnswer({ action }: { action: FormAction }): VNode {
  return (
    <p class="answer" role={action.isFault.value ? "alert" : "status"}>
      {action.message.value}
    </p>
  );
}

export function ActionForm(props: ActionFormProps): VNode {
  const { submit, title, layout = "", tone = "", act, children } = props;
  const own = useFormAction();
  const action = props.action ?? own;
  return (
    <form
      class={layout}
      onSubmit={(event) => {
        event.preventDefault();
        action.run(act);
      }}
    >
      {title !== undefined && <h2>{title}</h2>}
      {children}
      <button type="submit" class={`primary ${tone}`} disabled={action.isBusy.value}>
        {submit}
      </button>
      {props.action === undefined && <ActionAnswer action={action} />}
    </form>
  );
}
