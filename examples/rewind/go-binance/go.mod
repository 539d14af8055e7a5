module rialto.test/examples/rewind/go-binance

go 1.25

require github.com/adshao/go-binance/v2 v2.8.7

require (
	github.com/bitly/go-simplejson v0.5.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/gorilla/websocket v1.5.3 // indirect
	github.com/jpillora/backoff v1.0.0 // indirect
	github.com/kr/text v0.2.0 // indirect
	github.com/shopspring/decimal v1.4.0 // indirect
)
