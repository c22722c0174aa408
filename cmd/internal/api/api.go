// Package api is the read-only view of a running service for the status commands, on the service's own HTTP endpoint.
package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline"
)

// ErrNotRunning: no service answers for the data folder.
var ErrNotRunning = errors.New("no service is running")

// addrFile holds the address of the service that uses a data folder.
const addrFile = "http.addr"

// Announce writes the address of this process's endpoint into the data folder; forget removes it.
func Announce(folder, addr string) (forget func() error, err error) {
	path := filepath.Join(folder, addrFile)
	if err := os.WriteFile(path, []byte(addr+"\n"), 0o600); err != nil {
		return nil, fmt.Errorf("announce service: %w", err)
	}
	return func() error { return os.Remove(path) }, nil
}

// Live keeps the newest progress of each import that is being read.
type Live struct {
	mu   sync.Mutex
	last map[string]pipeline.Event
}

// Observe takes an event; it is a pipeline.Observe.
func (l *Live) Observe(e pipeline.Event) {
	if e.Import == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil {
		l.last = map[string]pipeline.Event{}
	}
	switch {
	case e.Stage == pipeline.StageDone:
		delete(l.last, e.Import)
	case e.Stage == pipeline.StageIngest:
		l.last[e.Import] = e
	}
}

// add fills in what the events tell. Before its manifest is written storage does not say which drop an import reads, and
// shows the drop as one that still waits.
func (l *Live) add(list []pipeline.Status) []pipeline.Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	begun := map[string]bool{}
	for i := range list {
		if e, ok := l.last[list[i].Import]; ok && list[i].Open() {
			list[i].BytesRead, list[i].BytesTotal = e.Bytes, e.Total
			list[i].Conversations = max(list[i].Conversations, e.Units)
			list[i].Drop = e.Drop
			begun[e.Owner+"/"+e.Drop] = true
		}
	}
	return slices.DeleteFunc(list, func(s pipeline.Status) bool { return s.Import == "" && begun[s.Owner+"/"+s.Drop] })
}

// folderHeader tells which data folder a service uses, by the digest of its path. The address in a data folder may be that
// of a service that was killed, and the port somebody else's by now.
const folderHeader = "Pamline-Data-Folder"

func folderID(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real // asked through a link it is the same folder
	}
	sum := sha256.Sum256([]byte(folder))
	return hex.EncodeToString(sum[:])
}

// Handler answers GET /imports?owner=ID with a JSON array of statuses. folder is the data folder of the service.
func Handler(folder string, s blob.Store, live *Live) http.Handler {
	id := folderID(folder)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(folderHeader, id)
		owner := r.URL.Query().Get("owner")
		if owner != "" {
			if err := pipeline.CheckOwner(owner); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		list, err := Statuses(r.Context(), s, owner)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		list = live.add(list)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(list) // the client may be gone; nobody else wants to know
	})
}

// Statuses are those of one owner, or of all with "".
func Statuses(ctx context.Context, s blob.Store, owner string) ([]pipeline.Status, error) {
	owners := []string{owner}
	if owner == "" {
		var err error
		if owners, err = pipeline.Owners(ctx, s); err != nil {
			return nil, err
		}
	} else if err := pipeline.CheckOwner(owner); err != nil {
		return nil, err
	}
	out := []pipeline.Status{}
	for _, o := range owners {
		list, err := pipeline.Imports(ctx, s, o)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// Ask asks the service that uses a data folder. ErrNotRunning: none does.
func Ask(ctx context.Context, folder, owner string) ([]pipeline.Status, error) {
	addr, err := os.ReadFile(filepath.Join(folder, addrFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNotRunning
	}
	if err != nil {
		return nil, fmt.Errorf("read address of the service: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+strings.TrimSpace(string(addr))+"/imports?owner="+url.QueryEscape(owner), nil)
	if err != nil {
		return nil, fmt.Errorf("ask service: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotRunning, err) // it was killed and left its address behind
	}
	defer resp.Body.Close()
	if resp.Header.Get(folderHeader) != folderID(folder) {
		return nil, fmt.Errorf("%w: its port answers for somebody else", ErrNotRunning)
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096)) // what cannot be read is missing from the message only
		return nil, fmt.Errorf("ask service: %s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	var list []pipeline.Status
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		return nil, fmt.Errorf("ask service: %w", err)
	}
	return list, nil
}
