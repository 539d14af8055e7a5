// The parameters that each order type needs on POST order, beyond those that are always required. The API reference shows
// them as a table; a test leaves out each one and expects the refusal that names it.

/** Parameters by order type. `quantity or quoteOrderQty` means exactly one of the two. */
export type NeededByType = Readonly<Record<string, readonly string[]>>;

export const neededBySpotType: NeededByType = {
  LIMIT: ["timeInForce", "quantity", "price"],
  MARKET: ["quantity or quoteOrderQty"],
  LIMIT_MAKER: ["quantity", "price"],
  STOP_LOSS: ["quantity", "stopPrice"],
  STOP_LOSS_LIMIT: ["timeInForce", "quantity", "price", "stopPrice"],
  TAKE_PROFIT: ["quantity", "stopPrice"],
  TAKE_PROFIT_LIMIT: ["timeInForce", "quantity", "price", "stopPrice"],
};

export const neededByPerpetualType: NeededByType = {
  LIMIT: ["timeInForce", "quantity", "price or priceMatch"],
  MARKET: ["quantity"],
  STOP: ["quantity", "price or priceMatch", "stopPrice"],
  STOP_MARKET: ["quantity or closePosition", "stopPrice"],
  TAKE_PROFIT: ["quantity", "price or priceMatch", "stopPrice"],
  TAKE_PROFIT_MARKET: ["quantity or closePosition", "stopPrice"],
  TRAILING_STOP_MARKET: ["quantity", "callbackRate"],
};
