// The part of the driver for USD-M futures.
package main

import (
	"fmt"
	"os"

	"github.com/adshao/go-binance/v2/common"
	"github.com/adshao/go-binance/v2/futures"
)

func perpOf(keys string) *futures.Client {
	client := futures.NewClient(key, secret)
	if keys == "Ed25519" {
		pem, _ := os.ReadFile(os.Getenv("ED25519_FILE"))
		client = futures.NewClient(os.Getenv("ED25519_KEY"), string(pem))
		client.KeyType = common.KeyTypeEd25519
	}
	client.BaseURL = base
	return client
}

func perpData(client *futures.Client) error {
	info, err := client.NewExchangeInfoService().Do(ctx)
	if err != nil || len(info.Symbols) == 0 || info.Symbols[0].LotSizeFilter() == nil {
		return fmt.Errorf("markets: %v", err)
	}
	if rows, err := client.NewKlinesService().Symbol(perpName).Interval("1m").Limit(5).Do(ctx); err != nil || len(rows) == 0 {
		return fmt.Errorf("candles: %v", err)
	}
	if rows, err := client.NewPremiumIndexService().Symbol(perpName).Do(ctx); err != nil || number(rows[0].MarkPrice) == 0 {
		return fmt.Errorf("mark: %v", err)
	}
	if rows, err := client.NewListPriceChangeStatsService().Symbol(perpName).Do(ctx); err != nil || len(rows) == 0 {
		return fmt.Errorf("ticker: %v", err)
	}
	_, err = client.NewGetOpenInterestService().Symbol(perpName).Do(ctx)
	return err
}

func perpLimit(client *futures.Client) *futures.CreateOrderService {
	order := client.NewCreateOrderService().Symbol(perpName).Side(futures.SideTypeBuy).Type(futures.OrderTypeLimit)
	return order.TimeInForce(futures.TimeInForceTypeGTC).Quantity("0.010").Price("50000.00")
}

func perpOrders(client *futures.Client) error {
	order, err := perpLimit(client).Do(ctx)
	if err != nil {
		return err
	}
	got, err := client.NewGetOrderService().Symbol(perpName).OrderID(order.OrderID).Do(ctx)
	if err != nil || got.Status != futures.OrderStatusTypeNew {
		return fmt.Errorf("query: %v %v", got, err)
	}
	done, err := client.NewCancelOrderService().Symbol(perpName).OrderID(order.OrderID).Do(ctx)
	if err != nil || done.Status != futures.OrderStatusTypeCanceled {
		return fmt.Errorf("cancel: %v %v", done, err)
	}
	if _, err := perpLimit(client).Do(ctx); err != nil {
		return err
	}
	if err := client.NewCancelAllOpenOrdersService().Symbol(perpName).Do(ctx); err != nil {
		return err
	}
	if open, err := client.NewListOpenOrdersService().Symbol(perpName).Do(ctx); err != nil || len(open) != 0 {
		return fmt.Errorf("all canceled: %v %v", open, err)
	}
	_, err = client.NewGetOrderService().Symbol(perpName).OrderID(999999999).Do(ctx)
	if err := refusedWith(err, -2013); err != nil {
		return err
	}
	_, err = client.NewCancelOrderService().Symbol(perpName).OrderID(999999999).Do(ctx)
	return refusedWith(err, -2011)
}

func perpMatched(client *futures.Client) error {
	order, err := perpLimit(client).Do(ctx)
	if err != nil {
		return err
	}
	amend := client.NewModifyOrderService().Symbol(perpName).Side(futures.SideTypeBuy).Quantity("0.010").OrderID(order.OrderID)
	moved, err := amend.PriceMatch(futures.PriceMatchTypeQueue5).Do(ctx)
	if err != nil || number(moved.Price) <= 50000 {
		return fmt.Errorf("amend: %v %v", moved, err)
	}
	return client.NewCancelAllOpenOrdersService().Symbol(perpName).Do(ctx)
}

