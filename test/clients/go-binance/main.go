// go-binance on spot and USD-M futures. The client's BaseURL sets the address of requests; the addresses of streams
// are variables of its packages.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/adshao/go-binance/v2"
	"github.com/adshao/go-binance/v2/common"
	"github.com/adshao/go-binance/v2/futures"
)

var (
	base      = os.Getenv("BASE")
	streams   = strings.Replace(base, "http", "ws", 1)
	spotName  = os.Getenv("SPOT")
	perpName  = os.Getenv("PERPETUAL")
	key       = os.Getenv("KEY")
	secret    = os.Getenv("SECRET")
	ctx       = context.Background()
	ignoreErr = func(error) {}
)

func refusedWith(err error, code int64) error {
	var refusal *common.APIError
	if errors.As(err, &refusal) && refusal.Code == code {
		return nil
	}
	return fmt.Errorf("expected error code %d, got: %v", code, err)
}

func sideOf(rows []common.PriceLevel) levels {
	side := levels{}
	for _, row := range rows {
		side[row.Price] = row.Quantity
	}
	return side
}

func spotOf(keys string) *binance.Client {
	client := binance.NewClient(key, secret)
	if keys == "Ed25519" {
		pem, _ := os.ReadFile(os.Getenv("ED25519_FILE"))
		client = binance.NewClient(os.Getenv("ED25519_KEY"), string(pem))
		client.KeyType = common.KeyTypeEd25519
	}
	client.BaseURL = base
	return client
}

func spotData(client *binance.Client) error {
	info, err := client.NewExchangeInfoService().Symbol(spotName).Do(ctx)
	if err != nil || info.Symbols[0].LotSizeFilter() == nil {
		return fmt.Errorf("markets: %v", err)
	}
	if _, err := client.NewServerTimeService().Do(ctx); err != nil {
		return err
	}
	if trades, err := client.NewRecentTradesService().Symbol(spotName).Do(ctx); err != nil || len(trades) == 0 {
		return fmt.Errorf("trades: %v", err)
	}
	for _, interval := range []string{"1m", "5m", "1d"} {
		if rows, err := client.NewKlinesService().Symbol(spotName).Interval(interval).Do(ctx); err != nil || len(rows) == 0 {
			return fmt.Errorf("candles: %v", err)
		}
	}
	if all, err := client.NewListPriceChangeStatsService().Do(ctx); err != nil || len(all) == 0 {
		return fmt.Errorf("tickers: %v", err)
	}
	_, err = client.NewListBookTickersService().Symbol(spotName).Do(ctx)
	return err
}

func spotOrders(client *binance.Client) error {
	place := func() *binance.CreateOrderService {
		order := client.NewCreateOrderService().Symbol(spotName).Side(binance.SideTypeBuy)
		return order.Type(binance.OrderTypeLimit).TimeInForce(binance.TimeInForceTypeGTC).Quantity("200.0").Price("0.1200")
	}
	if err := place().Test(ctx); err != nil {
		return err
	}
	order, err := place().Do(ctx)
	if err != nil {
		return err
	}
	got, err := client.NewGetOrderService().Symbol(spotName).OrderID(order.OrderID).Do(ctx)
	if err != nil || got.Status != binance.OrderStatusTypeNew {
		return fmt.Errorf("query: %v %v", got, err)
	}
	if open, err := client.NewListOpenOrdersService().Symbol(spotName).Do(ctx); err != nil || len(open) == 0 {
		return fmt.Errorf("open orders: %v", err)
	}
	done, err := client.NewCancelOrderService().Symbol(spotName).OrderID(order.OrderID).Do(ctx)
	if err != nil || done.Status != binance.OrderStatusTypeCanceled {
		return fmt.Errorf("cancel: %v %v", done, err)
	}
	_, err = client.NewGetOrderService().Symbol(spotName).OrderID(999999999).Do(ctx)
	if err := refusedWith(err, -2013); err != nil {
		return err
	}
	_, err = client.NewCancelOrderService().Symbol(spotName).OrderID(999999999).Do(ctx)
	return refusedWith(err, -2011)
}

