// The line between two panels: dragging it, or the arrow keys, make the panel after it larger or smaller. A double click
// gives the panel its first size.

import type { VNode } from "preact";
import { type PanelName, panelBounds, panelSizes, resetSize, resize } from "./panel-sizes.ts";

interface SeparatorProps {
  /** The panel to the right of the line, or below it. */
  readonly panel: PanelName;
  readonly label: string;
  /** Direction of the line: a vertical line changes a width. */
  readonly direction: "vertical" | "horizontal";
}

const keyStep = 16;

export function Separator({ panel, label, direction }: SeparatorProps): VNode {
  const isVertical = direction === "vertical";
  const [grow, shrink] = isVertical ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
  const { least, most } = panelBounds[panel];
  const size = panelSizes.value[panel];
  const press = (event: KeyboardEvent): void => {
    const sizes: Readonly<Record<string, number>> = {
      [grow ?? ""]: size + keyStep,
      [shrink ?? ""]: size - keyStep,
      Home: least,
      End: most,
    };
    const next = sizes[event.key];
    if (next === undefined) return;
    event.preventDefault();
    resize(panel, next);
  };
  const drag = ({ currentTarget: line, pointerId, movementX, movementY }: PointerEvent): void => {
    if (!(line instanceof HTMLElement) || !line.hasPointerCapture(pointerId)) return;
    resize(panel, panelSizes.peek()[panel] - (isVertical ? movementX : movementY));
  };
  return (
    // A separator that can be moved has a value and takes the focus.
    // biome-ignore lint/a11y/useSemanticElements: an hr takes no focus
    <div
      class={`separator ${direction} ${panel}`}
      role="separator"
      tabIndex={0}
      aria-orientation={direction}
      aria-label={label}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={size}
      onKeyDown={press}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onDblClick={() => resetSize(panel)}
    />
  );
}
