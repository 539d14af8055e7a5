// Limits work to once per animation frame.

/** Returns a function that schedules `work` for the next frame, once for all calls before that frame. */
export function oncePerFrame(work: () => void): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      work();
    });
  };
}
