//! An order session whose answers and user data are SBE.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use nautilus_binance::{
    common::enums::{BinanceOrderStatus, BinanceSide, BinanceTimeInForce},
    spot::{
        BinanceSpotWsTradingClient,
        enums::{BinanceCancelReplaceMode, BinanceOrderResponseType, BinanceSpotOrderType},
        http::query::{CancelOrderParams, CancelReplaceOrderParams, NewOrderParams},
        websocket::trading::{
            BinanceSpotWsTradingMessage as Message,
            user_data::{BinanceSpotExecutionReport, BinanceSpotExecutionType as Event},
        },
    },
};
use rust_decimal::Decimal;
use tokio::time::timeout;

use crate::venue::Venue;

const WAIT: Duration = Duration::from_secs(20);

struct Session {
    client: BinanceSpotWsTradingClient,
    /// What came and was not asked for yet.
    unread: Vec<Message>,
}

impl Session {
    async fn open(venue: &Venue) -> Result<Self> {
        let mut client = venue.session();
        client.connect().await?;
        let mut session = Self {
            client,
            unread: Vec::new(),
        };
        session.client.session_logon().await?;
        session
            .take("the logon", |one| {
                matches!(one, Message::Authenticated).then_some(())
            })
            .await?;
        session.client.subscribe_user_data().await?;
        session
            .take("user data", |one| {
                matches!(one, Message::UserDataSubscribed { .. }).then_some(())
            })
            .await?;
        Ok(session)
    }

    /// Waits for a message that `pick` takes; the others stay.
    async fn take<T>(&mut self, what: &str, pick: impl Fn(&Message) -> Option<T>) -> Result<T> {
        loop {
            if let Some((at, value)) = self
                .unread
                .iter()
                .enumerate()
                .find_map(|(at, one)| Some((at, pick(one)?)))
            {
                self.unread.remove(at);
                return Ok(value);
            }
            let next = timeout(WAIT, self.client.recv()).await;
            let next = next
                .with_context(|| format!("no {what} among {:?}", self.unread))?
                .context("closed")?;
            if let Message::Error(words) = &next {
                bail!("while waiting for {what}: {words}");
            }
            self.unread.push(next);
        }
    }

    async fn report(&mut self, name: &str, event: Event) -> Result<BinanceSpotExecutionReport> {
        let what = format!("report {event:?} of {name}");
        self.take(&what, |one| match one {
            Message::ExecutionReport(report)
                if report.order_client_order_id() == name && report.execution_type == event =>
            {
                Some((**report).clone())
            }
            _ => None,
        })
        .await
    }
}

fn bid(venue: &Venue, name: &str) -> NewOrderParams {
    NewOrderParams::limit(&venue.symbol, BinanceSide::Buy, "200.0", "0.1200")
        .with_client_order_id(name)
}

pub async fn reports(venue: &Venue) -> Result<()> {
    let mut session = Session::open(venue).await?;
    session.client.place_order(bid(venue, "told")).await?;
    let new = session.report("told", Event::New).await?;
    ensure!(
        new.symbol == venue.symbol && new.order_status == BinanceOrderStatus::New,
        "{new:?}"
    );
    let terms = [&new.original_qty, &new.price]
        .map(|text| Decimal::from_str_exact(text).map(|one| one.normalize()));
    ensure!(
        terms == [Ok(Decimal::new(200, 0)), Ok(Decimal::new(12, 2))],
        "{new:?}"
    );
    ensure!(
        new.is_working && new.trade_id == -1 && new.side == BinanceSide::Buy,
        "{new:?}"
    );
    let locked = session
        .take("locked money", |one| {
            balance(one, "USDC", |_, locked| locked >= Decimal::new(24, 0))
        })
        .await;
    locked.context("after an order")?;
    session
        .client
        .cancel_order(CancelOrderParams::by_client_order_id(&venue.symbol, "told"))
        .await?;
    let gone = session.report("told", Event::Canceled).await?;
    ensure!(
        gone.order_status == BinanceOrderStatus::Canceled && gone.order_id == new.order_id,
        "{gone:?}"
    );
    session
        .take("freed money", |one| {
            balance(one, "USDC", |_, locked| locked.is_zero())
        })
        .await?;
    let market = NewOrderParams::market(&venue.symbol, BinanceSide::Buy, "200.0")
        .with_client_order_id("taken");
    session.client.place_order(market).await?;
    session.report("taken", Event::New).await?;
    let fill = session.report("taken", Event::Trade).await?;
    let figure = |text: &str| Decimal::from_str_exact(text);
    ensure!(
        figure(&fill.last_filled_price)? > Decimal::ZERO && fill.trade_id > 0 && !fill.is_maker,
        "{fill:?}"
    );
    ensure!(
        figure(&fill.commission)? >= Decimal::ZERO && fill.commission_asset.is_some(),
        "{fill:?}"
    );
    session
        .take("bought coins", |one| {
            balance(one, "CC", |free, _| free > Decimal::new(1_000_000, 0))
        })
        .await?;
    Ok(session.client.disconnect().await?)
}

