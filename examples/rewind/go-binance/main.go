// Quotes both sides of BTCUSDT with go-binance. Prices come from a stream, which it opens again whenever it breaks. After a
// lost answer it asks by the client order id what became of the order.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/adshao/go-binance/v2/common"
	"github.com/adshao/go-binance/v2/futures"
)

const (
	symbol = "BTCUSDT"
	// In thousandths of a BTC.
	size, most   = 10, 50
	away         = 0.0005
	unknownOrder = -2013
)

var ctx = context.Background()

type quoter struct {
	client *futures.Client
	// What is filled of each order, by client order id, and counted in the position.
	open     map[string]int64
	position int64
	placed   int
}

func thousandths(text string) int64 {
	value, _ := strconv.ParseFloat(text, 64)
	return int64(math.Round(value * 1000))
}

func decimal(thousandths int64) string {
	return strconv.FormatFloat(float64(thousandths)/1000, 'f', 3, 64)
}

// place remembers the order before it is sent. Neither an error nor a missing answer says what is true: settle finds out.
func (q *quoter) place(side futures.SideType, price float64) {
	q.placed++
	name := fmt.Sprintf("%s-%d", strings.ToLower(string(side)), q.placed)
	q.open[name] = 0
	order := q.client.NewCreateOrderService().Symbol(symbol).Side(side).Type(futures.OrderTypeLimit)
	order.TimeInForce(futures.TimeInForceTypeGTC).Quantity(decimal(size)).Price(fmt.Sprintf("%.1f", price))
	_, _ = order.NewClientOrderID(name).Do(ctx)
}

func (q *quoter) cancel(name string) {
	_, _ = q.client.NewCancelOrderService().Symbol(symbol).OrigClientOrderID(name).Do(ctx)
}

// settle asks for the order until the venue answers, since questions change nothing.
func (q *quoter) settle(name string) {
	for {
		order, err := q.client.NewGetOrderService().Symbol(symbol).OrigClientOrderID(name).Do(ctx)
		var refusal *common.APIError
		if errors.As(err, &refusal) && refusal.Code == unknownOrder {
			delete(q.open, name)
			return
		}
		if err != nil {
			time.Sleep(200 * time.Millisecond)
			continue
		}
		filled := thousandths(order.ExecutedQuantity)
		sign := map[futures.SideType]int64{futures.SideTypeBuy: 1, futures.SideTypeSell: -1}[order.Side]
		q.position += sign * (filled - q.open[name])
		q.open[name] = filled
		if order.Status != futures.OrderStatusTypeNew && order.Status != futures.OrderStatusTypePartiallyFilled {
			delete(q.open, name)
		}
		return
	}
}

func (q *quoter) turn(middle float64) {
	for name := range q.open {
		q.cancel(name)
	}
	for name := range q.open {
		q.settle(name)
	}
	if q.position < most {
		q.place(futures.SideTypeBuy, middle*(1-away))
	}
	if q.position > -most {
		q.place(futures.SideTypeSell, middle*(1+away))
	}
}

// follow keeps the middle of the best prices, whatever happens to the stream.
func follow(middle *atomic.Uint64) {
	for {
		done, _, err := futures.WsBookTickerServe(symbol, func(event *futures.WsBookTickerEvent) {
			bid, _ := strconv.ParseFloat(event.BestBidPrice, 64)
			ask, _ := strconv.ParseFloat(event.BestAskPrice, 64)
			if bid > 0 && ask > 0 {
				middle.Store(math.Float64bits((bid + ask) / 2))
			}
		}, func(error) {})
		if err == nil {
			<-done
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func main() {
	base := os.Getenv("BASE")
	futures.BaseWsMainUrl = strings.Replace(base, "http", "ws", 1) + "/ws"
	client := futures.NewClient(os.Getenv("KEY"), os.Getenv("SECRET"))
	client.BaseURL = base
	var isOver atomic.Bool
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		isOver.Store(true)
	}()
	var middle atomic.Uint64
	go follow(&middle)
	bot := &quoter{client: client, open: map[string]int64{}}
	for ; !isOver.Load(); time.Sleep(500 * time.Millisecond) {
		if price := math.Float64frombits(middle.Load()); price > 0 {
			bot.turn(price)
		}
	}
	names := []string{}
	for name := range bot.open {
		bot.settle(name)
	}
	for name := range bot.open {
		names = append(names, name)
	}
	positions := map[string]string{symbol: decimal(bot.position)}
	belief, _ := json.Marshal(map[string]any{"openOrders": names, "positions": positions})
	fmt.Println(string(belief))
}
