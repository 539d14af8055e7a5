"""Compares what a program believes about its account with the truth.

A difference has `what`, `name`, `believed` and `true`; None stands for nothing.
"""

from decimal import Decimal, InvalidOperation


def same_market(row, symbol):
    """Whether the row is of this market: by symbol or alias, with or without the hyphen."""
    wanted = symbol.replace("-", "").upper()
    return wanted in (row["market"].replace("-", "").upper(), row["alias"].replace("-", "").upper())


def differences_of(truth, open_orders=None, positions=None, balances=None):
    """Only what is given is compared."""
    differences = []
    if open_orders is not None:
        differences += _order_differences(open_orders, truth)
    if positions is not None:
        differences += _position_differences(positions, truth)
    if balances is not None:
        differences += _balance_differences(balances, truth)
    return differences


def _difference(what, name, believed, real):
    return {"what": what, "name": name, "believed": believed, "true": real}


def _order_differences(believed, truth):
    left = truth.open_orders
    differences = []
    for one in believed:
        fields = dict(one) if isinstance(one, dict) else {"id": one}
        id = fields.pop("id")
        order = truth.order(id)
        if order is None or order not in left:
            differences.append(_difference("open order", id, "OPEN", _state_of(order)))
            continue
        left.remove(order)
        for field, value in fields.items():
            if not _is_same(value, order.get(field)):
                differences.append(_difference("open order", f"{id} {field}", value, order.get(field)))
    for order in left:
        differences.append(_difference("open order", order["client_order_id"], None, _state_of(order)))
    return differences


def _state_of(order):
    if order is None:
        return None
    return order["status"] if order["reason"] is None else f"{order['status']} {order['reason']}"


def _position_differences(believed, truth):
    differences = []
    left = list(truth.positions)
    for symbol, qty in believed.items():
        left = [row for row in left if not same_market(row, symbol)]
        real = truth.position(symbol)
        if not _is_same(qty, real):
            differences.append(_difference("position", symbol, qty, real))
    return differences + [_difference("position", row["market"], None, row["qty"]) for row in left]


def _balance_differences(believed, truth):
    differences = []
    for wallet, assets in believed.items():
        for asset, amount in assets.items():
            real = truth.balance(asset, wallet)
            if not _is_same(amount, real):
                differences.append(_difference("balance", f"{wallet} {asset}", amount, real))
    return differences


def _is_same(one, other):
    """Numbers are equal by value, whatever zeros they end with; anything else as text."""
    if one is None or other is None:
        return one is other
    try:
        return Decimal(str(one)) == Decimal(str(other))
    except InvalidOperation:
        return str(one) == str(other)
