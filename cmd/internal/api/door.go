package api

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// tokenFile holds the word that opens the door of the service that uses a data folder. Only who can read the folder's
// files knows it.
const tokenFile = "http.token"

// tokenHeader carries it. A web page cannot send a header of this name without asking first, and nobody answers that.
const tokenHeader = "Pamline-Token"

// maxAsk bounds what a command may send.
const maxAsk = 1 << 20

// Door lets commands on this machine change something through a running service. Whoever comes through it has shown that
// they may read the service's data folder, which is all that a command without the service needs, too.
type Door struct {
	token  string
	folder string
}

// OpenDoor makes a new token and writes it into the data folder, for its user alone; remove takes it away again.
func OpenDoor(folder string) (d *Door, remove func() error, err error) {
	word := make([]byte, 32)
	if _, err := rand.Read(word); err != nil {
		return nil, nil, fmt.Errorf("make token of the service: %w", err)
	}
	d = &Door{token: hex.EncodeToString(word), folder: folderID(folder)}
	path := filepath.Join(folder, tokenFile)
	// What a killed service left is not written over: it may have got other permissions, or be a link.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("remove old token of the service: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("write token of the service: %w", err)
	}
	_, err = f.WriteString(d.token + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, nil, fmt.Errorf("write token of the service: %w", errors.Join(err, os.Remove(path)))
	}
	return d, func() error { return os.Remove(path) }, nil
}

// WrongAskError is what a handler returns for an ask that cannot be carried out as it is: the caller has to change it.
type WrongAskError struct{ Err error }

func (e *WrongAskError) Error() string { return e.Err.Error() }

func (e *WrongAskError) Unwrap() error { return e.Err }

// Post answers a POST of a JSON body with what do gives, as JSON. Register it with its method and path:
// "POST /replay". Everything that is wrong about who asks is answered in the same words.
func (d *Door) Post(do func(ctx context.Context, body []byte) (answer any, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(folderHeader, d.folder)
		if !d.admits(r) {
			http.Error(w, "this is for commands of the person who runs the service, on the same machine", http.StatusForbidden)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAsk))
		if err != nil {
			http.Error(w, fmt.Sprintf("read request: %v", err), http.StatusBadRequest)
			return
		}
		answer, err := do(r.Context(), body)
		if wrong := (*WrongAskError)(nil); errors.As(err, &wrong) {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer) // the client may be gone; nobody else wants to know
	})
}

// admits wants what knows does, and what only a command sends.
func (d *Door) admits(r *http.Request) bool {
	return d.knows(r) && r.Method == http.MethodPost && r.Header.Get("Content-Type") == "application/json"
}

// knows wants the token, somebody on this machine, whatever address is listened on, and no web page. No door knows nobody.
func (d *Door) knows(r *http.Request) bool {
	if d == nil {
		return false
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	ip := net.ParseIP(host)
	fromHere := err == nil && ip != nil && ip.IsLoopback()
	fromPage := r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
	known := subtle.ConstantTimeCompare([]byte(r.Header.Get(tokenHeader)), []byte(d.token)) == 1
	return known && fromHere && !fromPage
}
