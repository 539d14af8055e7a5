// Work at most once a frame of the screen, however often it is asked for.

/** A function that lets `work` run in the next frame, once for all calls before it. */
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
