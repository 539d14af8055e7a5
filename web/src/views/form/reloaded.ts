// Repeats a request while a view is open.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { faultMessage } from "../../member/venue-api.ts";

/**
 * Runs `work` now and again `everyMs` after the end of each run, until the view closes. Returns the message of the last
 * run's error; empty if it succeeded.
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
