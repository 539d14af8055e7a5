// Order lists with go-binance: an OCO by the older route, the only one that the client has over HTTP, and an OTOCO over the
// WebSocket API.
package main

import (
	"fmt"

	"github.com/adshao/go-binance/v2"
)

func spotLists(client *binance.Client) error {
	place := client.NewCreateOCOService().Symbol(spotName).Side(binance.SideTypeSell).Quantity("200.0")
	placed, err := place.Price("0.4000").StopPrice("0.0600").Do(ctx)
	if err != nil || placed.ContingencyType != "OCO" || len(placed.OrderReports) != 2 {
		return fmt.Errorf("OCO: %v %v", placed, err)
	}
	open, err := client.NewListOpenOcoService().Do(ctx)
	if err != nil || len(open) == 0 || open[0].OrderListId != placed.OrderListID {
		return fmt.Errorf("open lists: %v %v", open, err)
	}
	gone, err := client.NewCancelOCOService().Symbol(spotName).OrderListID(placed.OrderListID).Do(ctx)
	if err != nil || gone.ListOrderStatus != "ALL_DONE" || len(gone.OrderReports) != 2 {
		return fmt.Errorf("cancel: %v %v", gone, err)
	}
	_, err = client.NewCancelOCOService().Symbol(spotName).OrderListID(placed.OrderListID).Do(ctx)
	return refusedWith(err, -2011)
}

func spotListSession(client *binance.Client) error {
	placing, err := client.NewOrderListPlaceOtocoWsService()
	if err != nil {
		return err
	}
	list := binance.NewOrderListPlaceOtocoWsRequest().Symbol(spotName).WorkingType(binance.OrderTypeLimit)
	list.WorkingSide(binance.SideTypeBuy).WorkingPrice("0.1200").WorkingQuantity("200.0")
	list.WorkingTimeInForce(binance.TimeInForceTypeGTC).PendingSide(binance.SideTypeSell).PendingQuantity("200.0")
	list.PendingAboveType(binance.OrderTypeLimitMaker).PendingAbovePrice("0.4000")
	list.PendingBelowType(binance.OrderTypeStopLoss).PendingBelowStopPrice("0.0600")
	placed, err := placing.SyncDo("place", list)
	if err != nil || placed.Error != nil || len(placed.Result.OrderReports) != 3 {
		return fmt.Errorf("OTOCO: %v %v", placed, err)
	}
	cancelling, err := client.NewOrderListCancelWsService()
	if err != nil {
		return err
	}
	cancel := binance.NewOrderListCancelWsRequest().Symbol(spotName).OrderListID(placed.Result.OrderListId)
	gone, err := cancelling.SyncDo("cancel", cancel)
	if err != nil || gone.Error != nil || gone.Result.ListOrderStatus != "ALL_DONE" {
		return fmt.Errorf("cancel: %v %v", gone, err)
	}
	return nil
}
