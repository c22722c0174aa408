package status

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/pipeline/state"
)

// ErrQuery is returned for a query that cannot be answered as it is. Its text says why.
var ErrQuery = errors.New("wrong query")

// ErrNoImport is returned if no import and no drop has an id.
var ErrNoImport = errors.New("there is no such import")

// StateOpen stands for all states of an import that has not ended in a Query.
const StateOpen = "open"

// MinID is how many digits of an id a prefix needs.
const MinID = 6

// Query selects rows. The zero Query selects all.
type Query struct {
	Owner string // "": all owners
	State string // one of States, StateOpen, or "" for all
	// ID is a prefix of the id of an import or a drop, of at least MinID digits.
	ID string
	// Older includes the older generations of each drop that were accepted, behind its newest.
	Older bool
	// Limit is the most drops of a page; 0: all.
	Limit int
	// After is the Next of the page before.
	After string
}

// Page is a part of a list: imports that have not ended first, then those that ended last. Next is
// "" on the last page. An import that changes while somebody pages may be missing from the pages,
// or be on two of them.
type Page struct {
	Imports []Row  `json:"imports"`
	Next    string `json:"next,omitempty"`
}

func (q Query) check() error {
	if q.Owner != "" {
		if err := state.CheckOwner(q.Owner); err != nil {
			return fmt.Errorf("%w: %w", ErrQuery, err)
		}
	}
	if q.ID != "" {
		if err := checkPrefix(q.ID); err != nil {
			return err
		}
	}
	if q.State != "" && q.State != StateOpen && !slices.Contains(States, q.State) {
		return fmt.Errorf("%w: there is no state %q: use %s, %s", ErrQuery, q.State, StateOpen, strings.Join(States, ", "))
	}
	if q.Limit < 0 {
		return fmt.Errorf("%w: a limit is at least 0, which means all", ErrQuery)
	}
	return nil
}

func checkPrefix(id string) error {
	if len(id) < MinID || len(id) > 64 || strings.Trim(id, "0123456789abcdef") != "" {
		return fmt.Errorf("%w: %q is no id: use at least %d of the digits 0 to 9 and a to f of an import or a drop", ErrQuery, id, MinID)
	}
	return nil
}

// wants tells whether a row is in a state that is asked for.
func (q Query) wants(r Row) bool {
	return q.State == "" || q.State == r.State || q.State == StateOpen && r.IsOpen()
}

// token encodes the place of a row for Page.Next.
func (p place) token() string {
	body, _ := json.Marshal(p) // numbers and strings
	return base64.RawURLEncoding.EncodeToString(body)
}

// cursor gives the place after which the page of a query begins; nil for the first page.
func (q Query) cursor() (*place, error) {
	if q.After == "" {
		return nil, nil
	}
	p := new(place)
	body, err := base64.RawURLEncoding.DecodeString(q.After)
	if err == nil {
		err = json.Unmarshal(body, p)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: after is not the next of an earlier answer", ErrQuery)
	}
	return p, nil
}
