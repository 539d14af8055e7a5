//! Orders, fills and the account over REST, in SBE. The least order is worth 5 USDC, so orders are of 200 CC.

use anyhow::{Context, Result, bail, ensure};
use nautilus_binance::{
    common::enums::{BinanceSide, BinanceTimeInForce},
    spot::{
        enums::BinanceSpotOrderType,
        http::{
            BinanceRawSpotHttpClient, BinanceSpotHttpError,
            models::{
                BinanceCancelOpenOrdersResponse, BinanceNewOrderResponse, BinanceOrderResponse,
            },
            query::{AccountInfoParams, NewOcoOrderListParams},
        },
        sbe::spot::order_status::OrderStatus,
    },
};
use rust_decimal::Decimal;

use crate::{figures, figures::figure, steps::until, venue::Venue};

const FAR: &str = "0.1200";
const SIZE: &str = "200.0";

async fn rest(
    venue: &Venue,
    client: &BinanceRawSpotHttpClient,
    name: &str,
) -> Result<BinanceNewOrderResponse> {
    let kind = (
        BinanceSide::Buy,
        BinanceSpotOrderType::Limit,
        Some(BinanceTimeInForce::Gtc),
    );
    let symbol = venue.symbol.as_str();
    let placed = client
        .new_order(
            symbol,
            kind.0,
            kind.1,
            kind.2,
            Some(SIZE),
            Some(FAR),
            Some(name),
            None,
        )
        .await?;
    ensure!(
        placed.status == OrderStatus::New && placed.client_order_id == name,
        "{placed:?}"
    );
    let terms = [
        figure(placed.price_mantissa, placed.price_exponent),
        figure(placed.orig_qty_mantissa, placed.qty_exponent),
    ];
    ensure!(
        terms == [Decimal::new(12, 2), Decimal::new(200, 0)],
        "{terms:?}"
    );
    ensure!(
        placed.fills.is_empty() && placed.working_time.is_some(),
        "{placed:?}"
    );
    Ok(placed)
}

fn refused<T: std::fmt::Debug>(
    outcome: Result<T, BinanceSpotHttpError>,
    wanted: i64,
) -> Result<()> {
    match outcome {
        Err(BinanceSpotHttpError::BinanceError { code, .. }) if code == wanted => Ok(()),
        other => bail!("not refused with {wanted}: {other:?}"),
    }
}

fn same(ours: &[BinanceOrderResponse], theirs: &[BinanceOrderResponse]) -> Result<()> {
    let one: Vec<_> = ours
        .iter()
        .map(|row| figures::order(row, row.price_exponent))
        .collect();
    let scale = |row: &BinanceOrderResponse| row.price_exponent + row.qty_exponent;
    let other: Vec<_> = theirs
        .iter()
        .map(|row| figures::order(row, scale(row)))
        .collect();
    ensure!(
        one == other && !one.is_empty(),
        "{one:#?}, in JSON {other:#?}"
    );
    Ok(())
}

pub async fn places_and_cancels(venue: &Venue) -> Result<()> {
    let (sbe, json, symbol) = (venue.sbe()?, venue.json()?, venue.symbol.as_str());
    let placed = rest(venue, &sbe, "sbe-1").await?;
    let found = sbe.query_order(symbol, Some(placed.order_id), None).await?;
    same(
        &[found],
        &[json.query_order(symbol, None, Some("sbe-1")).await?],
    )?;
    same(
        &sbe.open_orders(Some(symbol)).await?,
        &json.open_orders(Some(symbol)).await?,
    )?;
    let gone = sbe.cancel_order(symbol, None, Some("sbe-1")).await?;
    ensure!(
        gone.order_id == placed.order_id && gone.status == OrderStatus::Canceled,
        "{gone:?}"
    );
    ensure!(gone.orig_client_order_id == "sbe-1", "{gone:?}");
    ensure!(sbe.open_orders(None).await?.is_empty(), "an order is open");
    let both = (
        sbe.all_orders(symbol, None, None, None).await?,
        json.all_orders(symbol, None, None, None).await?,
    );
    same(&both.0, &both.1)
}

