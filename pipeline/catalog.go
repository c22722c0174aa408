package pipeline

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// Catalog lists imports with their state. It writes nothing.
type Catalog struct {
	store blob.Store
	// board has progress; nil: there is none.
	board board
	// whole: the board has all imports of late, so that storage need not be listed for everybody's.
	whole bool
}

// StorageCatalog knows what storage tells.
func StorageCatalog(s blob.Store) *Catalog { return &Catalog{store: s} }

// ClusterCatalog knows what a cluster tells, too. Of all owners together it lists the imports of the last thirty days, of
// one owner all.
func ClusterCatalog(s blob.Store, js jetstream.JetStream) *Catalog {
	return &Catalog{store: s, board: bucketBoard{js}, whole: true}
}

// VisitCluster connects to a cluster to look at it, and makes nothing there. leave ends the connection.
func VisitCluster(ctx context.Context, s blob.Store, o NATSOptions) (c *Catalog, leave func(), err error) {
	nc, err := ConnectNATS(o)
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(nc)
	if err == nil {
		_, err = js.KeyValue(ctx, BucketImports)
	}
	if err != nil {
		nc.Close()
		return nil, nil, fmt.Errorf("open bucket %s: %w", BucketImports, err)
	}
	return ClusterCatalog(s, js), nc.Close, nil
}

// Query says which imports are meant.
type Query struct {
	Owner string // "": everybody's
	State string // "": in any
	// Import is the beginning of an id.
	Import string
	// Limit bounds the answer; 0: all.
	Limit int
	// After is the Next of the answer before.
	After string
}

// Listed is one page: open imports first, then those that ended last. Next is "" on the last one.
type Listed struct {
	Imports []Status `json:"imports"`
	Next    string   `json:"next,omitempty"`
}

// ErrQuery: a query is not one that can be answered.
var ErrQuery = errors.New("wrong query")

// place is where an import stands in the list.
type place struct {
	Ended  bool   `json:"e,omitempty"`
	At     int64  `json:"t"` // ms since 1970
	Owner  string `json:"o"`
	Import string `json:"i,omitempty"`
	Drop   string `json:"d,omitempty"`
}

func (a place) compare(b place) int {
	if a.Ended != b.Ended {
		if b.Ended {
			return -1
		}
		return 1
	}
	return cmp.Or(-cmp.Compare(a.At, b.At), cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Import, b.Import), cmp.Compare(a.Drop, b.Drop))
}

// entry is an import whose status may not have been read yet.
type entry struct {
	place
	status *Status
	// request is the record of one that nobody has opened yet; nil for an import.
	request *openRequest
}

// List gives a page of imports. A storage that is listed for all owners is listed as a whole.
func (c *Catalog) List(ctx context.Context, q Query) (Listed, error) {
	p, err := q.start()
	if err != nil {
		return Listed{}, err
	}
	if c.whole && q.Owner == "" {
		err = c.told(ctx, q, p)
	} else {
		err = c.stored(ctx, q, p)
	}
	if err != nil {
		return Listed{}, err
	}
	out := Listed{Imports: []Status{}}
	list := p.sorted()
	for i, e := range list {
		if q.Limit > 0 && i == q.Limit {
			out.Next = list[i-1].token()
			break
		}
		if e.status == nil {
			if e.status, err = c.status(ctx, e.place); err != nil {
				return out, err
			}
		}
		if e.request != nil {
			if _, _, err := stillOpen(ctx, c.store, *e.request); fault.Of(err) == fault.Permanent {
				e.status.Unusable = fault.Loggable(err)
			} else if err != nil {
				return out, err
			}
		}
		if e.status != nil { // else it has gone
			out.Imports = append(out.Imports, *e.status)
		}
	}
	return out, c.replaced(ctx, out.Imports)
}

func (q Query) start() (*page, error) {
	p := &page{limit: q.Limit}
	if q.Owner != "" {
		if err := state.CheckOwner(q.Owner); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrQuery, err)
		}
	}
	if strings.Trim(q.Import, "0123456789abcdef") != "" || len(q.Import) > 64 {
		return nil, fmt.Errorf("%w: an import is named by the digits 0 to 9 and a to f", ErrQuery)
	}
	states := []string{"", "open", StateWaiting, StateReading, StateExtracting, StateAssembling, state.StateDone, state.StateLosses, state.StateRefused, state.StateFailed, StateUnreadable}
	if !slices.Contains(states, q.State) {
		return nil, fmt.Errorf("%w: there is no state %q: use one of %s", ErrQuery, q.State, strings.Join(states[1:], ", "))
	}
	if q.Limit < 0 {
		return nil, fmt.Errorf("%w: a limit is at least 0, which is none", ErrQuery)
	}
	if q.After == "" {
		return p, nil
	}
	body, err := base64.RawURLEncoding.DecodeString(q.After)
	if err == nil {
		err = json.Unmarshal(body, &p.after)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: after is not what an answer gave as next", ErrQuery)
	}
	p.follows = true
	return p, nil
}

func (e entry) token() string {
	body, _ := json.Marshal(e.place) // numbers and strings
	return base64.RawURLEncoding.EncodeToString(body)
}

// wants tells whether a status is in a state that is asked for.
func (q Query) wants(s Status) bool {
	return q.State == "" || q.State == s.State || q.State == "open" && s.Open()
}

// page keeps the first limit+1 places after another.
type page struct {
	limit   int
	follows bool
	after   place
	list    []entry // a heap, the last place on top
}

func (p *page) Len() int           { return len(p.list) }
func (p *page) Less(i, j int) bool { return p.list[i].compare(p.list[j].place) > 0 }
func (p *page) Swap(i, j int)      { p.list[i], p.list[j] = p.list[j], p.list[i] }
func (p *page) Push(x any)         { p.list = append(p.list, x.(entry)) }
func (p *page) Pop() any {
	last := p.list[len(p.list)-1]
	p.list = p.list[:len(p.list)-1]
	return last
}

func (p *page) Add(e entry) {
	if p.follows && e.compare(p.after) <= 0 {
		return
	}
	heap.Push(p, e)
	if p.limit > 0 && len(p.list) > p.limit+1 {
		heap.Pop(p)
	}
}

func (p *page) sorted() []entry {
	slices.SortFunc(p.list, func(a, b entry) int { return a.compare(b.place) })
	return p.list
}

// status reads that of an import; nil when it has gone.
func (c *Catalog) status(ctx context.Context, at place) (*Status, error) {
	st, err := ImportStatus(ctx, c.store, at.Owner, at.Import)
	if state.IsMissing(err) {
		return nil, nil
	}
	if fault.Of(err) == fault.Permanent {
		st.unreadable(err)
	} else if err != nil {
		return nil, err
	}
	if at.At != 0 {
		st.UpdatedAt = stamp(time.UnixMilli(at.At))
	}
	if c.board != nil {
		for p, err := range c.board.each(ctx, at.Owner, at.Import) {
			if err != nil {
				break // what helps is missing; what is true is there
			}
			st.overlay(p)
		}
	}
	return &st, nil
}
