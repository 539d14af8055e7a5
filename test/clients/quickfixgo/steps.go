// Steps of the driver: each is one line of JSON, printed whether it passed or not. Also signed REST requests, with which
// the driver compares what it heard over FIX.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"
)

func step(name string, body func() error) {
	words := ""
	if err := body(); err != nil {
		words = err.Error()
	}
	row, _ := json.Marshal(map[string]string{"feature": "trading", "name": name, "error": words})
	fmt.Println(string(row))
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

// rest sends a signed request to the venue's REST interface and reads the answer.
func rest(method, path, params string, into any) error {
	query := fmt.Sprintf("symbol=CC-USDC&timestamp=%d%s", time.Now().UnixMilli(), params)
	sum := hmac.New(sha256.New, []byte(os.Getenv("SECRET")))
	sum.Write([]byte(query))
	address := os.Getenv("BASE") + path + "?" + query + "&signature=" + hex.EncodeToString(sum.Sum(nil))
	request, err := http.NewRequest(method, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("X-MBX-APIKEY", os.Getenv("KEY"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s answers %d", method, path, answer.StatusCode)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