func spotFills(client *binance.Client) error {
	market := client.NewCreateOrderService().Symbol(spotName).Side(binance.SideTypeBuy).Type(binance.OrderTypeMarket)
	order, err := market.Quantity("200.0").Do(ctx)
	if err != nil || order.Status != binance.OrderStatusTypeFilled || len(order.Fills) == 0 {
		return fmt.Errorf("market order: %v %v", order, err)
	}
	if trades, err := client.NewListTradesService().Symbol(spotName).OrderId(order.OrderID).Do(ctx); err != nil || len(trades) == 0 {
		return fmt.Errorf("fills: %v", err)
	}
	account, err := client.NewGetAccountService().Do(ctx)
	if err != nil || len(account.Balances) == 0 {
		return fmt.Errorf("account: %v", err)
	}
	return nil
}

func spotStreams() error {
	heard := make(chan string, 1000)
	tell := func(kind string) { heard <- kind }
	starts := []func() (chan struct{}, chan struct{}, error){
		func() (chan struct{}, chan struct{}, error) {
			return binance.WsTradeServe(spotName, func(*binance.WsTradeEvent) { tell("trade") }, ignoreErr)
		},
		func() (chan struct{}, chan struct{}, error) {
			return binance.WsAggTradeServe(spotName, func(*binance.WsAggTradeEvent) { tell("aggTrade") }, ignoreErr)
		},
		func() (chan struct{}, chan struct{}, error) {
			return binance.WsKlineServe(spotName, "5m", func(*binance.WsKlineEvent) { tell("kline") }, ignoreErr)
		},
		func() (chan struct{}, chan struct{}, error) {
			return binance.WsBookTickerServe(spotName, func(*binance.WsBookTickerEvent) { tell("bookTicker") }, ignoreErr)
		},
		func() (chan struct{}, chan struct{}, error) {
			return binance.WsMarketStatServe(spotName, func(*binance.WsMarketStatEvent) { tell("ticker") }, ignoreErr)
		},
		func() (chan struct{}, chan struct{}, error) {
			return binance.WsAllMiniMarketsStatServe(func(binance.WsAllMiniMarketsStatEvent) { tell("all") }, ignoreErr)
		},
		func() (chan struct{}, chan struct{}, error) {
			return binance.WsPartialDepthServe100Ms(spotName, "20", func(*binance.WsPartialDepthEvent) { tell("depth20") }, ignoreErr)
		},
	}
	return allHeard(starts, heard)
}

// allHeard starts streams and waits for one message of each kind.
func allHeard(starts []func() (chan struct{}, chan struct{}, error), heard chan string) error {
	stops := []chan struct{}{}
	defer func() {
		for _, stop := range stops {
			close(stop)
		}
	}()
	for _, start := range starts {
		_, stop, err := start()
		if err != nil {
			return err
		}
		stops = append(stops, stop)
	}
	kinds := map[string]bool{}
	err := until("every stream", func() bool {
		for len(heard) > 0 {
			kinds[<-heard] = true
		}
		return len(kinds) == len(starts)
	})
	if err != nil {
		return fmt.Errorf("%w: heard %v", err, kinds)
	}
	return nil
}

func spotBook(client *binance.Client) error {
	kept := &book{}
	_, stop, err := binance.WsDepthServe100Ms(spotName, func(event *binance.WsDepthEvent) {
		kept.take(update{event.FirstUpdateID, event.LastUpdateID, event.FirstUpdateID - 1, sideOf(event.Bids), sideOf(event.Asks)})
	}, ignoreErr)
	if err != nil {
		return err
	}
	defer close(stop)
	venue := func() (int64, levels, levels, error) {
		depth, err := client.NewDepthService().Symbol(spotName).Limit(levelsMax).Do(ctx)
		if err != nil {
			return 0, nil, nil, err
		}
		return depth.LastUpdateID, sideOf(depth.Bids), sideOf(depth.Asks), nil
	}
	return compare(kept, venue)
}

