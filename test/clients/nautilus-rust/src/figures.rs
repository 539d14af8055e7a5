//! Decoded answers as plain figures, so that an SBE answer and a JSON answer with other exponents can be compared.

use nautilus_binance::spot::http::models::{
    BinanceAccountInfo, BinanceAccountTrade, BinanceAggTrades, BinanceDepth, BinanceKlines,
    BinanceOrderResponse, BinanceTrades,
};
use rust_decimal::Decimal;

/// A mantissa and its power of ten as one number.
pub fn figure(mantissa: i64, exponent: i8) -> Decimal {
    wide(i128::from(mantissa), exponent)
}

fn wide(mantissa: i128, exponent: i8) -> Decimal {
    Decimal::from_i128_with_scale(mantissa, u32::from(exponent.unsigned_abs())).normalize()
}

fn wide_bytes(bytes: [u8; 16], exponent: i8) -> Decimal {
    wide(i128::from_le_bytes(bytes), exponent)
}

pub type Levels = Vec<(Decimal, Decimal)>;

pub fn levels(depth: &BinanceDepth) -> (Levels, Levels) {
    let side = |rows: &[nautilus_binance::spot::http::models::BinancePriceLevel]| {
        rows.iter()
            .map(|row| {
                (
                    figure(row.price_mantissa, depth.price_exponent),
                    figure(row.qty_mantissa, depth.qty_exponent),
                )
            })
            .collect()
    };
    (side(&depth.bids), side(&depth.asks))
}

pub fn trades(list: &BinanceTrades) -> Vec<String> {
    let row = |one: &nautilus_binance::spot::http::models::BinanceTrade| {
        let price = figure(one.price_mantissa, list.price_exponent);
        let quantity = figure(one.qty_mantissa, list.qty_exponent);
        let quote = figure(one.quote_qty_mantissa, list.price_exponent);
        format!(
            "{} {price} {quantity} {quote} {} {} {}",
            one.id, one.time, one.is_buyer_maker, one.is_best_match
        )
    };
    list.trades.iter().map(row).collect()
}

pub fn aggregates(list: &BinanceAggTrades) -> Vec<String> {
    let row = |one: &nautilus_binance::spot::http::models::BinanceAggTrade| {
        let price = figure(one.price_mantissa, list.price_exponent);
        let quantity = figure(one.qty_mantissa, list.qty_exponent);
        let span = (one.first_trade_id, one.last_trade_id, one.time);
        format!(
            "{} {price} {quantity} {span:?} {} {}",
            one.id, one.is_buyer_maker, one.is_best_match
        )
    };
    list.trades.iter().map(row).collect()
}

pub fn candles(list: &BinanceKlines) -> Vec<String> {
    let row = |one: &nautilus_binance::spot::http::models::BinanceKline| {
        let prices = [
            one.open_price,
            one.high_price,
            one.low_price,
            one.close_price,
        ]
        .map(|mantissa| figure(mantissa, list.price_exponent));
        let base = [one.volume, one.taker_buy_base_volume]
            .map(|bytes| wide_bytes(bytes, list.qty_exponent));
        let quote = [one.quote_volume, one.taker_buy_quote_volume]
            .map(|bytes| wide_bytes(bytes, list.price_exponent));
        format!(
            "{} {} {prices:?} {base:?} {quote:?} {}",
            one.open_time, one.close_time, one.num_trades
        )
    };
    list.klines.iter().map(row).collect()
}

/// `quote` is the exponent of amounts in the quote asset: that of prices in SBE, another in the client's JSON answers.
pub fn order(one: &BinanceOrderResponse, quote: i8) -> String {
    let price = |mantissa: i64| figure(mantissa, one.price_exponent);
    let quantity = |mantissa: i64| figure(mantissa, one.qty_exponent);
    let terms = (
        price(one.price_mantissa),
        quantity(one.orig_qty_mantissa),
        quantity(one.executed_qty_mantissa),
    );
    let amounts = (
        figure(one.cummulative_quote_qty_mantissa, quote),
        figure(one.orig_quote_order_qty_mantissa, quote),
        one.stop_price_mantissa
            .filter(|mantissa| *mantissa != 0)
            .map(price),
        one.iceberg_qty_mantissa
            .filter(|mantissa| *mantissa != 0)
            .map(quantity),
    );
    let codes = (
        one.status,
        one.time_in_force,
        one.order_type,
        one.side,
        one.self_trade_prevention_mode,
    );
    let working = one.working_time.filter(|time| *time > 0);
    let times = (one.time, one.update_time, one.is_working, working);
    let names = (
        one.order_id,
        one.order_list_id,
        &one.client_order_id,
        &one.symbol,
    );
    format!("{names:?} {terms:?} {amounts:?} {codes:?} {times:?}")
}

/// See `order` for `quote`.
pub fn fill(one: &BinanceAccountTrade, quote: i8) -> String {
    let terms = (
        figure(one.price_mantissa, one.price_exponent),
        figure(one.qty_mantissa, one.qty_exponent),
        figure(one.quote_qty_mantissa, quote),
        figure(one.commission_mantissa, one.commission_exponent),
    );
    let names = (
        one.id,
        one.order_id,
        one.order_list_id,
        &one.symbol,
        &one.commission_asset,
        one.time,
    );
    format!(
        "{names:?} {terms:?} {} {} {}",
        one.is_buyer, one.is_maker, one.is_best_match
    )
}

pub fn account(one: &BinanceAccountInfo) -> Vec<String> {
    let rates = [
        one.maker_commission_mantissa,
        one.taker_commission_mantissa,
        one.buyer_commission_mantissa,
        one.seller_commission_mantissa,
    ]
    .map(|mantissa| figure(mantissa, one.commission_exponent));
    let flags = (
        one.can_trade,
        one.can_withdraw,
        one.can_deposit,
        one.require_self_trade_prevention,
        one.prevent_sor,
    );
    let head = format!(
        "{rates:?} {flags:?} {} {}",
        one.update_time,
        one.account_type.to_uppercase()
    );
    let mut rows = vec![head];
    rows.extend(one.balances.iter().map(|row| {
        let held =
            [row.free_mantissa, row.locked_mantissa].map(|mantissa| figure(mantissa, row.exponent));
        format!("{} {held:?}", row.asset)
    }));
    rows
}
