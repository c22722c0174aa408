package api

import (
	"bytes"
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

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/status"
)

// tokenFile holds the token that the admin API of the service of a data folder asks for. Only those
// who can read the files of the folder know it.
const tokenFile = "http.token"

// tokenHeader carries the token. A web page cannot send a header of this name without asking first,
// and nobody answers that.
const tokenHeader = "Pamline-Token"

// maxRequest bounds the body of a request, in bytes.
const maxRequest = 1 << 20

// Admin is the part of a service's API that changes something. It is for commands on this machine:
// its token shows that they may read the service's data folder, which is all that a command without
// the service needs, too.
type Admin struct {
	token  string
	folder string
}

// OpenAdmin makes a new token and writes it into the data folder, readable by its user alone.
// remove removes it.
func OpenAdmin(folder string) (a *Admin, remove func() error, err error) {
	word := make([]byte, 32)
	if _, err := rand.Read(word); err != nil {
		return nil, nil, fmt.Errorf("make token of the service: %w", err)
	}
	a = &Admin{token: hex.EncodeToString(word), folder: folderID(folder)}
	path := filepath.Join(folder, tokenFile)
	// What a killed service left is replaced: it may have other permissions by now, or be a link.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("remove old token of the service: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("write token of the service: %w", err)
	}
	_, err = f.WriteString(a.token + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, nil, fmt.Errorf("write token of the service: %w", errors.Join(err, os.Remove(path)))
	}
	return a, func() error { return os.Remove(path) }, nil
}

// WrongRequestError is the error of a request that cannot be carried out as it is: the caller has
// to change it.
type WrongRequestError struct{ Err error }

func (e *WrongRequestError) Error() string { return e.Err.Error() }

func (e *WrongRequestError) Unwrap() error { return e.Err }

// answerWith answers requests of one path: it decodes the JSON body, and encodes what do returns.
// Everything that is wrong about the caller is answered in the same words.
func answerWith[In, Out any](a *Admin, do func(context.Context, In) (Out, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(folderHeader, a.folder)
		if !a.admits(r) {
			http.Error(w, "this is for commands of the person who runs the service, on the same machine", http.StatusForbidden)
			return
		}
		in, err := decodeRequest[In](http.MaxBytesReader(w, r.Body, maxRequest))
		var answer Out
		if err == nil {
			answer, err = do(r.Context(), in)
		}
		if err != nil {
			http.Error(w, err.Error(), statusOf(err))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer) // the client may be gone; nobody else wants to know
	})
}

func decodeRequest[In any](body io.Reader) (in In, err error) {
	text, err := io.ReadAll(body)
	if err != nil {
		return in, &WrongRequestError{fmt.Errorf("read request: %w", err)}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return in, &WrongRequestError{fmt.Errorf("decode request: %w: use a command of the same version as the service", err)}
	}
	return in, nil
}

// statusOf tells a wrong request from a failure. What is permanent is wrong for as long as nobody
// changes something.
func statusOf(err error) int {
	if wrong := (*WrongRequestError)(nil); errors.As(err, &wrong) || errors.Is(err, status.ErrQuery) || errors.Is(err, replay.ErrFilter) || fault.Of(err) == fault.Permanent {
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// admits requires the token, and what only a command sends.
func (a *Admin) admits(r *http.Request) bool {
	return a.knows(r) && r.Method == http.MethodPost && r.Header.Get("Content-Type") == "application/json"
}

// knows requires the token from a process on this machine, whatever address is listened on, and not
// from a web page. A nil Admin knows nobody.
func (a *Admin) knows(r *http.Request) bool {
	if a == nil {
		return false
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	ip := net.ParseIP(host)
	fromHere := err == nil && ip != nil && ip.IsLoopback()
	fromPage := r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
	known := subtle.ConstantTimeCompare([]byte(r.Header.Get(tokenHeader)), []byte(a.token)) == 1
	return known && fromHere && !fromPage
}
