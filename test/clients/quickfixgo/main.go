// QuickFIX/Go as initiator: order entry and a drop copy of one account. A proxy loses messages and cuts connections, so
// that the engine recovers by resend, by reset, and with numbers that go on.
package main

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/quickfixgo/quickfix"
)

type fields map[int]string

// client is one session.
type client struct {
	lock      sync.Mutex
	session   quickfix.SessionID
	more      fields
	key       ed25519.PrivateKey
	logons    int
	isOn      bool
	messages  []fields
	proxy     *proxy
	initiator *quickfix.Initiator
}

func (one *client) OnCreate(session quickfix.SessionID) { one.session = session }

func (one *client) OnLogon(quickfix.SessionID) {
	one.lock.Lock()
	defer one.lock.Unlock()
	one.logons++
	one.isOn = true
}

func (one *client) OnLogout(quickfix.SessionID) {
	one.lock.Lock()
	defer one.lock.Unlock()
	one.isOn = false
}

// ToAdmin adds key and signature to a Logon.
func (one *client) ToAdmin(message *quickfix.Message, _ quickfix.SessionID) {
	if kind, _ := message.MsgType(); kind != "A" {
		return
	}
	parts := []string{}
	for _, tag := range []quickfix.Tag{35, 49, 56, 34, 52} {
		value, _ := message.Header.GetString(tag)
		parts = append(parts, value)
	}
	signed := ed25519.Sign(one.key, []byte(strings.Join(parts, "\x01")))
	signature := base64.StdEncoding.EncodeToString(signed)
	message.Body.SetInt(95, len(signature))
	message.Body.SetString(96, signature)
	message.Body.SetString(553, os.Getenv("ED25519_KEY"))
	message.Body.SetString(25035, "2")
	for tag, value := range one.more {
		message.Body.SetString(quickfix.Tag(tag), value)
	}
}

func (one *client) ToApp(*quickfix.Message, quickfix.SessionID) error { return nil }

func (one *client) FromAdmin(message *quickfix.Message, _ quickfix.SessionID) quickfix.MessageRejectError {
	one.keep(message)
	return nil
}

func (one *client) FromApp(message *quickfix.Message, _ quickfix.SessionID) quickfix.MessageRejectError {
	one.keep(message)
	return nil
}

func (one *client) keep(message *quickfix.Message) {
	kept := fields{}
	for _, pair := range strings.Split(message.String(), "\x01") {
		tag, value, isField := strings.Cut(pair, "=")
		if number, err := strconv.Atoi(tag); isField && err == nil {
			kept[number] = value
		}
	}
	one.lock.Lock()
	defer one.lock.Unlock()
	one.messages = append(one.messages, kept)
}

func (one *client) state() (int, bool, []fields) {
	one.lock.Lock()
	defer one.lock.Unlock()
	return one.logons, one.isOn, append([]fields{}, one.messages...)
}

func (one *client) send(kind string, body fields) error {
	message := quickfix.NewMessage()
	message.Header.SetString(35, kind)
	for tag, value := range body {
		message.Body.SetString(quickfix.Tag(tag), value)
	}
	return quickfix.SendToTarget(message, one.session)
}

// report waits for a message with these fields.
func (one *client) report(wanted fields) (fields, error) {
	var found fields
	err := until(fmt.Sprint("a message with ", wanted), func() bool {
		_, _, messages := one.state()
		for _, message := range messages {
			fits := true
			for tag, value := range wanted {
				fits = fits && message[tag] == value
			}
			if fits {
				found = message
				return true
			}
		}
		return false
	})
	return found, err
}

func open(name string, resets string, more fields) (*client, error) {
	text, err := os.ReadFile(os.Getenv("ED25519_FILE"))
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	between, err := newProxy()
	if err != nil {
		return nil, err
	}
	one := &client{more: more, key: key.(ed25519.PrivateKey), proxy: between}
	settings, err := quickfix.ParseSettings(strings.NewReader(fmt.Sprintf(`[DEFAULT]
SocketConnectHost=127.0.0.1
SocketConnectPort=%d
ReconnectInterval=1
HeartBtInt=5
ResetOnLogon=%s
[SESSION]
BeginString=FIX.4.4
SenderCompID=%s
TargetCompID=SPOT
`, between.port(), resets, name)))
	if err != nil {
		return nil, err
	}
	one.initiator, err = quickfix.NewInitiator(one, quickfix.NewMemoryStoreFactory(), settings, quickfix.NewNullLogFactory())
	if err != nil {
		return nil, err
	}
	if err := one.initiator.Start(); err != nil {
		return nil, err
	}
	return one, until("the logon of "+name, func() bool { _, isOn, _ := one.state(); return isOn })
}

func order(name, price string, more fields) fields {
	terms := fields{11: name, 55: "CC-USDC", 54: "1", 40: "2", 59: "1", 38: "200.0", 44: price}
	for tag, value := range more {
		terms[tag] = value
	}
	return terms
}

var orders, reports, kept *client

// asks sends a message and waits for the answer with these fields.
func (one *client) asks(kind string, body, wanted fields) (fields, error) {
	if err := one.send(kind, body); err != nil {
		return nil, err
	}
	return one.report(wanted)
}

func logsOn() (err error) {
	if reports, err = open("COPY", "Y", fields{9406: "Y"}); err != nil {
		return err
	}
	orders, err = open("DESK", "Y", fields{9001: "Y"})
	return err
}

func trades() error {
	if _, err := orders.asks("D", order("taker", "0.1700", fields{59: "3"}), fields{11: "taker", 150: "F"}); err != nil {
		return err
	}
	_, err := orders.asks("D", order("rest", "0.0900", nil), fields{11: "rest", 150: "0"})
	return err
}

