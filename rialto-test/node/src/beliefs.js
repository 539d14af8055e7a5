// Compares what a program believes about its account with the truth. A difference has `what`, `name`, `believed` and
// `true`; null stands for nothing.

/** Whether the row is of this market: by symbol or alias, with or without the hyphen. */
export function sameMarket({ market, alias }, symbol) {
  const plain = (text) => text.replaceAll("-", "").toUpperCase();
  return plain(symbol) === plain(market) || plain(symbol) === plain(alias);
}

/** Only what the belief names is compared: `openOrders`, `positions`, `balances`. */
export function differencesOf(belief, truth) {
  const { openOrders, positions, balances } = belief;
  return [
    ...(openOrders === undefined ? [] : orderDifferences(openOrders, truth)),
    ...(positions === undefined ? [] : positionDifferences(positions, truth)),
    ...(balances === undefined ? [] : balanceDifferences(balances, truth)),
  ];
}

function orderDifferences(believed, truth) {
  const open = new Set(truth.openOrders);
  const differences = [];
  for (const one of believed) {
    const { id, ...fields } = typeof one === "object" ? one : { id: one };
    const order = truth.order(id);
    if (open.delete(order)) differences.push(...fieldDifferences(id, fields, order));
    else differences.push({ what: "open order", name: id, believed: "OPEN", true: stateOf(order) });
  }
  for (const order of open) {
    const name = order.client_order_id;
    differences.push({ what: "open order", name, believed: null, true: stateOf(order) });
  }
  return differences;
}

function fieldDifferences(id, fields, order) {
  return Object.entries(fields).flatMap(([field, value]) => {
    const real = order[field] ?? null;
    if (isSame(value, real)) return [];
    return [{ what: "open order", name: `${id} ${field}`, believed: value, true: real }];
  });
}

function stateOf(order) {
  if (order === undefined) return null;
  const { status, reason } = order;
  return reason === null ? status : `${status} ${reason}`;
}

function positionDifferences(believed, truth) {
  const differences = [];
  const left = new Set(truth.positions);
  for (const [symbol, qty] of Object.entries(believed)) {
    const row = truth.positions.find((one) => sameMarket(one, symbol));
    if (row !== undefined) left.delete(row);
    const real = row?.qty ?? "0";
    if (!isSame(qty, real))
      differences.push({ what: "position", name: symbol, believed: qty, true: real });
  }
  for (const { market, qty } of left)
    differences.push({ what: "position", name: market, believed: null, true: qty });
  return differences;
}

function balanceDifferences(believed, truth) {
  return Object.entries(believed).flatMap(([wallet, assets]) =>
    Object.entries(assets).flatMap(([asset, amount]) => {
      const real = truth.balance(asset, wallet);
      if (isSame(amount, real)) return [];
      return [{ what: "balance", name: `${wallet} ${asset}`, believed: amount, true: real }];
    }),
  );
}

/** Numbers are equal by value, whatever zeros they end with; anything else as text. */
function isSame(one, other) {
  if (one === null || other === null) return one === other;
  const [a, b] = [numeral(String(one)), numeral(String(other))];
  return a === null || b === null ? String(one) === String(other) : a === b;
}

/** A decimal as its digits and the power of ten of the last one, such as -95e-2; null for other text. */
function numeral(text) {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i.exec(text);
  if (match === null || !/^[+-]?\.?\d/.test(text)) return null;
  const [, sign, whole, fraction, power = "0"] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  if (short === "") return "0";
  const last = Number(power) - fraction.length + digits.length - short.length;
  return `${sign === "-" ? "-" : ""}${short}e${last}`;
}