pub async fn other_kinds(venue: &Venue) -> Result<()> {
    let (sbe, json, symbol) = (venue.sbe()?, venue.json()?, venue.symbol.as_str());
    let (buy, gtc) = (BinanceSide::Buy, Some(BinanceTimeInForce::Gtc));
    let stop = BinanceSpotOrderType::StopLossLimit;
    let stop = sbe
        .new_order(
            symbol,
            buy,
            stop,
            gtc,
            Some(SIZE),
            Some("0.1810"),
            Some("stop"),
            Some("0.1800"),
        )
        .await?;
    ensure!(
        stop.stop_price_mantissa
            .is_some_and(|mantissa| figure(mantissa, stop.price_exponent) == Decimal::new(18, 2)),
        "{stop:?}"
    );
    let limit = BinanceSpotOrderType::Limit;
    let (quantity, shown) = (Some("1000.0"), Some(SIZE));
    sbe.new_order_full(
        symbol,
        buy,
        limit,
        gtc,
        quantity,
        None,
        Some(FAR),
        Some("iceberg"),
        None,
        shown,
    )
    .await?;
    let maker = BinanceSpotOrderType::LimitMaker;
    sbe.new_order_full(
        symbol,
        buy,
        maker,
        None,
        Some(SIZE),
        None,
        Some(FAR),
        Some("maker"),
        None,
        None,
    )
    .await?;
    same(
        &sbe.open_orders(None).await?,
        &json.open_orders(None).await?,
    )?;
    let gone = sbe.cancel_open_orders(symbol).await?;
    ensure!(
        gone.len() == 3 && gone.iter().all(|one| one.status == OrderStatus::Canceled),
        "{gone:?}"
    );
    Ok(())
}

pub async fn replaces(venue: &Venue) -> Result<()> {
    let (sbe, symbol) = (venue.sbe()?, venue.symbol.as_str());
    let placed = rest(venue, &sbe, "first").await?;
    let (side, kind, gtc) = (
        BinanceSide::Buy,
        BinanceSpotOrderType::Limit,
        Some(BinanceTimeInForce::Gtc),
    );
    let next = sbe
        .cancel_replace_order(
            symbol,
            side,
            kind,
            gtc,
            Some(SIZE),
            Some("0.1210"),
            Some(placed.order_id),
            None,
            None,
            Some("next"),
        )
        .await?;
    ensure!(
        next.client_order_id == "next" && next.order_id != placed.order_id,
        "{next:?}"
    );
    let open = sbe.open_orders(Some(symbol)).await?;
    ensure!(
        open.len() == 1 && open[0].client_order_id == "next",
        "{open:?}"
    );
    sbe.cancel_order(symbol, Some(next.order_id), None).await?;
    Ok(())
}

pub async fn lists(venue: &Venue) -> Result<()> {
    let (sbe, symbol) = (venue.sbe()?, venue.symbol.as_str());
    let list = NewOcoOrderListParams {
        symbol: symbol.to_owned(),
        list_client_order_id: Some("pair".to_owned()),
        side: BinanceSide::Sell,
        quantity: SIZE.to_owned(),
        above_type: BinanceSpotOrderType::LimitMaker,
        above_client_order_id: Some("above".to_owned()),
        above_iceberg_qty: None,
        above_price: Some("0.1800".to_owned()),
        above_stop_price: None,
        above_time_in_force: None,
        below_type: BinanceSpotOrderType::StopLoss,
        below_client_order_id: Some("below".to_owned()),
        below_iceberg_qty: None,
        below_price: None,
        below_stop_price: Some(FAR.to_owned()),
        below_time_in_force: None,
        new_order_resp_type: None,
        self_trade_prevention_mode: None,
    };
    let placed = sbe.new_oco_order_list(&list).await?;
    ensure!(
        placed.list_client_order_id == "pair" && placed.orders.len() == 2,
        "{placed:?}"
    );
    let single = rest(venue, &sbe, "single").await?;
    let gone = sbe.cancel_open_order_responses(symbol).await?;
    let mut reports = 0;
    for one in &gone {
        match one {
            BinanceCancelOpenOrdersResponse::Order(one) => {
                ensure!(one.order_id == single.order_id, "{one:?}")
            }
            BinanceCancelOpenOrdersResponse::OrderList(one) => {
                ensure!(
                    one.order_list_id == placed.order_list_id && one.list_client_order_id == "pair",
                    "{one:?}"
                );
                reports += one.order_reports.len();
            }
        }
    }
    ensure!(gone.len() == 2 && reports == 2, "{gone:?}");
    Ok(())
}

