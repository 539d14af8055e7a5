"""The keys of every event's body, from docs/reference/journal.md (JRN-20, EPO-3).

One row a kind: `key:form`, or `key=field:form` if the field of the event has another name. `a+b` are the fields that
form one hash, `flags&1` is one bit of a field. Every body also has `account`, `event` and `unit_end`. Trades are
apart, because their sides are private (EPO-4).
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple

_ROWS = """
AccountOpened account_type:code
Credited amount:amount asset:asset wallet:wallet
Transferred amount:amount asset:asset from=from_wallet:wallet to=to_wallet:wallet
LeverageSet leverage:whole market:symbol
AccountFlagsSet flags:whole
KeyRegistered key_id:whole key_type:code permissions:whole tier:code
KeyChanged key_id:whole permissions:whole revoked=is_revoked:flag tier:code
MarketStatusSet market:symbol status:code
SessionOpened expires_us:quoted session_id:whole
SessionClosed key_id:whole session_id:whole
SessionKeySet key_id:whole replaced_key_id:whole session_id:whole
OrderAccepted client_id:json margin_price:price margin_qty=margin_lots:qty market:symbol order_id:order
    price:price qty:qty reduce_only=flags&1:bit side:code stp_mode:code time_in_force:code type:code
OrderClosed market:symbol order_id:order reason:code
SpecialAccepted activation_price:price client_id:json closes_position=flags&2:bit good_till_us:quoted
    margin_price:price margin_qty=margin_lots:qty market:symbol order_id:order price:price qty:qty
    quote_qty:quote reduce_only=flags&1:bit side:code stp_mode:code time_in_force:code trailing_bps:whole
    trigger_price:price type:code working_price:code
OrderTriggered margin_price:price market:symbol order_id:order price:price qty:qty
OrderAmended margin_price:price market:symbol order_id:order price:price qty:qty requeued=is_requeued:flag
OrderReduced market:symbol order_id:order qty:qty
CountdownSet cancel_at_us:quoted market:symbol
Marked index:price mark:price market:symbol
PremiumSampled market:symbol premium:rate
FundingStarted interval_us:quoted mark:price market:symbol rate:rate
FundingPaid amount:quote mark:price market:symbol qty:qty rate:rate
RequestKeyed key=high+low:bits payload:bits subject:quoted
Referred referrer:whole
Rewarded amount:margin wallet:wallet
RewardClaimed amount:margin
LiquidationStaged dry_tries:whole next_us:quoted stage:code
InsuranceSettled amount:quote cause:code market:symbol
PositionMoved cause:code counterparty:whole counterparty_pnl:quote market:symbol pnl:quote price:price qty:qty
    value:quote
TradingGateSet fund_equity:margin gate:code
ReferenceSet market:symbol origin:code price:price until_us:quoted
BasisAveraged basis:basis market:symbol
WalletBound flags:whole
WithdrawalRequested amount:amount asset:asset destination=destination_high+destination_low:bits fee:amount
    withdrawal_id:quoted
WithdrawalEnded amount:amount asset:asset completed=is_completed:flag fee:amount withdrawal_id:quoted
Granted amount:amount asset:asset wallet:wallet
CoinsSettled amount:amount asset:asset
SwapMoved details=digest_high+digest_low:bits from=from_swap_state:code market:symbol move_no:quoted price:price
    qty=lots:qty reason:code side:code swap_no:quoted to=to_swap_state:code
AccountTypeSet account_type:code
MarketAdded market_no=market:whole status:code terms=terms_high+terms_low:bits
RiskTermSet market:symbol term:code value:quoted
IndexMeasured believed:basis fresh=is_fresh:flag leap:basis level:basis market:symbol witnesses:whole
MatchPrevented maker_order_id:order maker_qty:qty market:symbol price:price stp_mode:code taker_order_id:order
    taker_qty:qty
FundHourSet market:symbol paused=is_paused:flag since_us:quoted worth:quote
OriginRegistered name:json origin:whole
CommandDone confirmed_up_to:quoted finished=is_finished:flag lane:code number:quoted origin:whole subject:quoted
KeyRestricted expires_us:quoted key_id:whole permissions:whole tier:code
ConnectionOpened connection_id:quoted front:whole key_id:quoted origin:whole
ConnectionEnded connection_id:quoted keeps_orders:flag
OrderBound connection_id:quoted order_id:order
MakerGroupSet count_limit:whole group:whole market:symbol markets:whole qty_limit:qty value_limit:quote
    window_us:quoted
MakerGroupReset group:whole
SubAccountOpened label:json owner:whole
MovedBetweenAccounts amount:amount asset:asset from=from_wallet:wallet receiver:whole to=to_wallet:wallet
OrderListAccepted list_client_id:json list_id:order list_type:code market:symbol
OrderReleased market:symbol order_id:order qty:qty
IcebergAccepted client_id:json iceberg_qty:qty margin_price:price margin_qty=margin_lots:qty market:symbol
    order_id:order price:price qty:qty reduce_only=flags&1:bit side:code stp_mode:code time_in_force:code
    trigger_price:price type:code
OrderPegged market:symbol order_id:order peg:code
QuoteAmended margin_price:price market:symbol order_id:order price:price qty:qty requeued=is_requeued:flag
    sides:whole since_first:whole
OrderPeggedBehind market:symbol order_id:order peg:code peg_offset:whole
LiabilitiesStated digest=digest_first+digest_second+digest_third+digest_fourth:bits epoch:quoted
    stated_seq:quoted
"""

_TRADE = "market:symbol maker_order_id:order price:price qty:qty taker_order_id:order taker_side:code trade_id:trade"
_TAKER = "account:whole fee=taker_fee:taker_fee pnl=taker_pnl:quote"
_MAKER = "account=maker_account:whole fee=maker_fee:maker_fee pnl=maker_pnl:quote"


class Key(NamedTuple):
    """One key of a body, the field with its value, and the form of that value."""

    key: str
    field: str
    form: str


def _keys(row: str) -> List[Key]:
    keys = []
    for item in row.split():
        named, form = item.split(":")
        key, _, field = named.partition("=")
        keys.append(Key(key, field or key, form))
    return keys


def _table() -> Dict[str, List[Key]]:
    rows: Dict[str, List[Key]] = {}
    name = ""
    for line in _ROWS.strip("\n").split("\n"):
        if not line.startswith(" "):
            name, _, line = line.partition(" ")
            rows[name] = []
        rows[name] += _keys(line)
    return rows


BODY_KEYS: Dict[str, List[Key]] = _table()
FILL_KEYS: List[Key] = _keys(_TRADE)
TAKER_KEYS: List[Key] = _keys(_TAKER)
MAKER_KEYS: List[Key] = _keys(_MAKER)
