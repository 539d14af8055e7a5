//! The execution client that Nautilus' live engine runs: it logs on to an order session in SBE, follows its user data
//! there, and sends orders, changes and cancels through it.

use std::{cell::RefCell, rc::Rc, time::Duration};

use anyhow::{Context, Result, ensure};
use nautilus_binance::{
    common::consts::{BINANCE_CLIENT_ID, BINANCE_VENUE},
    spot::BinanceSpotExecutionClient,
};
use nautilus_common::{
    cache::Cache,
    clients::ExecutionClient,
    live::runner::set_exec_event_sender,
    messages::{
        ExecutionEvent,
        execution::{CancelOrder, ModifyOrder, SubmitOrder},
    },
};
use nautilus_core::{UUID4, UnixNanos};
use nautilus_live::ExecutionClientCore;
use nautilus_model::{
    accounts::{AccountAny, CashAccount},
    enums::{AccountType, OmsType, OrderSide, TimeInForce},
    events::OrderEventAny,
    identifiers::{AccountId, ClientOrderId, InstrumentId, StrategyId, TraderId, VenueOrderId},
    orders::{LimitOrder, MarketOrder, Order, OrderAny},
    types::{Price, Quantity},
};
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::timeout,
};

use crate::venue::Venue;

const WAIT: Duration = Duration::from_secs(20);

struct Desk {
    client: BinanceSpotExecutionClient,
    cache: Rc<RefCell<Cache>>,
    events: UnboundedReceiver<ExecutionEvent>,
    market: InstrumentId,
    trader: TraderId,
    strategy: StrategyId,
}

impl Desk {
    async fn open(venue: &Venue) -> Result<Self> {
        let (sender, events) = unbounded_channel();
        set_exec_event_sender(sender);
        let (trader, strategy) = (TraderId::from("DESK-001"), StrategyId::from("STEPS-001"));
        let account = AccountId::from("BINANCE-001");
        let cache = Rc::new(RefCell::new(Cache::default()));
        // The engine would take the account from the client's first event.
        let state = venue.trader()?.request_account_state(account).await?;
        cache
            .borrow_mut()
            .add_account(AccountAny::Cash(CashAccount::new(state, true, false)))?;
        let core = ExecutionClientCore::new(
            trader,
            *BINANCE_CLIENT_ID,
            *BINANCE_VENUE,
            OmsType::Netting,
            account,
            AccountType::Cash,
            None,
            cache.clone(),
        );
        let mut client = BinanceSpotExecutionClient::new(core, venue.execution_settings())?;
        client.start()?;
        client.connect().await?;
        Ok(Self {
            client,
            cache,
            events,
            market: venue.market(),
            trader,
            strategy,
        })
    }

    fn submit(&mut self, order: OrderAny) -> Result<()> {
        self.cache
            .borrow_mut()
            .add_order(order.clone(), None, None, false)?;
        self.client.submit_order(SubmitOrder::new(
            self.trader,
            Some(*BINANCE_CLIENT_ID),
            self.strategy,
            self.market,
            order.client_order_id(),
            order.init_event().clone(),
            None,
            None,
            None,
            UUID4::new(),
            UnixNanos::default(),
            None,
        ))
    }

    /// Waits for an event of an order, and applies all of them to the cached order, as the engine does.
    async fn event(
        &mut self,
        what: &str,
        fits: impl Fn(&OrderEventAny) -> bool,
    ) -> Result<OrderEventAny> {
        let mut others = Vec::new();
        loop {
            let next = timeout(WAIT, self.events.recv()).await;
            let next = next
                .with_context(|| format!("no {what} among {others:?}"))?
                .context("closed")?;
            let ExecutionEvent::Order(event) = next else {
                continue;
            };
            self.cache.borrow_mut().update_order(&event)?;
            if fits(&event) {
                return Ok(event);
            }
            others.push(event);
        }
    }
}

pub async fn trades(venue: &Venue) -> Result<()> {
    let mut desk = Desk::open(venue).await?;
    ensure!(desk.client.is_connected(), "not connected");
    let name = ClientOrderId::from("O-20261129-000000-001-001-1");
    desk.submit(bid(&desk, name))?;
    let event = desk
        .event("accepted order", |one| {
            matches!(one, OrderEventAny::Accepted(_))
        })
        .await?;
    let id = event.venue_order_id().context("no order id")?;
    desk.client.modify_order(change(&desk, name, id))?;
    let updated = desk
        .event("changed order", |one| {
            matches!(one, OrderEventAny::Updated(_))
        })
        .await?;
    let id = updated.venue_order_id().context("no order id")?;
    let status = desk
        .client
        .generate_mass_status(None)
        .await?
        .context("no mass status")?;
    ensure!(
        status.order_reports().contains_key(&id),
        "{id} is not among {:?}",
        status.order_reports().keys()
    );
    desk.client.cancel_order(CancelOrder::new(
        desk.trader,
        Some(*BINANCE_CLIENT_ID),
        desk.strategy,
        desk.market,
        name,
        Some(id),
        UUID4::new(),
        UnixNanos::default(),
        None,
        None,
    ))?;
    desk.event("cancelled order", |one| {
        matches!(one, OrderEventAny::Canceled(_))
    })
    .await?;
    desk.submit(purchase(
        &desk,
        ClientOrderId::from("O-20261129-000000-001-001-2"),
    ))?;
    let filled = desk
        .event("fill", |one| matches!(one, OrderEventAny::Filled(_)))
        .await?;
    let OrderEventAny::Filled(fill) = filled else {
        unreachable!()
    };
    ensure!(
        fill.last_px.is_positive() && fill.commission.is_some(),
        "{fill:?}"
    );
    Ok(desk.client.disconnect().await?)
}

fn bid(desk: &Desk, name: ClientOrderId) -> OrderAny {
    OrderAny::Limit(LimitOrder::new(
        desk.trader,
        desk.strategy,
        desk.market,
        name,
        OrderSide::Buy,
        Quantity::from("200.0"),
        Price::from("0.1200"),
        TimeInForce::Gtc,
        None,
        true,
        false,
        false,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        UUID4::new(),
        UnixNanos::default(),
    ))
}

fn purchase(desk: &Desk, name: ClientOrderId) -> OrderAny {
    OrderAny::Market(MarketOrder::new(
        desk.trader,
        desk.strategy,
        desk.market,
        name,
        OrderSide::Buy,
        Quantity::from("200.0"),
        TimeInForce::Gtc,
        UUID4::new(),
        UnixNanos::default(),
        false,
        false,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
    ))
}

fn change(desk: &Desk, name: ClientOrderId, id: VenueOrderId) -> ModifyOrder {
    ModifyOrder::new(
        desk.trader,
        Some(*BINANCE_CLIENT_ID),
        desk.strategy,
        desk.market,
        name,
        Some(id),
        Some(Quantity::from("300.0")),
        Some(Price::from("0.1210")),
        None,
        UUID4::new(),
        UnixNanos::default(),
        None,
        None,
    )
}
