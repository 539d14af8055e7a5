// Where the handles of lines stand, so that none covers another or the legend: handles of near prices stand side by side,
// each at the height of its line, and those without room are counted. Independent of the page.

/** A handle that is to be placed. Heights and widths are in pixels. */
export interface Slotted {
  /** Height of its line, from the top of the chart. */
  readonly height: number;
  readonly width: number;
  /** Whether it must have a place, because a pointer holds it. */
  readonly isHeld: boolean;
}

/** What the handles have room in. */
export interface HandleRoom {
  /** Width of the prices' pane. */
  readonly width: number;
  /** The legend in the upper left corner. */
  readonly legend: { readonly width: number; readonly height: number };
}

/** A place: the height of a handle's middle, and its distance from the right edge. */
export interface Slot {
  readonly height: number;
  readonly right: number;
}

/** Handles that have no room at a height, by their indices. */
export interface Crowd extends Slot {
  readonly members: readonly number[];
}

/** Height of a handle, with a pixel between two of them. */
const handleHeight = 21;
const gap = 4;
/** Handles hide candles, so they take a part of the chart only. */
const widthMax = 420;
/** Room for the count of those without a place. */
const crowdWidth = 44;
const letterWidth = 6.4;
const frameWidth = 16;
const gripWidth = 14;
const crossWidth = 20;

interface HandleParts {
  /** Whether it can be dragged. */
  readonly isMoved: boolean;
  /** Whether it has a cross that cancels. */
  readonly isEnded: boolean;
}

/** Width of a handle with a label, near enough to keep handles apart. */
export function handleWidth(label: string, { isMoved, isEnded }: HandleParts): number {
  const parts = (isMoved ? gripWidth : 0) + (isEnded ? crossWidth : 0);
  return letterWidth * label.length + frameWidth + parts;
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < handleHeight;
}

/** Under the legend if the handle would lie over it. */
function clear(height: number, left: number, { legend }: HandleRoom): number {
  const lowest = legend.height + handleHeight / 2;
  return left < legend.width && height < lowest ? lowest : height;
}

/** Returns a place for each handle, null for one without room, and the crowds of those. */
export function handleSlots(
  handles: readonly Slotted[],
  room: HandleRoom,
): { readonly slots: readonly (Slot | null)[]; readonly crowds: readonly Crowd[] } {
  const reach = Math.min(widthMax, room.width - crowdWidth);
  const taken: (Slot & { readonly end: number })[] = [];
  const crowds: Crowd[] = [];
  const beside = (height: number): number =>
    Math.max(0, ...taken.filter((one) => isNear(one.height, height)).map(({ end }) => end + gap));
  const slots = handles.map(({ height: line, width, isHeld }, handle) => {
    const left = room.width - beside(line) - width;
    const height = clear(line, left, room);
    const right = beside(height);
    // The first one of a height always has a place, even on the smallest chart.
    if (right > 0 && right + width > reach && !isHeld) {
      const index = crowds.findIndex((crowd) => isNear(crowd.height, height));
      const known = crowds[index];
      if (known === undefined) crowds.push({ height, right, members: [handle] });
      else crowds[index] = { ...known, members: [...known.members, handle] };
      return null;
    }
    taken.push({ height, right, end: right + width });
    return { height, right };
  });
  return { slots, crowds };
}
