// A form that asks the venue for something: whether it is busy, and what came of it.

import { type Signal, useSignal } from "@preact/signals";
import { faultWords } from "../../member/venue-api.ts";

export interface FormAction {
  readonly isBusy: Signal<boolean>;
  readonly words: Signal<string>;
  readonly isFault: Signal<boolean>;
  /** Runs `work` and shows the words it answers, or those of what it threw. */
  run(work: () => Promise<string>): void;
}

export function useFormAction(): FormAction {
  const isBusy = useSignal(false);
  const words = useSignal("");
  const isFault = useSignal(false);
  const finish = (text: string, failed: boolean): void => {
    words.value = text;
    isFault.value = failed;
    isBusy.value = false;
  };
  const run = (work: () => Promise<string>): void => {
    isBusy.value = true;
    words.value = "";
    work().then(
      (text) => finish(text, false),
      (thrown: unknown) => finish(faultWords(thrown), true),
    );
  };
  return { isBusy, words, isFault, run };
}
