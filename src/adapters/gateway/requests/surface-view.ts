// Which door a call came through. The Binance-style surfaces have two views over one venue (decided.md
// 8): the documented paths answer exactly what the specification says; the same routes under the prefix
// answer with Binance's full shapes where the specification is narrower. A view only adds: limits, keys
// and state are the same. The native surface has one view of its own.

export type SurfaceView = "root" | "compat" | "native";

/** Stands before every path of the compat view. */
export const compatPrefix = "/compat";

/** Stands before every path of the native surface. */
export const nativePrefix = "/v1/";
