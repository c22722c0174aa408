package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pamline/pamline/cmd/internal/exit"
)

// maxCall bounds a request of a client.
const maxCall = 8 << 20

// shortestToken is how many characters keep a token from being guessed.
const shortestToken = 20

// serveHTTP serves streamable HTTP until a signal comes. Only this machine can reach it, and only
// clients that know the token: any page that a browser shows can send requests to the loopback
// interface.
func (t *mcpTools) serveHTTP(a *app) error {
	token, err := t.token()
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	host, _, err := net.SplitHostPort(t.HTTP)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return exit.With(exit.Usage, fmt.Errorf("mcp: --http %s is no address of the loopback interface: use 127.0.0.1:PORT, and a proxy with TLS and a login in front of it for others", t.HTTP))
	}
	l, err := (&net.ListenConfig{}).Listen(a.ctx, "tcp", t.HTTP)
	if err != nil {
		return fmt.Errorf("serve MCP: %w", err)
	}
	server := &http.Server{Handler: t.handler(token), ReadHeaderTimeout: 10 * time.Second}
	a.say("MCP at http://%s/mcp", l.Addr())
	if t.TokenFile == "" {
		a.say("clients send this header: Authorization: Bearer %s", token)
	}
	stopped := make(chan error, 1)
	go func() {
		<-a.ctx.Done()
		patience, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), 2*time.Second)
		defer cancel()
		err := server.Shutdown(patience)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close() // clients keep streams open
		}
		stopped <- err
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve MCP: %w", err)
	}
	return <-stopped
}

// handler is the protocol behind its guards.
func (t *mcpTools) handler(token string) http.Handler {
	server := t.server()
	protocol := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{SessionTimeout: time.Hour})
	mux := http.NewServeMux()
	mux.Handle("/mcp", http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the token is missing or wrong: send Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxCall)
		protocol.ServeHTTP(w, r)
	})))
	return mux
}

// token is that of the file, or a new one.
func (t *mcpTools) token() (string, error) {
	if t.TokenFile == "" {
		return rand.Text(), nil
	}
	text, err := os.ReadFile(t.TokenFile)
	if err != nil {
		return "", fmt.Errorf("mcp: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < shortestToken || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("mcp: %s has no token of at least %d characters without spaces; this makes one: openssl rand -hex 32", t.TokenFile, shortestToken)
	}
	return token, nil
}
