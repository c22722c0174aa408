package web

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// slowStore is a store some of whose objects are read when the test lets them.
type slowStore struct {
	mu     sync.Mutex
	gate   chan struct{} // closed when they may be read; nil if they may be read at once
	isSlow func(key string) bool
}

// hold makes readers of some objects wait from now on.
func (s *slowStore) hold(isSlow func(key string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate, s.isSlow = make(chan struct{}), isSlow
}

// release lets them go on.
func (s *slowStore) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gate != nil {
		close(s.gate)
		s.gate = nil
	}
}

func (s *slowStore) before(c statetest.Call) error {
	s.mu.Lock()
	gate := s.gate
	if gate != nil && (c.Op != "get" || !s.isSlow(c.Key)) {
		gate = nil
	}
	s.mu.Unlock()
	if gate != nil {
		<-gate
	}
	return nil
}

func isExport(key string) bool { return strings.Contains(key, "/exports/") }

// impatientWaits waits for nothing.
func impatientWaits() Patience { return Patience{Newer: 1, Index: 1, Count: 1, Work: 1} }

// serveSlow serves a page that waits for nothing, of a store that is not read until the test lets
// it.
func serveSlow(t *testing.T) (*site, *slowStore) {
	t.Helper()
	kept, slow := statetest.New(), &slowStore{}
	putStore(t, kept, "ann", "first words")
	slow.hold(isExport)
	s := serveStore(t, kept.View(slow.before, nil), 1<<20)
	t.Cleanup(slow.release) // also after a failure: the server waits for its requests
	s.o.Patience, s.shelves.patience = impatientWaits(), impatientWaits()
	return s, slow
}

// untilOpen asks again, as a browser does, while the answer says that the store is being opened.
func (v *visitor) untilOpen(path string) (code int, body string) {
	for {
		if code, body = v.get(path); code != http.StatusServiceUnavailable {
			return code, body
		}
	}
}

// storePages are pages that show what is in a store.
var storePages = []string{"conversations", "conversations/" + talkID, "memories", "memories/" + noteID, "review", "search?q=green", "timeline", "store", "store/render"}

func TestAPageOfAStoreThatIsBeingReadSaysSoAndReloads(t *testing.T) {
	s, slow := serveSlow(t)
	v := s.letIn(t, "ann")
	for _, path := range storePages {
		code, body, h := v.send(http.MethodGet, Base+path, "", nil)
		if code != http.StatusServiceUnavailable || h.Get("Retry-After") != "1" || !strings.Contains(body, "Your store is being opened") || !strings.Contains(body, `<meta http-equiv="refresh" content="1">`) {
			t.Errorf("%s: %d, Retry-After %q: %s", path, code, h.Get("Retry-After"), body)
		}
	}
	slow.release()
	for _, path := range storePages {
		if code, body := v.untilOpen(Base + path); code != http.StatusOK || strings.Contains(body, `http-equiv="refresh"`) && path != "store" {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}

// While a newer export is read, the one before is shown, and then the newer one.
func TestTheStoreBeforeIsShownWhileANewerOneIsRead(t *testing.T) {
	s, slow := serveSlow(t)
	v := s.letIn(t, "ann")
	slow.release()
	v.untilOpen(Base + "memories")
	head, _, err := state.ReadHead(t.Context(), s.store, "ann")
	if err != nil {
		t.Fatal(err)
	}
	first := state.ExportKey("ann", head.ExportID, ".json")
	slow.hold(func(key string) bool { return isExport(key) && key != first })
	putStore(t, s.store, "ann", "second text")
	if code, body := v.get(Base + "memories"); code != http.StatusOK || !strings.Contains(body, "first words") {
		t.Errorf("meanwhile: %d %s", code, body)
	}
	slow.release()
	for {
		code, body := v.get(Base + "memories")
		if code != http.StatusOK {
			t.Fatalf("afterwards: %d %s", code, body)
		}
		if strings.Contains(body, "second text") {
			break
		}
	}
}

func TestASearchSaysThatItsIndexIsBeingMade(t *testing.T) {
	s, slow := serveSlow(t)
	v := s.letIn(t, "ann")
	slow.release()
	v.untilOpen(Base + "memories")
	v.untilOpen(Base + "search?q=green")
	index := &s.shelves.of("ann").searching
	index.Lock() // as who brings it up to date does
	code, body, h := v.send(http.MethodGet, Base+"search?q=green", "", nil)
	index.Unlock()
	if code != http.StatusServiceUnavailable || h.Get("Retry-After") != "1" {
		t.Errorf("%d %s", code, body)
	}
	if code, body := v.untilOpen(Base + "search?q=green"); code != http.StatusOK || !strings.Contains(body, "<mark>green</mark>") {
		t.Errorf("%d %s", code, body)
	}
}

// A person who comes while the store is read need not do anything.
func TestABrowserReloadsUntilTheStoreIsOpen(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]bool{"with script": true, "without script": false} {
		t.Run(name, func(t *testing.T) {
			s, slow := serveSlow(t)
			tab := openTab(t, s.Page, s.URL, script)
			must := stepper(t)
			must(tab.Go(s.URL+Base+"memories"), tab.Until(says("Your store is being opened")))
			slow.release()
			must(tab.Until(says("Likes green tea")))
		})
	}
}

// What takes long runs beside the page, which says so and shows the result when it is there.
func TestALongWorkIsShownWhileItRuns(t *testing.T) {
	s, slow := serveSlow(t)
	v := s.letIn(t, "ann")
	slow.release()
	v.untilOpen(Base + "memories")
	slow.hold(func(key string) bool { return strings.Contains(key, "/conversations/") })
	code, body, _ := v.send(http.MethodPost, Base+"store/validate", "", nil)
	if code != http.StatusOK || !strings.Contains(body, "Validating…") || !strings.Contains(body, `http-equiv="refresh"`) {
		t.Errorf("%d %s", code, body)
	}
	slow.release()
	for !strings.Contains(body, "The store is not valid") {
		if code, body = v.get(Base + "store?checked=yes"); code != http.StatusOK {
			t.Fatalf("%d %s", code, body)
		}
	}
}

// Without patience of its own, a page has that which suits people.
func TestThePatienceOfAPageIsShort(t *testing.T) {
	p, err := New(Options{Store: statetest.New(), Client: idle{}, Scratch: t.TempDir(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.o.Patience; got != defaultPatience() || p.shelves.patience != got || got.Newer <= 0 || got.Newer >= 100*time.Millisecond {
		t.Errorf("%+v", got)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
