//! The client whose answers are types of Nautilus: what its live engine and its strategies see.

use anyhow::{Context, Result, ensure};
use nautilus_core::UnixNanos;
use nautilus_model::{
    enums::{OrderSide, OrderStatus, OrderType, TimeInForce},
    identifiers::{AccountId, ClientOrderId, InstrumentId},
    instruments::{Instrument, InstrumentAny},
    types::{Price, Quantity},
};

use crate::venue::Venue;

pub async fn trades(venue: &Venue) -> Result<()> {
    let client = venue.trader()?;
    let instruments = client.request_instruments().await?;
    let instrument = instruments
        .iter()
        .find(|one| one.symbol().as_str() == venue.symbol)
        .context("no instrument")?;
    let (market, account) = (instrument.id(), AccountId::new("BINANCE-001"));
    ensure!(
        instrument.price_precision() == 4 && instrument.size_precision() == 1,
        "{instrument:?}"
    );
    let book = client.request_book_snapshot(market, Some(100)).await?;
    ensure!(
        book.best_bid_price() < book.best_ask_price() && book.best_bid_price().is_some(),
        "{book:?}"
    );
    ensure!(
        !client.request_trades(market, Some(10)).await?.is_empty(),
        "no trades"
    );
    orders(&client, market, account, instrument).await?;
    let money = client.request_account_state(account).await?;
    ensure!(
        money
            .balances
            .iter()
            .any(|one| one.currency.code == "USDC" && one.free.as_f64() > 0.0),
        "{money:?}"
    );
    Ok(())
}

async fn orders(
    client: &nautilus_binance::spot::BinanceSpotHttpClient,
    market: InstrumentId,
    account: AccountId,
    instrument: &InstrumentAny,
) -> Result<()> {
    let name = ClientOrderId::new("O-20261129-000000-001-000-1");
    let (price, size) = (Price::new(0.12, 4), Quantity::new(200.0, 1));
    let (buy, limit, gtc) = (OrderSide::Buy, OrderType::Limit, TimeInForce::Gtc);
    let placed = client
        .submit_order(
            account,
            market,
            name,
            buy,
            limit,
            size,
            gtc,
            Some(price),
            None,
            false,
            false,
            None,
            false,
        )
        .await?;
    ensure!(
        placed.client_order_id == Some(name) && placed.order_status == OrderStatus::Accepted,
        "{placed:?}"
    );
    ensure!(
        placed.price == Some(price)
            && placed.quantity == size
            && placed.ts_accepted > UnixNanos::default(),
        "{placed:?}"
    );
    let found = client
        .request_order_status_report(account, market, None, Some(name))
        .await?
        .context("not found")?;
    ensure!(found.venue_order_id == placed.venue_order_id, "{found:?}");
    let open = client
        .request_order_status_reports(account, None, None, None, true, None)
        .await?;
    ensure!(
        open.len() == 1 && open[0].client_order_id == Some(name),
        "{open:?}"
    );
    let next = ClientOrderId::new("O-20261129-000000-001-000-2");
    let (size, moved) = (Quantity::new(300.0, 1), Some(Price::new(0.121, 4)));
    let changed = client
        .modify_order(
            account,
            market,
            placed.venue_order_id,
            next,
            buy,
            limit,
            size,
            gtc,
            moved,
            false,
            "undo-1",
        )
        .await?;
    ensure!(
        changed.quantity == size && changed.price == moved,
        "{changed:?}"
    );
    let gone = client
        .cancel_order(market, Some(changed.venue_order_id), None)
        .await?;
    ensure!(gone == changed.venue_order_id, "{gone}");
    let taken = ClientOrderId::new("O-20261129-000000-001-000-3");
    let size = Quantity::new(200.0, instrument.size_precision());
    let kind = (OrderType::Market, TimeInForce::Gtc);
    let filled = client
        .submit_order(
            account, market, taken, buy, kind.0, size, kind.1, None, None, false, false, None,
            false,
        )
        .await?;
    ensure!(
        filled.order_status == OrderStatus::Filled && filled.filled_qty == size,
        "{filled:?}"
    );
    let fills = client
        .request_fill_reports(
            account,
            market,
            Some(filled.venue_order_id),
            None,
            None,
            None,
        )
        .await?;
    let sum: f64 = fills.iter().map(|one| one.last_qty.as_f64()).sum();
    ensure!(!fills.is_empty() && (sum - 200.0).abs() < 1e-9, "{fills:?}");
    // The average price of a report is not compared: this client reads the amount paid with the exponents of price and
    // quantity together, where the schema names that of the price.
    let last = ClientOrderId::new("O-20261129-000000-001-000-4");
    let kind = (limit, gtc);
    let placed = client
        .submit_order(
            account,
            market,
            last,
            buy,
            kind.0,
            size,
            kind.1,
            Some(price),
            None,
            true,
            false,
            None,
            false,
        )
        .await?;
    ensure!(placed.post_only, "{placed:?}");
    let gone = client.cancel_all_orders(market).await?;
    ensure!(gone == [(placed.venue_order_id, last)], "{gone:?}");
    Ok(())
}