func perpFills(client *futures.Client) error {
	if _, err := client.NewChangeLeverageService().Symbol(perpName).Leverage(5).Do(ctx); err != nil {
		return err
	}
	market := func(side futures.SideType) *futures.CreateOrderService {
		order := client.NewCreateOrderService().Symbol(perpName).Side(side).Type(futures.OrderTypeMarket)
		return order.Quantity("0.010")
	}
	if _, err := market(futures.SideTypeBuy).Do(ctx); err != nil {
		return err
	}
	held, err := client.NewGetPositionRiskV3Service().Symbol(perpName).Do(ctx)
	if err != nil || len(held) != 1 || number(held[0].PositionAmt) != 0.01 {
		return fmt.Errorf("position: %v %v", held, err)
	}
	if fills, err := client.NewListAccountTradeService().Symbol(perpName).Do(ctx); err != nil || len(fills) == 0 {
		return fmt.Errorf("fills: %v", err)
	}
	if _, err := market(futures.SideTypeSell).ReduceOnly(true).Do(ctx); err != nil {
		return err
	}
	_, err = client.NewGetBalanceService().Do(ctx)
	return err
}

func perpStreams() error {
	heard := make(chan string, 1000)
	tell := func(kind string) { heard <- kind }
	starts := []func() (chan struct{}, chan struct{}, error){
		func() (chan struct{}, chan struct{}, error) {
			return futures.WsAggTradeServe(perpName, func(*futures.WsAggTradeEvent) { tell("aggTrade") }, ignoreErr)
		},
		func() (chan struct{}, chan struct{}, error) {
			return futures.WsKlineServe(perpName, "5m", func(*futures.WsKlineEvent) { tell("kline") }, ignoreErr)
		},
		func() (chan struct{}, chan struct{}, error) {
			return futures.WsMarkPriceServe(perpName, func(*futures.WsMarkPriceEvent) { tell("mark") }, ignoreErr)
		},
		func() (chan struct{}, chan struct{}, error) {
			return futures.WsAllMarkPriceServe(func(futures.WsAllMarkPriceEvent) { tell("all marks") }, ignoreErr)
		},
		func() (chan struct{}, chan struct{}, error) {
			return futures.WsBookTickerServe(perpName, func(*futures.WsBookTickerEvent) { tell("touch") }, ignoreErr)
		},
		func() (chan struct{}, chan struct{}, error) {
			return futures.WsAllMarketTickerServe(func(futures.WsAllMarketTickerEvent) { tell("all tickers") }, ignoreErr)
		},
	}
	return allHeard(starts, heard)
}

func perpBook(client *futures.Client) error {
	kept := &book{}
	_, stop, err := futures.WsDiffDepthServeWithRate(perpName, 100_000_000, func(event *futures.WsDepthEvent) {
		kept.take(update{event.FirstUpdateID, event.LastUpdateID, event.PrevLastUpdateID, sideOf(event.Bids), sideOf(event.Asks)})
	}, ignoreErr)
	if err != nil {
		return err
	}
	defer close(stop)
	venue := func() (int64, levels, levels, error) {
		depth, err := client.NewDepthService().Symbol(perpName).Limit(levelsMax).Do(ctx)
		if err != nil {
			return 0, nil, nil, err
		}
		return depth.LastUpdateID, sideOf(depth.Bids), sideOf(depth.Asks), nil
	}
	return compare(kept, venue)
}

func perpUserData(client *futures.Client) error {
	listenKey, err := client.NewStartUserStreamService().Do(ctx)
	if err != nil {
		return err
	}
	events := make(chan *futures.WsUserDataEvent, 1000)
	_, stop, err := futures.WsUserDataServe(listenKey, func(event *futures.WsUserDataEvent) { events <- event }, ignoreErr)
	if err != nil {
		return err
	}
	defer close(stop)
	order, err := perpLimit(client).Do(ctx)
	if err != nil {
		return err
	}
	if _, err := client.NewCancelOrderService().Symbol(perpName).OrderID(order.OrderID).Do(ctx); err != nil {
		return err
	}
	if err := client.NewKeepaliveUserStreamService().ListenKey(listenKey).Do(ctx); err != nil {
		return err
	}
	told := map[string]bool{}
	return until("reports of the order and its cancel", func() bool {
		for len(events) > 0 {
			if event := <-events; event.OrderTradeUpdate.ID == order.OrderID {
				told[string(event.OrderTradeUpdate.ExecutionType)] = true
			}
		}
		return told["NEW"] && told["CANCELED"]
	})
}
