// The view a call came through. The Binance-style surfaces have two views of one venue: the documented paths
// answer exactly as specified; the same routes under the prefix answer with Binance's full shapes where the
// specification is narrower. A view only adds: limits, keys and state are shared. The native surface has one
// view.

export type SurfaceView = "root" | "compat" | "native";

/** Prefix of every path of the compat view. */
export const compatPrefix = "/compat";

/** Prefix of every path of the native surface. */
export const nativePrefix = "/v1/";