func compare(kept *book, venue func() (int64, levels, levels, error)) error {
	err := until("an update", func() bool {
		kept.lock.Lock()
		defer kept.lock.Unlock()
		return len(kept.waiting) > 0
	})
	if err != nil {
		return err
	}
	last, bids, asks, err := venue()
	if err != nil {
		return err
	}
	kept.start(last, bids, asks)
	return kept.same(venue)
}

func spotUserData(client *binance.Client) error {
	events := make(chan *binance.WsUserDataEvent, 1000)
	_, stop, err := binance.WsUserDataServeSignature(key, secret, common.KeyTypeHmac, 0, func(event *binance.WsUserDataEvent) { events <- event }, ignoreErr)
	if err != nil {
		return err
	}
	defer close(stop)
	place := client.NewCreateOrderService().Symbol(spotName).Side(binance.SideTypeBuy).Type(binance.OrderTypeLimit)
	order, err := place.TimeInForce(binance.TimeInForceTypeGTC).Quantity("200.0").Price("0.1200").Do(ctx)
	if err != nil {
		return err
	}
	if _, err := client.NewCancelOrderService().Symbol(spotName).OrderID(order.OrderID).Do(ctx); err != nil {
		return err
	}
	told := map[string]bool{}
	return until("reports of the order and its cancel", func() bool {
		for len(events) > 0 {
			if event := <-events; event.OrderUpdate.Id == order.OrderID {
				told[event.OrderUpdate.ExecutionType] = true
			}
		}
		return told["NEW"] && told["CANCELED"]
	})
}

func main() {
	binance.BaseWsMainURL = streams + "/ws"
	binance.BaseCombinedMainURL = streams + "/stream?streams="
	binance.BaseWsApiMainURL = streams + "/ws-api/v3"
	futures.BaseWsMainUrl = streams + "/ws"
	futures.BaseCombinedMainURL = streams + "/stream?streams="
	futures.BaseWsApiMainURL = streams + "/ws-fapi/v1"
	for _, keys := range []string{"HMAC", "Ed25519"} {
		spot, perp := spotOf(keys), perpOf(keys)
		step("market data", "spot, "+keys, func() error { return spotData(spot) })
		step("market data", "USD-M, "+keys, func() error { return perpData(perp) })
		step("orders", "spot: place, query, cancel, unknown orders, "+keys, func() error { return spotOrders(spot) })
		step("order lists", "an OCO: place, list, cancel, "+keys, func() error { return spotLists(spot) })
		step("orders", "USD-M: place, query, cancel, unknown orders, "+keys, func() error { return perpOrders(perp) })
		step("orders", "USD-M: an order amended to a level of the book, "+keys, func() error { return perpMatched(perp) })
		step("fills", "spot: a market order, its fills, the account, "+keys, func() error { return spotFills(spot) })
		step("fills", "USD-M: leverage, a position opened and closed, "+keys, func() error { return perpFills(perp) })
	}
	spot, perp := spotOf("HMAC"), perpOf("HMAC")
	step("streams", "spot: trades, candles, touch, tickers, depth", spotStreams)
	step("streams", "USD-M: trades, candles, marks, touch, tickers", perpStreams)
	step("book", "spot: from its diff depth", func() error { return spotBook(spot) })
	step("book", "USD-M: from its diff depth", func() error { return perpBook(perp) })
	step("order lists", "an OTOCO over the WebSocket API", func() error { return spotListSession(spot) })
	step("user data", "spot, over the WebSocket API by a signed subscription", func() error { return spotUserData(spot) })
	step("user data", "USD-M, by a listen key", func() error { return perpUserData(perp) })
	finish()
}