fn balance(message: &Message, asset: &str, fits: impl Fn(Decimal, Decimal) -> bool) -> Option<()> {
    let Message::AccountPosition(position) = message else {
        return None;
    };
    let held = position.balances.iter().find(|row| row.asset == asset)?;
    fits(held.free, held.locked).then_some(())
}

pub async fn trades(venue: &Venue) -> Result<()> {
    let mut session = Session::open(venue).await?;
    let id = session.client.place_order(bid(venue, "session-1")).await?;
    let placed = session
        .take("the order's answer", |one| match one {
            Message::OrderAccepted {
                request_id,
                response,
            } if *request_id == id => Some(response.clone()),
            _ => None,
        })
        .await?;
    ensure!(
        placed.client_order_id == "session-1" && placed.symbol == venue.symbol,
        "{placed:?}"
    );
    let id = session
        .client
        .cancel_replace_order(replacement(venue, placed.order_id))
        .await?;
    let next = session
        .take("the replacement's answer", |one| match one {
            Message::CancelReplaceAccepted {
                request_id,
                cancel_response,
                new_order_response,
            } if *request_id == id => Some((cancel_response.order_id, new_order_response.clone())),
            _ => None,
        })
        .await?;
    ensure!(
        next.0 == placed.order_id && next.1.client_order_id == "session-2",
        "{next:?}"
    );
    let id = session
        .client
        .cancel_order(CancelOrderParams::by_order_id(
            &venue.symbol,
            next.1.order_id,
        ))
        .await?;
    let gone = session
        .take("the cancel's answer", |one| match one {
            Message::OrderCanceled {
                request_id,
                response,
            } if *request_id == id => Some(response.order_id),
            _ => None,
        })
        .await?;
    ensure!(gone == next.1.order_id, "{gone}");
    session.client.place_order(bid(venue, "session-3")).await?;
    session.report("session-3", Event::New).await?;
    let id = session.client.cancel_all_orders(&venue.symbol).await?;
    let count = session
        .take("the answer to cancelling all", |one| match one {
            Message::AllOrdersCanceled {
                request_id,
                responses,
            } if *request_id == id => Some(responses.len()),
            _ => None,
        })
        .await?;
    ensure!(count == 1, "{count} orders were cancelled");
    refusals(venue, &mut session).await?;
    Ok(session.client.disconnect().await?)
}

fn replacement(venue: &Venue, order: i64) -> CancelReplaceOrderParams {
    CancelReplaceOrderParams {
        symbol: venue.symbol.clone(),
        side: BinanceSide::Buy,
        order_type: BinanceSpotOrderType::Limit,
        cancel_replace_mode: BinanceCancelReplaceMode::StopOnFailure,
        time_in_force: Some(BinanceTimeInForce::Gtc),
        quantity: Some("200.0".to_owned()),
        quote_order_qty: None,
        price: Some("0.1210".to_owned()),
        cancel_order_id: Some(order),
        cancel_orig_client_order_id: None,
        cancel_new_client_order_id: None,
        new_client_order_id: Some("session-2".to_owned()),
        stop_price: None,
        trailing_delta: None,
        iceberg_qty: None,
        new_order_resp_type: Some(BinanceOrderResponseType::Full),
        self_trade_prevention_mode: None,
    }
}

async fn refusals(venue: &Venue, session: &mut Session) -> Result<()> {
    let id = session
        .client
        .cancel_order(CancelOrderParams::by_order_id(&venue.symbol, 999_999_999))
        .await?;
    let refused = session
        .take("a refused cancel", |one| match one {
            Message::CancelRejected {
                request_id, code, ..
            } if *request_id == id => Some(*code),
            _ => None,
        })
        .await?;
    ensure!(refused == -2011, "{refused:?}");
    let tiny = NewOrderParams::limit(&venue.symbol, BinanceSide::Buy, "0.1", "0.1200");
    let id = session.client.place_order(tiny).await?;
    let refused = session
        .take("a refused order", |one| match one {
            Message::OrderRejected {
                request_id, code, ..
            } if *request_id == id => Some(*code),
            _ => None,
        })
        .await?;
    ensure!(refused == -1013, "{refused:?}");
    Ok(())
}
