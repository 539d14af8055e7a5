// The chart in full screen: the rest of the page cannot be reached, since orders could otherwise be sent and cancelled
// there unseen. Loaded when it is first wanted.

/** Stays reachable: notices are shown over the chart, and so are dialogs. */
const overChart = ".toasts, dialog, script, style";

/** Everything beside an element and its ancestors, except what is shown over it. */
function besides(element: HTMLElement): HTMLElement[] {
  const { parentElement: parent } = element;
  if (parent === null || element === document.body) return [];
  const others = [...parent.children].filter(
    (one) => one instanceof HTMLElement && one !== element && !one.matches(overChart),
  );
  return [...(others as HTMLElement[]), ...besides(parent)];
}

/** Asks the browser for the whole screen; where it cannot give it, the chart covers the page. */
function requestScreen(onEnd: () => void): () => void {
  // A refusal, for example without a click before it, leaves the chart covering the page.
  document.documentElement.requestFullscreen?.().catch(() => undefined);
  const leave = (): void => {
    if (document.fullscreenElement === null) onEnd();
  };
  document.addEventListener("fullscreenchange", leave);
  return () => {
    document.removeEventListener("fullscreenchange", leave);
    if (document.fullscreenElement !== null) void document.exitFullscreen();
  };
}

/** Confines focus and pointer to the chart. Returns a function that frees them, and gives the focus back. */
function confine(panel: HTMLElement): () => void {
  const before = document.activeElement;
  const hidden = besides(panel);
  const isInside = panel.contains(before);
  for (const one of hidden) one.inert = true;
  if (!isInside) panel.querySelector<HTMLElement>(".canvas-box")?.focus();
  return () => {
    for (const one of hidden) one.inert = false;
    if (!isInside && before instanceof HTMLElement && before.isConnected) before.focus();
  };
}

/** Shows the chart in full screen, until the user leaves it. Returns a function that ends it. */
export function fillScreen(onEnd: () => void): () => void {
  const panel = document.querySelector<HTMLElement>(".panel.chart");
  const ends = [requestScreen(onEnd), ...(panel === null ? [] : [confine(panel)])];
  return () => {
    for (const end of ends) end();
  };
}
