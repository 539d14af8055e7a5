// A proxy between the engine and the venue that can lose reports and cut the connection.
package main

import (
	"bytes"
	"net"
	"os"
	"sync"
)

type proxy struct {
	lock     sync.Mutex
	lose     int
	isAway   bool
	ends     []net.Conn
	listener net.Listener
}

func newProxy() (*proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	one := &proxy{listener: listener}
	go one.serve()
	return one, nil
}

func (one *proxy) port() int { return one.listener.Addr().(*net.TCPAddr).Port }

func (one *proxy) loseReports(count int) {
	one.lock.Lock()
	defer one.lock.Unlock()
	one.lose = count
}

func (one *proxy) cut() {
	one.lock.Lock()
	defer one.lock.Unlock()
	for _, end := range one.ends {
		end.Close()
	}
}

// leave cuts the connection, and every new one until comeBack.
func (one *proxy) leave() {
	one.lock.Lock()
	one.isAway = true
	one.lock.Unlock()
	one.cut()
}

func (one *proxy) comeBack() {
	one.lock.Lock()
	defer one.lock.Unlock()
	one.isAway = false
}

func (one *proxy) away() bool {
	one.lock.Lock()
	defer one.lock.Unlock()
	return one.isAway
}

func (one *proxy) serve() {
	for {
		client, err := one.listener.Accept()
		if err != nil {
			return
		}
		if one.away() {
			client.Close()
			continue
		}
		venue, err := net.Dial("tcp", "127.0.0.1:"+os.Getenv("FIX_PORT"))
		if err != nil {
			client.Close()
			continue
		}
		one.lock.Lock()
		one.ends = []net.Conn{client, venue}
		one.lock.Unlock()
		go one.pump(client, venue, false)
		go one.pump(venue, client, true)
	}
}

func (one *proxy) pump(source, sink net.Conn, isVenue bool) {
	defer source.Close()
	defer sink.Close()
	chunk := make([]byte, 65536)
	var rest []byte
	for {
		count, err := source.Read(chunk)
		if err != nil {
			return
		}
		rest = append(rest, chunk[:count]...)
		if !isVenue {
			sink.Write(rest)
			rest = nil
			continue
		}
		for {
			at := bytes.Index(rest, []byte("\x0110="))
			if at < 0 || len(rest) < at+8 {
				break
			}
			if !one.loses(rest[:at]) {
				sink.Write(rest[:at+8])
			}
			rest = rest[at+8:]
		}
	}
}

func (one *proxy) loses(message []byte) bool {
	one.lock.Lock()
	defer one.lock.Unlock()
	if one.lose == 0 || !bytes.Contains(message, []byte("\x0135=8\x01")) {
		return false
	}
	one.lose--
	return true
}
