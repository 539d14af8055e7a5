"""Open orders, as far as fills depend on them: owner, side, price and open lots (ORD-3, ORD-10).

Order ids count from 1 without a gap. An order leaves when it is filled or closed, so memory grows with the orders
that are open, not with those that ever were.
"""

from __future__ import annotations

from typing import Any, Callable, Dict

from .accounts import Accounts
from .differences import Difference
from .markets import BUY

_REDUCE_ONLY = 1


class Order:
    """An order that is open. `qty` and `filled` are in lots, `price` is in ticks."""

    __slots__ = ("account", "market", "side", "price", "qty", "filled", "is_reduce_only")

    def __init__(self, event: Any) -> None:
        self.account: int = event.account
        self.market: int = event.market
        self.side: int = event.side
        self.price: int = event.price
        self.qty: int = event.qty
        self.filled = 0
        self.is_reduce_only = bool(event.flags & _REDUCE_ONLY)


class Orders:
    """All open orders by id."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._open: Dict[int, Order] = {}
        self._next = 1

    def handlers(self) -> Dict[str, Callable[[Any], None]]:
        """What each kind does."""
        return {
            "OrderAccepted": self._accepted,
            "SpecialAccepted": self._accepted,
            "IcebergAccepted": self._accepted,
            "OrderTriggered": self._changed,
            "OrderAmended": self._changed,
            "QuoteAmended": self._changed,
            "OrderReleased": self._released,
            "OrderReduced": self._reduced,
            "OrderClosed": self._closed,
        }

    def fill(self, event: Any, order_id: int, account: int, is_taker: bool) -> Order:
        """Fills an order by a trade's lots, and returns it as it was: only an open order of `account` trades."""
        order = self._own(event, order_id, account)
        side = event.taker_side if is_taker else 1 - event.taker_side
        if order.side != side:
            raise Difference(event, "a fill is on the side of its order", order.side, side, account)
        self._check_price(event, order, is_taker)
        order.filled += event.qty
        if event.qty <= 0 or order.filled > order.qty:
            left = order.qty - order.filled + event.qty
            raise Difference(
                event,
                "an order fills no more than its open lots",
                f"1 to {left}",
                event.qty,
                account,
            )
        if order.filled == order.qty:
            del self._open[order_id]
        return order

    @staticmethod
    def _check_price(event: Any, order: Order, is_taker: bool) -> None:
        if not is_taker and order.price != event.price:
            raise Difference(
                event,
                "a fill has the price of the resting order",
                order.price,
                event.price,
                order.account,
            )
        is_within = event.price <= order.price if order.side == BUY else event.price >= order.price
        if not is_within:
            raise Difference(
                event,
                "a fill is not worse than the order's limit",
                order.price,
                event.price,
                order.account,
            )

    def _accepted(self, event: Any) -> None:
        self._accounts.check_open(event, event.account)
        if event.order_id != self._next:
            raise Difference(event, "order ids count without a gap", self._next, event.order_id)
        self._next += 1
        self._open[event.order_id] = Order(event)

    def _changed(self, event: Any) -> None:
        order = self._own(event, event.order_id, event.account)
        order.price = event.price
        self._set_qty(event, order, event.qty)

    def _released(self, event: Any) -> None:
        self._set_qty(event, self._own(event, event.order_id, event.account), event.qty)

    def _reduced(self, event: Any) -> None:
        order = self._own(event, event.order_id, event.account)
        self._set_qty(event, order, order.qty - event.qty)

    def _closed(self, event: Any) -> None:
        self._own(event, event.order_id, event.account)
        del self._open[event.order_id]

    @staticmethod
    def _set_qty(event: Any, order: Order, qty: int) -> None:
        if qty <= order.filled:
            raise Difference(event, "a changed order has open lots", f"above {order.filled}", qty)
        order.qty = qty

    def _own(self, event: Any, order_id: int, account: int) -> Order:
        order = self._open.get(order_id)
        if order is None:
            raise Difference(
                event, "the order must be open", f"order {order_id} open", "not open", account
            )
        if order.account != account or order.market != event.market:
            expected, found = (order.account, order.market), (account, event.market)
            raise Difference(
                event, "an order keeps its account and market", expected, found, account
            )
        return order
