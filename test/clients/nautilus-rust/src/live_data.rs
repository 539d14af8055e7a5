//! The data client that Nautilus' live engine runs: it subscribes to SBE streams, and begins its book with a snapshot of
//! its own.

use std::{collections::BTreeSet, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use nautilus_binance::{
    common::consts::BINANCE_CLIENT_ID,
    spot::{BinanceSpotDataClient, http::query::DepthParams},
};
use nautilus_common::{
    clients::DataClient,
    live::runner::set_data_event_sender,
    messages::{
        DataEvent,
        data::subscribe::{SubscribeBookDeltas, SubscribeQuotes, SubscribeTrades},
    },
};
use nautilus_core::{UUID4, UnixNanos};
use nautilus_model::{data::Data, enums::BookType, orderbook::OrderBook};
use rust_decimal::Decimal;
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::{Instant, timeout},
};

use crate::{
    figures::{self, Levels},
    venue::Venue,
};

/// Moments at which the client's book must equal the venue's.
const SAME_BOOKS: usize = 4;

pub async fn follows(venue: &Venue) -> Result<()> {
    let (sender, mut events) = unbounded_channel();
    set_data_event_sender(sender);
    let mut client = BinanceSpotDataClient::new(*BINANCE_CLIENT_ID, venue.data_settings())?;
    client.connect().await?;
    let (market, id) = (venue.market(), Some(*BINANCE_CLIENT_ID));
    let (now, any) = (UnixNanos::default(), UUID4::new);
    client.subscribe_trades(SubscribeTrades::new(
        market,
        id,
        None,
        any(),
        now,
        None,
        None,
    ))?;
    client.subscribe_quotes(SubscribeQuotes::new(
        market,
        id,
        None,
        any(),
        now,
        None,
        None,
    ))?;
    let whole = BookType::L2_MBP;
    client.subscribe_book_deltas(SubscribeBookDeltas::new(
        market,
        whole,
        id,
        None,
        any(),
        now,
        None,
        false,
        None,
        None,
    ))?;
    let mut seen = BTreeSet::new();
    let mut book = OrderBook::new(market, whole);
    let mut same = BTreeSet::new();
    let (sbe, params) = (
        venue.sbe()?,
        DepthParams::new(&venue.symbol).with_limit(100),
    );
    let end = Instant::now() + Duration::from_secs(80);
    while same.len() < SAME_BOOKS || seen.len() < 3 {
        ensure!(
            Instant::now() < end,
            "{seen:?} came, and {} equal books",
            same.len()
        );
        let asked = Instant::now();
        while asked.elapsed() < Duration::from_millis(400) {
            let Some(data) = next(&mut events).await? else {
                break;
            };
            seen.insert(take(&mut book, data)?);
        }
        let depth = sbe.depth(&params).await?;
        if book.sequence == u64::try_from(depth.last_update_id)? {
            ensure!(
                best(&book) == figures::levels(&depth),
                "the books differ at {}",
                book.sequence
            );
            same.insert(book.sequence);
        }
    }
    client.disconnect().await
}

/// The next data of the market; `None` in a quiet moment.
async fn next(events: &mut UnboundedReceiver<DataEvent>) -> Result<Option<Data>> {
    let end = Instant::now() + Duration::from_millis(100);
    while let Ok(event) =
        timeout(end.saturating_duration_since(Instant::now()), events.recv()).await
    {
        if let DataEvent::Data(data) = event.context("the client ended")? {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

fn take(book: &mut OrderBook, data: Data) -> Result<&'static str> {
    match data {
        Data::Trade(trade) => {
            ensure!(
                trade.price.is_positive() && trade.size.is_positive(),
                "{trade:?}"
            );
            Ok("trades")
        }
        Data::Quote(quote) => {
            ensure!(quote.bid_price < quote.ask_price, "{quote:?}");
            Ok("quotes")
        }
        Data::BookDeltas(deltas) => {
            book.apply_deltas(&deltas)?;
            Ok("book")
        }
        other => bail!("not asked for: {other:?}"),
    }
}

fn best(book: &OrderBook) -> (Levels, Levels) {
    let pairs = |(price, size): (Decimal, Decimal)| (price.normalize(), size.normalize());
    let (bids, asks) = (book.bids_as_map(Some(100)), book.asks_as_map(Some(100)));
    (
        bids.into_iter().map(pairs).collect(),
        asks.into_iter().map(pairs).collect(),
    )
}
