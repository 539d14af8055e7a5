// Steps of a driver in Go: each is one line of JSON with the feature it proves, printed whether it passed or not.
// Also a local book by Binance's documented procedure, since this client has none, and its comparison.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync"
	"time"
)

const (
	bookSeconds = 60
	sameBooks   = 4
	levelsMax   = 100
)

func step(feature, name string, body func() error) {
	words := ""
	if err := safely(body); err != nil {
		words = err.Error()
	}
	row, _ := json.Marshal(map[string]string{"feature": feature, "name": name, "error": words})
	fmt.Println(string(row))
}

func safely(body func() error) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("panic: %v", broken)
		}
	}()
	return body()
}

func finish() {
	fmt.Println(`{"outside": []}`)
	os.Exit(0)
}

func until(what string, holds func() bool) error {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return nil
		}
	}
	return errors.New("timed out while waiting for: " + what)
}

type level struct{ price, quantity float64 }

type levels map[string]string

func (side levels) set(price, quantity string) {
	if number(quantity) == 0 {
		delete(side, price)
	} else {
		side[price] = quantity
	}
}

func number(text string) float64 {
	value, _ := strconv.ParseFloat(text, 64)
	return value
}

// best returns the best levels of a side, as numbers.
func (side levels) best(isBid bool) []level {
	all := make([]level, 0, len(side))
	for price, quantity := range side {
		all = append(all, level{number(price), number(quantity)})
	}
	sort.Slice(all, func(a, b int) bool { return (all[a].price > all[b].price) == isBid })
	return all[:min(levelsMax, len(all))]
}

type update struct {
	first, last, before int64
	bids, asks          levels
}

type book struct {
	lock       sync.Mutex
	bids, asks levels
	last       int64
	waiting    []update
	isStarted  bool
	isFirst    bool
	fault      string
}

func (kept *book) take(one update) {
	kept.lock.Lock()
	defer kept.lock.Unlock()
	if !kept.isStarted {
		kept.waiting = append(kept.waiting, one)
		return
	}
	kept.apply(one)
}

func (kept *book) apply(one update) {
	if kept.isFirst && one.last <= kept.last {
		return
	}
	if kept.isFirst && one.first > kept.last+1 {
		kept.fault = fmt.Sprintf("the first update begins at %d, but the snapshot ends at %d", one.first, kept.last)
	}
	if !kept.isFirst && one.before != kept.last {
		kept.fault = fmt.Sprintf("an update follows %d, not %d", one.before, kept.last)
	}
	kept.isFirst = false
	kept.last = one.last
	for price, quantity := range one.bids {
		kept.bids.set(price, quantity)
	}
	for price, quantity := range one.asks {
		kept.asks.set(price, quantity)
	}
}

// start loads the depth route's book and applies the queued updates.
func (kept *book) start(last int64, bids, asks levels) {
	kept.lock.Lock()
	defer kept.lock.Unlock()
	kept.last, kept.bids, kept.asks = last, bids, asks
	kept.isStarted, kept.isFirst = true, true
	for _, one := range kept.waiting {
		kept.apply(one)
	}
}

// same compares with the venue until the books were equal at enough different moments.
func (kept *book) same(venue func() (int64, levels, levels, error)) error {
	moments := map[int64]bool{}
	end := time.Now().Add(bookSeconds * time.Second)
	for ; len(moments) < sameBooks; time.Sleep(400 * time.Millisecond) {
		kept.lock.Lock()
		ours := fmt.Sprint(kept.bids.best(true), kept.asks.best(false))
		fault := kept.fault
		kept.lock.Unlock()
		if fault != "" {
			return errors.New(fault)
		}
		last, bids, asks, err := venue()
		if err != nil {
			return err
		}
		if ours == fmt.Sprint(bids.best(true), asks.best(false)) {
			moments[last] = true
		}
		if time.Now().After(end) {
			return fmt.Errorf("the books were equal at only %d moments", len(moments))
		}
	}
	return nil
}
