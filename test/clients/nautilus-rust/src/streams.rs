//! Market data streams in SBE, and a book kept from one of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::Pin,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use futures_util::{Stream, StreamExt};
use nautilus_binance::spot::{
    BinanceSpotWebSocketClient,
    http::query::DepthParams,
    sbe::stream::{DepthDiffStreamEvent, PriceLevel},
    websocket::streams::messages::BinanceSpotWsMessage as Message,
};
use rust_decimal::Decimal;
use tokio::time::{Instant, timeout};

use crate::{
    figures::{self, Levels, figure},
    venue::Venue,
};

/// Moments at which the kept book must equal the venue's.
const SAME_BOOKS: usize = 4;

struct Feed {
    client: BinanceSpotWebSocketClient,
    messages: Pin<Box<dyn Stream<Item = Message>>>,
}

impl Feed {
    async fn open(venue: &Venue, kinds: &[&str]) -> Result<Self> {
        let mut client = venue.streams()?;
        client.connect().await?;
        let messages = Box::pin(client.stream());
        client
            .subscribe(kinds.iter().map(|kind| venue.stream(kind)).collect())
            .await?;
        Ok(Self { client, messages })
    }

    /// The next message within `wait`, or `None`.
    async fn next(&mut self, wait: Duration) -> Result<Option<Message>> {
        let Ok(next) = timeout(wait, self.messages.next()).await else {
            return Ok(None);
        };
        match next.context("the streams ended")? {
            Message::RawBinary(bytes) => bail!("the client cannot decode {bytes:?}"),
            Message::Error(error) => bail!("{error:?}"),
            other => Ok(Some(other)),
        }
    }
}

pub async fn kinds(venue: &Venue) -> Result<()> {
    let mut feed = Feed::open(venue, &["trade", "bestBidAsk", "depth", "depth20"]).await?;
    let mut seen = BTreeSet::new();
    let mut traded = Vec::new();
    let end = Instant::now() + Duration::from_secs(40);
    while seen.len() < 4 {
        ensure!(Instant::now() < end, "only {seen:?} came");
        match feed
            .next(Duration::from_secs(10))
            .await?
            .context("no message")?
        {
            Message::Trades(event) => {
                ensure!(
                    event.symbol == venue.symbol && !event.trades.is_empty(),
                    "{event:?}"
                );
                let (price, quantity) = (event.price_exponent, event.qty_exponent);
                traded.extend(event.trades.iter().map(|one| {
                    (
                        one.id,
                        figure(one.price_mantissa, price),
                        figure(one.qty_mantissa, quantity),
                        one.is_buyer_maker,
                    )
                }));
                seen.insert("trades");
            }
            Message::BestBidAsk(event) => {
                ensure!(
                    event.symbol == venue.symbol && event.book_update_id > 0,
                    "{event:?}"
                );
                ensure!(
                    0 < event.bid_price_mantissa
                        && event.bid_price_mantissa < event.ask_price_mantissa,
                    "{event:?}"
                );
                seen.insert("best prices");
            }
            Message::DepthSnapshot(event) => {
                let prices = |side: &[PriceLevel]| {
                    side.iter()
                        .map(|row| row.price_mantissa)
                        .collect::<Vec<_>>()
                };
                let (bids, asks) = (prices(&event.bids), prices(&event.asks));
                let (lengths, all) = ([bids.len(), asks.len()], 1..=20);
                ensure!(
                    lengths.iter().all(|length| all.contains(length)) && bids[0] < asks[0],
                    "{event:?}"
                );
                ensure!(
                    bids.is_sorted_by(|one, next| one > next)
                        && asks.is_sorted_by(|one, next| one < next),
                    "{event:?}"
                );
                // A side of the moving book may have fewer levels for a while.
                if lengths.contains(&20) {
                    seen.insert("20 levels");
                }
            }
            Message::DepthDiff(event) => {
                ensure!(
                    event.first_book_update_id <= event.last_book_update_id,
                    "{event:?}"
                );
                seen.insert("depth");
            }
            other => bail!("{other:?}"),
        }
    }
    ensure!(
        feed.client.subscription_count() == 4,
        "{} subscriptions",
        feed.client.subscription_count()
    );
    let listed = venue.sbe()?.trades(&venue.symbol, Some(1000)).await?;
    for (id, price, quantity, is_buyer_maker) in traded {
        let one = listed
            .trades
            .iter()
            .find(|one| one.id == id)
            .with_context(|| format!("trade {id} is not listed"))?;
        let terms = (
            figure(one.price_mantissa, listed.price_exponent),
            figure(one.qty_mantissa, listed.qty_exponent),
        );
        ensure!(
            terms == (price, quantity) && one.is_buyer_maker == is_buyer_maker,
            "{one:?}"
        );
    }
    Ok(feed.client.close().await?)
}

