// Finds what somebody probably meant by a mistyped word.

/** Words that differ in more letters are not suggested. */
const distanceMax = 3;

/** The known word that is nearest to `typed`, or null if none is near: at most a third of its letters may differ. */
export function nearest(typed: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.min(distanceMax, Math.ceil(typed.length / 3)) + 1;
  for (const word of known) {
    const distance = distanceOf(typed, word);
    if (distance < least) [best, least] = [word, distance];
  }
  return best;
}

/** Letters to insert, remove, replace or swap with their neighbour. */
function distanceOf(one: string, other: string): number {
  let earlier: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const change = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      let least = Math.min(change, (last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1);
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwap) least = Math.min(least, (earlier[column - 2] ?? 0) + 1);
      next.push(least);
    }
    [earlier, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
