// Keys inside a group of controls at which the Tab key stops once: the arrow keys move the focus among its buttons, `Home`
// and `End` go to the first and the last.

/** Returns the index to which a key goes from `now` among `count` controls; undefined for another key. */
export function keyGoal({ key }: KeyboardEvent, now: number, count: number): number | undefined {
  const goals: Readonly<Record<string, number>> = {
    ArrowRight: (now + 1) % count,
    ArrowLeft: (now - 1 + count) % count,
    Home: 0,
    End: count - 1,
  };
  return goals[key];
}

/** Moves the focus among the buttons of the group that listens. */
export function moveFocus(event: KeyboardEvent): void {
  const group = event.currentTarget;
  if (!(group instanceof HTMLElement)) return;
  const buttons = [...group.querySelectorAll("button")];
  const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const goal = keyGoal(event, now, buttons.length);
  if (goal === undefined) return;
  event.preventDefault();
  buttons[goal]?.focus();
}