#[derive(Default)]
struct Book {
    bids: BTreeMap<Decimal, Decimal>,
    asks: BTreeMap<Decimal, Decimal>,
    last: Option<i64>,
    waiting: Vec<DepthDiffStreamEvent>,
}

impl Book {
    fn start(&mut self, last: i64, (bids, asks): (Levels, Levels)) -> Result<()> {
        (self.bids, self.asks) = (bids.into_iter().collect(), asks.into_iter().collect());
        self.last = Some(last);
        std::mem::take(&mut self.waiting)
            .into_iter()
            .try_for_each(|event| self.take(event))
    }

    fn take(&mut self, event: DepthDiffStreamEvent) -> Result<()> {
        let Some(last) = self.last else {
            self.waiting.push(event);
            return Ok(());
        };
        if event.last_book_update_id <= last {
            return Ok(());
        }
        ensure!(
            event.first_book_update_id <= last + 1,
            "{} follows {last}",
            event.first_book_update_id
        );
        for (side, rows) in [(&mut self.bids, &event.bids), (&mut self.asks, &event.asks)] {
            for row in rows {
                let price = figure(row.price_mantissa, event.price_exponent);
                match row.qty_mantissa {
                    0 => side.remove(&price),
                    mantissa => side.insert(price, figure(mantissa, event.qty_exponent)),
                };
            }
        }
        self.last = Some(event.last_book_update_id);
        Ok(())
    }

    fn best(&self, count: usize) -> (Levels, Levels) {
        let pair = |(price, quantity): (&Decimal, &Decimal)| (*price, *quantity);
        (
            self.bids.iter().rev().map(pair).take(count).collect(),
            self.asks.iter().map(pair).take(count).collect(),
        )
    }
}

/// Keeps a book by the documented procedure: frames that wait for the book of REST, and then each from where the last
/// one ended.
pub async fn book(venue: &Venue) -> Result<()> {
    let (mut feed, sbe) = (Feed::open(venue, &["depth"]).await?, venue.sbe()?);
    let params = DepthParams::new(&venue.symbol).with_limit(100);
    let mut book = Book::default();
    let mut same = BTreeSet::new();
    let end = Instant::now() + Duration::from_secs(80);
    let mut asked = Instant::now() - Duration::from_secs(1);
    while same.len() < SAME_BOOKS {
        ensure!(
            Instant::now() < end,
            "the books were equal at only {} moments",
            same.len()
        );
        while let Some(message) = feed.next(Duration::from_millis(100)).await? {
            if let Message::DepthDiff(event) = message {
                book.take(event)?;
            }
            if asked.elapsed() > Duration::from_millis(400) {
                break;
            }
        }
        let depth = sbe.depth(&params).await?;
        asked = Instant::now();
        let levels = figures::levels(&depth);
        if book.last.is_none() && !book.waiting.is_empty() {
            book.start(depth.last_update_id, levels)?;
        } else if book.last == Some(depth.last_update_id) {
            ensure!(
                book.best(100) == levels,
                "the books differ at {}",
                depth.last_update_id
            );
            same.insert(depth.last_update_id);
        }
    }
    Ok(feed.client.close().await?)
}
