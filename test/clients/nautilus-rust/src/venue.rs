//! The venue that the driver talks to, and the clients of the crate that it opens there.

use anyhow::{Context, Result};
use nautilus_binance::{
    common::enums::BinanceEnvironment,
    config::{BinanceDataClientConfig, BinanceExecutionClientConfig},
    spot::{
        BinanceSpotHttpClient, BinanceSpotWebSocketClient, BinanceSpotWsTradingClient,
        http::BinanceRawSpotHttpClient,
    },
};
use nautilus_core::time::get_atomic_clock_realtime;
use nautilus_model::identifiers::InstrumentId;
use nautilus_network::websocket::TransportBackend;

pub struct Venue {
    pub symbol: String,
    base: String,
    key: String,
    pem: String,
}

impl Venue {
    pub fn from_environment() -> Result<Self> {
        let setting =
            |name: &str| std::env::var(name).with_context(|| format!("{name} is not set"));
        Ok(Self {
            symbol: setting("SPOT")?,
            base: setting("BASE")?,
            key: setting("ED25519_KEY")?,
            pem: std::fs::read_to_string(setting("ED25519_FILE")?)?,
        })
    }

    /// The client's methods named after Binance's routes; it asks for SBE.
    pub fn sbe(&self) -> Result<BinanceRawSpotHttpClient> {
        self.raw(false)
    }

    /// The same client where it asks for JSON, as it does for Binance US.
    pub fn json(&self) -> Result<BinanceRawSpotHttpClient> {
        self.raw(true)
    }

    fn raw(&self, is_json: bool) -> Result<BinanceRawSpotHttpClient> {
        Ok(BinanceRawSpotHttpClient::new_with_json_responses(
            BinanceEnvironment::Live,
            Some(self.key.clone()),
            Some(self.pem.clone()),
            Some(self.base.clone()),
            None,
            Some(10),
            None,
            is_json,
        )?)
    }

    /// The client whose answers are types of Nautilus.
    pub fn trader(&self) -> Result<BinanceSpotHttpClient> {
        Ok(BinanceSpotHttpClient::new(
            BinanceEnvironment::Live,
            get_atomic_clock_realtime(),
            Some(self.key.clone()),
            Some(self.pem.clone()),
            Some(self.base.clone()),
            None,
            Some(10),
            None,
        )?)
    }

    pub fn streams(&self) -> Result<BinanceSpotWebSocketClient> {
        BinanceSpotWebSocketClient::new(
            Some(self.streams_address()),
            Some(self.key.clone()),
            Some(self.pem.clone()),
            None,
            TransportBackend::default(),
        )
    }

    pub fn session(&self) -> BinanceSpotWsTradingClient {
        BinanceSpotWsTradingClient::new(
            Some(self.session_address()),
            self.key.clone(),
            self.pem.clone(),
            None,
            TransportBackend::default(),
        )
    }

    /// Settings of the data client that Nautilus' live engine runs.
    pub fn data_settings(&self) -> BinanceDataClientConfig {
        BinanceDataClientConfig {
            api_key: Some(self.key.clone().into()),
            api_secret: Some(self.pem.clone().into()),
            base_url_http: Some(self.base.clone()),
            base_url_ws: Some(self.streams_address()),
            ..Default::default()
        }
    }

    /// Settings of the execution client that Nautilus' live engine runs.
    pub fn execution_settings(&self) -> BinanceExecutionClientConfig {
        BinanceExecutionClientConfig {
            api_key: Some(self.key.clone().into()),
            api_secret: Some(self.pem.clone().into()),
            base_url_http: Some(self.base.clone()),
            base_url_ws_trading: Some(self.session_address()),
            ..Default::default()
        }
    }

    /// The market by its name in Nautilus.
    pub fn market(&self) -> InstrumentId {
        InstrumentId::from(format!("{}.BINANCE", self.symbol).as_str())
    }

    /// The name of one of the symbol's streams.
    pub fn stream(&self, kind: &str) -> String {
        format!("{}@{kind}", self.symbol.to_lowercase())
    }

    fn streams_address(&self) -> String {
        format!("{}/sbe/ws", self.web_socket())
    }

    fn session_address(&self) -> String {
        let query = "responseFormat=sbe&sbeSchemaId=3&sbeSchemaVersion=5";
        format!("{}/ws-api/v3?{query}", self.web_socket())
    }

    fn web_socket(&self) -> String {
        self.base.replacen("http", "ws", 1)
    }
}
