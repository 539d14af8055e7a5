// What a view asks for again and again while it is looked at.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { faultMessage } from "../../member/venue-api.ts";

/**
 * Does `work` at once and again `everyMs` after it ended, until the view is left. Answers the words of what
 * went wrong last; empty once it went well again.
 */
export function useReloaded(work: () => Promise<void>, everyMs: number): Signal<string> {
  const fault = useSignal("");
  useEffect(() => {
    let isLeft = false;
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const again = async (): Promise<void> => {
      fault.value = await work().then(() => "", faultMessage);
      if (!isLeft) waiting = setTimeout(() => void again(), everyMs);
    };
    void again();
    return () => {
      isLeft = true;
      clearTimeout(waiting);
    };
  }, []);
  return fault;
}
