// Views whose code is loaded when they are first shown, so that the first visit loads only what trading needs.

import { signal } from "@preact/signals";
import type { ComponentType, VNode } from "preact";
import { useEffect } from "preact/hooks";

/** The usual reason is a new version of the venue, whose files have other names. */
function Lost(): VNode {
  return (
    <p class="empty" role="alert">
      This part of the page could not be loaded.{" "}
      <button type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </p>
  );
}

/**
 * Returns a component that loads `load` once and then shows it. Until then it shows the `title` of a whole page, or none
 * for a part of one.
 */
export function lazyView<Props extends object = object>(
  title: string | null,
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => VNode {
  const view = signal<ComponentType<Props> | null>(null);
  const isLost = signal(false);
  const begin = (): void => {
    if (view.value !== null) return;
    load().then(
      (loaded) => {
        view.value = loaded;
      },
      () => {
        isLost.value = true;
      },
    );
  };
  return function LazyView(props: Props) {
    useEffect(begin, []);
    const { value: View } = view;
    if (View !== null) return <View {...props} />;
    const state = isLost.value ? <Lost /> : <p class="empty">Loading…</p>;
    if (title === null) return state;
    return (
      <div class="page" aria-busy={!isLost.value}>
        <h1>{title}</h1>
        {state}
      </div>
    );
  };
}
