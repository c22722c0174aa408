package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/pamline/pamline/cmd/internal/build"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// How many imports an answer has, when nobody says, and at most.
const (
	defaultLimit = 100
	maxLimit     = 1000
)

// Reader answers questions about imports. It changes nothing.
type Reader struct {
	Imports func() pipeline.Viewer
	Build   build.Info
	// Folder is the data folder of a service, "" for a worker.
	Folder string
	// Gate decides who is answered.
	Gate Gate
}

// Routes are the patterns of [http.ServeMux] with what answers them.
func (r *Reader) Routes() map[string]http.Handler {
	routes := map[string]http.Handler{}
	for pattern, answer := range map[string]func(*http.Request) (any, error){
		"GET /imports":                r.list,
		"GET /imports/{id}":           r.one,
		"GET /owners/{owner}/imports": r.ofOwner,
		"GET /version":                func(*http.Request) (any, error) { return r.Build, nil },
	} {
		routes[pattern] = r.handler(answer)
	}
	return routes
}

// problem is the body of every answer that is not what was asked for.
type problem struct {
	Error string `json:"error"`
	Hint  string `json:"hint,omitempty"`
	code  int
}

func (p *problem) say(w http.ResponseWriter) {
	w.WriteHeader(p.code)
	_ = json.NewEncoder(w).Encode(p) // the client may be gone; nobody else wants to know
}

func (r *Reader) handler(answer func(*http.Request) (any, error)) http.Handler {
	id := ""
	if r.Folder != "" {
		id = folderID(r.Folder)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		if id != "" {
			h.Set(folderHeader, id)
		}
		if p := r.Gate.refuses(req); p != nil {
			if p.code == http.StatusUnauthorized {
				h.Set("WWW-Authenticate", "Bearer")
			}
			p.say(w)
			return
		}
		v, err := answer(req)
		if err != nil {
			explain(err).say(w)
			return
		}
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		_ = e.Encode(v) // as above
	})
}

// explain turns an error into an answer. What went wrong inside is not told to whoever asks: it may
// name places.
func explain(err error) *problem {
	switch {
	case errors.Is(err, status.ErrQuery):
		return &problem{err.Error(), "docs/api.md has the questions that are answered", http.StatusBadRequest}
	case errors.Is(err, status.ErrNoImport):
		return &problem{err.Error(), "GET /imports lists those there are", http.StatusNotFound}
	}
	return &problem{"the store or NATS does not answer", "GET /readyz says what is out", http.StatusServiceUnavailable}
}

func queryErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", status.ErrQuery, fmt.Sprintf(format, args...))
}

// parseQuery reads the parameters of a list. One that is not known is refused: a misspelt owner=
// would show everybody's.
func parseQuery(req *http.Request, known ...string) (q status.Query, err error) {
	q.Limit = defaultLimit
	for name, values := range req.URL.Query() {
		ok := false
		for _, k := range known {
			ok = ok || k == name
		}
		if !ok || len(values) > 1 {
			return q, queryErrorf("there is no parameter %q, or it is given twice: use %s", name, strings.Join(known, ", "))
		}
		switch v := values[0]; name {
		case "owner":
			q.Owner = v
		case "state":
			q.State = v
		case "id":
			q.ID = v
		case "older":
			if q.Older, err = strconv.ParseBool(v); err != nil {
				return q, queryErrorf("older is true or false")
			}
		case "after":
			q.After = v
		case "limit":
			if q.Limit, err = strconv.Atoi(v); err != nil || q.Limit < 1 || q.Limit > maxLimit {
				return q, queryErrorf("limit is a number from 1 to %d", maxLimit)
			}
		}
	}
	return q, nil
}

func (r *Reader) list(req *http.Request) (any, error) {
	q, err := parseQuery(req, "owner", "state", "id", "older", "limit", "after")
	if err != nil {
		return nil, err
	}
	return r.Imports().Imports(req.Context(), q)
}

func (r *Reader) ofOwner(req *http.Request) (any, error) {
	q, err := parseQuery(req, "state", "id", "older", "limit", "after")
	if err != nil {
		return nil, err
	}
	if q.Owner = req.PathValue("owner"); q.Owner == "" {
		return nil, queryErrorf("the path names no owner")
	}
	return r.Imports().Imports(req.Context(), q)
}

// whole is everything about one import.
type whole struct {
	Status status.Row `json:"status"`
	// Receipt is null while the import has not ended, or if it cannot be read.
	Receipt *state.Receipt `json:"receipt"`
}

func (r *Reader) one(req *http.Request) (any, error) {
	q, err := parseQuery(req, "owner")
	if err != nil {
		return nil, err
	}
	row, err := pipeline.FindImport(req.Context(), r.Imports(), q.Owner, req.PathValue("id"))
	if err != nil {
		return nil, err
	}
	out := whole{Status: row}
	if row.IsOpen() || row.State == status.StateUnreadable {
		return out, nil
	}
	receipt, err := r.Imports().Report(req.Context(), row.Ref(), row.Gen)
	if err != nil {
		return nil, err
	}
	out.Receipt = &receipt
	return out, nil
}
