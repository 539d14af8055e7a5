//! NautilusTrader's Rust crate for Binance against the venue's spot markets, in SBE: REST, streams and order sessions.

mod figures;
mod live_data;
mod live_orders;
mod market;
mod orders;
mod session;
mod steps;
mod streams;
mod trader;
mod venue;

use anyhow::Result;

use crate::{
    steps::{finish, step},
    venue::Venue,
};

#[tokio::main]
async fn main() -> Result<()> {
    let venue = Venue::from_environment()?;
    step(
        "market data",
        "SBE: time, markets and their rules as in JSON",
        market::rules(&venue),
    )
    .await;
    step(
        "market data",
        "SBE: a book as in JSON",
        market::book(&venue),
    )
    .await;
    step(
        "market data",
        "SBE: trades, aggregate trades and candles as in JSON",
        market::histories(&venue),
    )
    .await;
    step(
        "market data",
        "tickers and the average price, in JSON",
        market::in_json(&venue),
    )
    .await;
    step(
        "streams",
        "SBE: trades, best prices, depth and 20 levels",
        streams::kinds(&venue),
    )
    .await;
    step(
        "book",
        "SBE: a book from the depth stream",
        streams::book(&venue),
    )
    .await;
    step(
        "orders",
        "SBE: place, query, list, cancel",
        orders::places_and_cancels(&venue),
    )
    .await;
    step(
        "orders",
        "SBE: stop, iceberg and post-only orders, cancelled together",
        orders::other_kinds(&venue),
    )
    .await;
    step(
        "orders",
        "SBE: cancel and replace",
        orders::replaces(&venue),
    )
    .await;
    step(
        "orders",
        "SBE: an order list, cancelled with a single order",
        orders::lists(&venue),
    )
    .await;
    step("orders", "SBE: refusals", orders::refusals(&venue)).await;
    step(
        "fills",
        "SBE: a market order and its fills",
        orders::fills(&venue),
    )
    .await;
    step(
        "account",
        "SBE: balances and rates as in JSON; fees",
        orders::account(&venue),
    )
    .await;
    step(
        "user data",
        "SBE: orders, fills and balances",
        session::reports(&venue),
    )
    .await;
    step(
        "orders",
        "order session in SBE: place, replace, cancel, refusals",
        session::trades(&venue),
    )
    .await;
    step(
        "trading",
        "types of Nautilus: markets, book, orders, fills, account",
        trader::trades(&venue),
    )
    .await;
    step(
        "book",
        "the data client of a live engine: trades, quotes, and the book that it keeps",
        live_data::follows(&venue),
    )
    .await;
    step(
        "trading",
        "the execution client of a live engine: its session, orders and reports",
        live_orders::trades(&venue),
    )
    .await;
    finish()
}
