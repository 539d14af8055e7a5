// Limits work to once per animation frame.

/** Returns a function that schedules `work` for the next frame, once for all calls before that frame. */
export function oncePerFrame(work: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      work();
    });
  };
}
