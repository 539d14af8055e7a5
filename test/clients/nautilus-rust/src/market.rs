//! Market data over REST: what the client decodes from SBE equals what it reads from JSON.

use anyhow::{Context, Result, ensure};
use nautilus_binance::spot::http::{
    models::{BinanceSymbolJson, BinanceSymbolSbe},
    query::{AggTradesParams, DepthParams},
};
use rust_decimal::Decimal;

use crate::{
    figures::{self, figure},
    steps::until,
    venue::Venue,
};

pub async fn rules(venue: &Venue) -> Result<()> {
    let client = venue.sbe()?;
    client.ping().await?;
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)?
        .as_micros() as i64;
    let time = client.server_time().await?;
    ensure!(
        (time - now).abs() < 60_000_000,
        "the venue's time is {time}"
    );
    let ours = client.exchange_info().await?.symbols;
    let theirs = venue.json()?.exchange_info_json().await?.symbols;
    ensure!(
        ours.len() == theirs.len() && !ours.is_empty(),
        "{} and {} symbols",
        ours.len(),
        theirs.len()
    );
    for (one, other) in ours.iter().zip(&theirs) {
        ensure!(
            one.symbol == other.symbol,
            "{} is not {}",
            one.symbol,
            other.symbol
        );
        same_rules(one, other).with_context(|| format!("rules of {}", one.symbol))?;
    }
    Ok(())
}

fn same_rules(one: &BinanceSymbolSbe, other: &BinanceSymbolJson) -> Result<()> {
    let filter = |kind: &str| {
        other
            .filters
            .iter()
            .find(|filter| filter.filter_type == kind)
            .context(kind.to_owned())
    };
    let number = |text: &Option<String>| -> Result<Decimal> {
        Ok(Decimal::from_str_exact(text.as_deref().context("no figure")?)?.normalize())
    };
    let price = one
        .filters
        .price_filter
        .as_ref()
        .context("no price filter")?;
    let prices = [price.min_price, price.max_price, price.tick_size]
        .map(|mantissa| figure(mantissa, price.price_exponent));
    let shown = filter("PRICE_FILTER")?;
    let wanted = [
        number(&shown.min_price)?,
        number(&shown.max_price)?,
        number(&shown.tick_size)?,
    ];
    ensure!(prices == wanted, "prices {prices:?}, in JSON {wanted:?}");
    let lot = one
        .filters
        .lot_size_filter
        .as_ref()
        .context("no lot size")?;
    let sizes = [lot.min_qty, lot.max_qty, lot.step_size]
        .map(|mantissa| figure(mantissa, lot.qty_exponent));
    let shown = filter("LOT_SIZE")?;
    let wanted = [
        number(&shown.min_qty)?,
        number(&shown.max_qty)?,
        number(&shown.step_size)?,
    ];
    ensure!(sizes == wanted, "sizes {sizes:?}, in JSON {wanted:?}");
    let least = one
        .filters
        .notional_filters
        .first()
        .context("no least notional")?
        .min
        .normalize();
    let wanted = number(
        &filter("NOTIONAL")
            .or_else(|_| filter("MIN_NOTIONAL"))?
            .min_notional,
    )?;
    ensure!(least == wanted, "least notional {least}, in JSON {wanted}");
    let assets = (
        &one.base_asset,
        &one.quote_asset,
        one.base_asset_precision,
        one.quote_asset_precision,
    );
    let wanted = (
        &other.base_asset,
        &other.quote_asset,
        other.base_asset_precision,
        other.quote_asset_precision,
    );
    ensure!(assets == wanted, "assets {assets:?}, in JSON {wanted:?}");
    Ok(())
}

pub async fn book(venue: &Venue) -> Result<()> {
    let (sbe, json) = (venue.sbe()?, venue.json()?);
    let params = DepthParams::new(&venue.symbol).with_limit(100);
    until("a book that is the same in both formats", async || {
        let (ours, theirs) = (sbe.depth(&params).await?, json.depth(&params).await?);
        if ours.last_update_id != theirs.last_update_id {
            return Ok(None);
        }
        let (one, other) = (figures::levels(&ours), figures::levels(&theirs));
        ensure!(
            one == other && one.0.len() > 10,
            "{one:?}, in JSON {other:?}"
        );
        Ok(Some(()))
    })
    .await
}

pub async fn histories(venue: &Venue) -> Result<()> {
    let (sbe, json, symbol) = (venue.sbe()?, venue.json()?, venue.symbol.as_str());
    let span = AggTradesParams {
        symbol: symbol.to_owned(),
        from_id: None,
        start_time: None,
        end_time: None,
        limit: Some(50),
    };
    same("trades", async || {
        let (ours, theirs) = (
            sbe.trades(symbol, Some(50)).await?,
            json.trades(symbol, Some(50)).await?,
        );
        Ok((figures::trades(&ours), figures::trades(&theirs)))
    })
    .await?;
    same("aggregate trades", async || {
        let (ours, theirs) = (sbe.agg_trades(&span).await?, json.agg_trades(&span).await?);
        Ok((figures::aggregates(&ours), figures::aggregates(&theirs)))
    })
    .await?;
    same("candles", async || {
        let ours = sbe.klines(symbol, "1m", None, None, Some(20)).await?;
        let theirs = json.klines(symbol, "1m", None, None, Some(20)).await?;
        Ok((figures::candles(&ours), figures::candles(&theirs)))
    })
    .await
}

/// Asks until two answers are equal, because trades may come between the two requests.
async fn same(
    what: &str,
    mut ask: impl AsyncFnMut() -> Result<(Vec<String>, Vec<String>)>,
) -> Result<()> {
    let mut last = String::new();
    for _ in 0..40 {
        let (ours, theirs) = ask().await?;
        if ours == theirs && !ours.is_empty() {
            return Ok(());
        }
        last = format!("{:?}, in JSON {:?}", ours.last(), theirs.last());
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    anyhow::bail!("{what} differ: {last}")
}

/// What this client asks for in JSON, with SBE as the format of its other requests.
pub async fn in_json(venue: &Venue) -> Result<()> {
    let (client, symbol) = (venue.sbe()?, venue.symbol.as_str());
    let day = client.ticker_24hr(Some(symbol)).await?;
    ensure!(day[0].symbol == symbol && day[0].count > 0, "{day:?}");
    ensure!(!client.ticker_24hr(None).await?.is_empty(), "no tickers");
    ensure!(
        client
            .ticker_price(None)
            .await?
            .iter()
            .any(|row| row.symbol == symbol),
        "no price"
    );
    let best = client.ticker_book(Some(symbol)).await?;
    ensure!(
        Decimal::from_str_exact(&best[0].bid_price)? < Decimal::from_str_exact(&best[0].ask_price)?,
        "{best:?}"
    );
    ensure!(
        Decimal::from_str_exact(&client.avg_price(symbol).await?.price)? > Decimal::ZERO,
        "no average"
    );
    Ok(())
}
