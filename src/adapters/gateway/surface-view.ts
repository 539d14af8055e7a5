// The two views over one venue (decided.md 8). The documented paths answer exactly what the
// specification says; the same routes under the prefix answer with Binance's full shapes where the
// specification is narrower. A view only adds: limits, keys and state are the same.

export type SurfaceView = "root" | "compat";

/** Stands before every path of the compat view. */
export const compatPrefix = "/compat";
