// A figure with its name, in a list of figures.

import type { VNode } from "preact";

interface FigureProps {
  readonly name: string;
  readonly value: string;
  /** CSS class of the value. */
  readonly tone?: string;
  /** Says more when the pointer rests on it. */
  readonly title?: string;
}

export function Figure({ name, value, tone = "", title }: FigureProps): VNode {
  return (
    <div class="figure" title={title}>
      <dt>{name}</dt>
      <dd class={tone}>{value}</dd>
    </div>
  );
}
