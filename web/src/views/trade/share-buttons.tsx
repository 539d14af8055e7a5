// Buttons that fill in a part of what there is: of the available balance, or of a position.

import type { VNode } from "preact";

const shares = ["25", "50", "75", "100"] as const;

interface ShareButtonsProps {
  /** What they are parts of, for readers that do not see them. */
  readonly label: string;
  /** Takes the chosen part in percent. */
  onChoose(percent: string): void;
}

export function ShareButtons({ label, onChoose }: ShareButtonsProps): VNode {
  return (
    <fieldset class="shares" aria-label={label}>
      {shares.map((percent) => (
        <button key={percent} type="button" onClick={() => onChoose(percent)}>
          {percent} %
        </button>
      ))}
    </fieldset>
  );
}
