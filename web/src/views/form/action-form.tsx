// A form that sends a request: fields, one button, and the result under them. All forms of the terminal use it.

import { effect, type Signal, untracked, useSignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { faultMessage } from "../../member/venue-api.ts";
import { returnFocus } from "./focus.ts";
import { question } from "./question.ts";

/** A form whose request takes longer says that it waits, because its button is disabled meanwhile. */
const silentMs = 2_000;

export interface FormAction {
  readonly isBusy: Signal<boolean>;
  readonly message: Signal<string>;
  readonly isFault: Signal<boolean>;
  /** Runs `work` and shows the message that it returns or, if it fails, the message of the error. */
  run(work: () => Promise<string>): void;
  /** Forgets an error, because it is about what the form held before. */
  forgetFault(): void;
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
    isFault.value = false;
    // While the user is asked, nothing waits for the venue.
    const stopWaiting = effect(() => {
      if (question.value !== null) return undefined;
      const waiting = setTimeout(() => {
        message.value = "Waiting for the venue…";
      }, silentMs);
      return () => clearTimeout(waiting);
    });
    untracked(work)
      .finally(stopWaiting)
      .then(
        (text) => finish(text, false),
        (thrown: unknown) => finish(faultMessage(thrown), true),
      );
  };
  const forgetFault = (): void => {
    if (isFault.peek()) finish("", false);
  };
  return { isBusy, message, isFault, run, forgetFault };
}

interface ActionFormProps {
  /** Label of the button. */
  readonly submit: string;
  /** Heading above the fields. */
  readonly title?: string;
  /** CSS class of the layout: `row` puts fields beside the button, `order` is the ticket. */
  readonly layout?: string;
  /** CSS class of the button: `buy`, `sell`. */
  readonly tone?: string;
  /** Shown in the place of the result while there is none: what would be refused. */
  readonly note?: string;
  /** Given if something outside the form also shows or sets its result. With a note, the form shows it as well. */
  readonly action?: FormAction;
  /** True while there is nothing to send. */
  readonly isDisabled?: boolean;
  readonly children?: ComponentChildren;
  /** Does the work. Returns a message for the user, or throws an error with one. */
  act(): Promise<string>;
}

/** Shows the result, which screen readers announce; an error is announced as an alert. Without one, shows the note. */
export function ActionAnswer({ action, note = "" }: { action: FormAction; note?: string }): VNode {
  return (
    <p class="answer" role={action.isFault.value ? "alert" : "status"}>
      {action.message.value === "" ? note : action.message.value}
    </p>
  );
}

export function ActionForm(props: ActionFormProps): VNode {
  const { submit, title, layout = "", tone = "", isDisabled = false, note, act, children } = props;
  const own = useFormAction();
  const action = props.action ?? own;
  const opener = useRef<Element | null>(null);
  const isBusy = action.isBusy.value;
  // The button is disabled while it waits, and a disabled one loses the focus.
  useLayoutEffect(() => {
    if (isBusy) return;
    returnFocus(opener.current);
    opener.current = null;
  }, [isBusy]);
  return (
    <form
      class={layout}
      onInput={action.forgetFault}
      onSubmit={(event) => {
        event.preventDefault();
        opener.current = document.activeElement;
        action.run(act);
      }}
    >
      {title !== undefined && <h2>{title}</h2>}
      {children}
      <button type="submit" class={`primary ${tone}`} disabled={isDisabled || isBusy}>
        {submit}
      </button>
      {(props.action === undefined || note !== undefined) && (
        <ActionAnswer action={action} {...(note !== undefined && { note })} />
      )}
    </form>
  );
}