pub async fn refusals(venue: &Venue) -> Result<()> {
    let (sbe, symbol) = (venue.sbe()?, venue.symbol.as_str());
    refused(
        sbe.query_order(symbol, Some(999_999_999), None).await,
        -2013,
    )?;
    refused(sbe.cancel_order(symbol, None, Some("nothing")).await, -2011)?;
    refused(sbe.trades("NOTHING", None).await, -1100)?;
    let (buy, kind, gtc) = (
        BinanceSide::Buy,
        BinanceSpotOrderType::Limit,
        Some(BinanceTimeInForce::Gtc),
    );
    refused(
        sbe.new_order(symbol, buy, kind, gtc, Some("0.1"), Some(FAR), None, None)
            .await,
        -1013,
    )
}

pub async fn fills(venue: &Venue) -> Result<()> {
    let (sbe, json, symbol) = (venue.sbe()?, venue.json()?, venue.symbol.as_str());
    let (buy, market) = (BinanceSide::Buy, BinanceSpotOrderType::Market);
    let done = sbe
        .new_order(
            symbol,
            buy,
            market,
            None,
            Some(SIZE),
            None,
            Some("market"),
            None,
        )
        .await?;
    ensure!(
        done.status == OrderStatus::Filled && !done.fills.is_empty(),
        "{done:?}"
    );
    let part = |price: i64, quantity: i64| {
        figure(price, done.price_exponent) * figure(quantity, done.qty_exponent)
    };
    let paid: Decimal = done
        .fills
        .iter()
        .map(|one| part(one.price_mantissa, one.qty_mantissa))
        .sum();
    let filled: i64 = done.fills.iter().map(|one| one.qty_mantissa).sum();
    ensure!(filled == done.executed_qty_mantissa, "{done:?}");
    let cumulative = figure(done.cummulative_quote_qty_mantissa, done.price_exponent);
    ensure!(
        paid.normalize() == cumulative,
        "paid {paid}, the answer says {cumulative}"
    );
    ensure!(
        done.fills
            .iter()
            .all(|one| one.trade_id.is_some() && !one.commission_asset.is_empty()),
        "{done:?}"
    );
    let id = Some(done.order_id);
    let ours = sbe.account_trades(symbol, id, None, None, None).await?;
    let theirs = json.account_trades(symbol, id, None, None, None).await?;
    let one: Vec<_> = ours
        .iter()
        .map(|row| figures::fill(row, row.price_exponent))
        .collect();
    let other: Vec<_> = theirs
        .iter()
        .map(|row| figures::fill(row, row.price_exponent + row.qty_exponent))
        .collect();
    ensure!(
        one == other && one.len() == done.fills.len(),
        "{one:?}, in JSON {other:?}"
    );
    let found = sbe.query_order(symbol, id, None).await?;
    same(&[found], &[json.query_order(symbol, id, None).await?])
}

pub async fn account(venue: &Venue) -> Result<()> {
    let (sbe, json) = (venue.sbe()?, venue.json()?);
    let params = AccountInfoParams::default();
    until("an account that is the same in both formats", async || {
        let (ours, theirs) = (sbe.account(&params).await?, json.account(&params).await?);
        let (one, other) = (figures::account(&ours), figures::account(&theirs));
        ensure!(one == other && one.len() > 2, "{one:?}, in JSON {other:?}");
        Ok(Some(()))
    })
    .await?;
    let rates = sbe.account_commission(&venue.symbol).await?;
    Decimal::from_str_exact(&rates.standard_commission.maker).context("a rate")?;
    let fees = sbe.get_trade_fee(Some(&venue.symbol)).await?;
    ensure!(
        fees.len() == 1 && fees[0].symbol == venue.symbol,
        "{fees:?}"
    );
    Ok(())
}