func amends() error {
	amended, err := orders.asks("XAK", fields{11: "less", 41: "rest", 55: "CC-USDC", 38: "150.0"}, fields{11: "less", 150: "5"})
	if err == nil && amended[38] != "150.00000000" {
		return errors.New("the quantity is " + amended[38])
	}
	return err
}

func cancels() error {
	if _, err := orders.asks("F", fields{11: "undo", 41: "rest", 55: "CC-USDC"}, fields{11: "undo", 150: "4"}); err != nil {
		return err
	}
	_, err := orders.asks("F", fields{11: "again", 41: "rest", 55: "CC-USDC"}, fields{35: "9", 11: "again"})
	return err
}

func resends() error {
	orders.proxy.loseReports(2)
	for _, name := range []string{"lost-1", "lost-2", "seen"} {
		if err := orders.send("D", order(name, "0.0901", nil)); err != nil {
			return err
		}
	}
	for _, name := range []string{"lost-1", "lost-2"} {
		if _, err := orders.report(fields{11: name, 150: "0", 43: "Y"}); err != nil {
			return err
		}
	}
	if _, err := orders.report(fields{11: "seen", 150: "0"}); err != nil {
		return err
	}
	if logons, _, _ := orders.state(); logons != 1 {
		return errors.New("the session did not go on")
	}
	return nil
}

func resets() error {
	orders.proxy.cut()
	if _, err := reports.report(fields{41: "seen", 150: "4"}); err != nil {
		return err
	}
	err := until("the next logon", func() bool { logons, isOn, _ := orders.state(); return logons == 2 && isOn })
	if err != nil {
		return err
	}
	_, err = orders.asks("D", order("after", "0.0902", nil), fields{11: "after", 150: "0"})
	return err
}

// continues proves that a session that does not reset its numbers gets what happened while it was away, once.
func continues() (err error) {
	if kept, err = open("KEPT", "N", fields{141: "N"}); err != nil {
		return err
	}
	if _, err = kept.asks("D", order("kept", "0.0903", nil), fields{11: "kept", 150: "0"}); err != nil {
		return err
	}
	kept.proxy.leave()
	if err = until("the loss", func() bool { _, isOn, _ := kept.state(); return !isOn }); err != nil {
		return err
	}
	for _, terms := range []string{
		"newClientOrderId=away&type=LIMIT&timeInForce=GTC&price=0.0904",
		"newClientOrderId=filled&type=MARKET",
	} {
		var placed map[string]any
		if err = rest("POST", "/api/v3/order", "&side=BUY&quantity=200.0&"+terms, &placed); err != nil {
			return err
		}
	}
	kept.proxy.comeBack()
	err = until("the next logon", func() bool { logons, isOn, _ := kept.state(); return logons == 2 && isOn })
	if err != nil {
		return err
	}
	for name, event := range map[string]string{"away": "0", "filled": "F"} {
		missed, err := kept.report(fields{11: name, 150: event, 43: "Y"})
		if err != nil {
			return err
		}
		copied, err := reports.report(fields{11: name, 150: event})
		if err != nil || missed[17] != copied[17] {
			return fmt.Errorf("%v is not %v: %w", missed, copied, err)
		}
	}
	if _, err = kept.asks("D", order("kept-on", "0.0905", nil), fields{11: "kept-on", 150: "0"}); err != nil {
		return err
	}
	_, err = ascending(kept)
	return err
}

// ascending returns the fills that a session heard of; an error if the numbers of its reports do not ascend.
func ascending(one *client) (fills []string, err error) {
	last := 0
	_, _, messages := one.state()
	for _, message := range messages {
		if message[150] == "F" {
			id, _ := strconv.ParseInt(message[1003], 10, 64)
			fills = append(fills, fmt.Sprint(id, message[32], message[31]))
		}
		if message[17] == "" {
			continue
		}
		id, _ := strconv.Atoi(message[17])
		if id <= last {
			return nil, fmt.Errorf("ExecID %d follows %d", id, last)
		}
		last = id
	}
	return fills, nil
}

// copies compares the drop copy with the account's fills, and checks that the numbers of its reports ascend.
func copies() error {
	var rows []struct {
		ID         int64
		Qty, Price string
	}
	if err := rest("GET", "/api/v3/myTrades", "", &rows); err != nil {
		return err
	}
	theirs := []string{}
	for _, row := range rows {
		theirs = append(theirs, fmt.Sprint(row.ID, row.Qty, row.Price))
	}
	ours, err := ascending(reports)
	if err != nil {
		return err
	}
	sort.Strings(ours)
	sort.Strings(theirs)
	if len(theirs) == 0 || strings.Join(ours, " ") != strings.Join(theirs, " ") {
		return fmt.Errorf("the copy has %v, the account %v", ours, theirs)
	}
	return nil
}

func logsOut() error {
	orders.initiator.Stop()
	reports.initiator.Stop()
	kept.initiator.Stop()
	var open []map[string]any
	if err := rest("GET", "/api/v3/openOrders", "", &open); err != nil {
		return err
	}
	if len(open) != 4 {
		return fmt.Errorf("%d orders are open after the logout, not 4", len(open))
	}
	return nil
}

func main() {
	step("logs on with an Ed25519 key", logsOn)
	step("trades", trades)
	step("amends", amends)
	step("cancels, and is refused", cancels)
	step("recovers lost reports by resend", resends)
	step("recovers from a cut connection by reset, and its orders are cancelled", resets)
	step("continues its numbers, and gets what it missed", continues)
	step("has every fill in its drop copy", copies)
	step("logs out and keeps its orders", logsOut)
	finish()
}
