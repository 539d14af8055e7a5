// A form that asks the venue for something: its fields, one button, and what came of it under them. Every form
// of the terminal is one of these.

import type { ComponentChildren, VNode } from "preact";
import { type FormAction, useFormAction } from "./form-action.ts";

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
      {action.words.value}
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
