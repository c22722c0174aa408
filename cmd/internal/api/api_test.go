package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/cmd/internal/build"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/state"
)

// serve answers for folder, and announces itself in announced.
func serve(t *testing.T, h http.Handler, announced string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	forget, err := Announce(announced, strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := forget(); err != nil {
			t.Error(err)
		}
	})
}

func emptyStore(t *testing.T) blob.Store {
	t.Helper()
	s, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ended stores the receipt of an import of an owner; n makes its id.
func ended(t *testing.T, s blob.Store, owner string, n int) string {
	t.Helper()
	id := fmt.Sprintf("%08x%024x", n, n)
	body, err := json.Marshal(state.Receipt{V: 1, Import: id, Owner: owner, Drop: strings.Repeat("d", 64), State: state.StateDone})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), state.ReceiptKey(owner, id), strings.NewReader(string(body)), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	return id
}

func reader(s blob.Store, folder string, open bool) http.Handler {
	return gated(s, folder, Gate{Loopback: func() bool { return open }})
}

// gated is a service behind a gate.
func gated(s blob.Store, folder string, g Gate) http.Handler {
	r := &Reader{
		Store: s, Folder: folder, Build: build.Info{Pamline: "test"}, Gate: g,
		Catalog: func() *pipeline.Catalog { return pipeline.StorageCatalog(s) },
	}
	mux := http.NewServeMux()
	for pattern, h := range r.Routes() {
		mux.Handle(pattern, h)
	}
	return mux
}

func ask(h http.Handler, path string) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
	body, _ := io.ReadAll(w.Result().Body)
	return w.Code, string(body)
}

func TestTheServiceOfAFolderIsAsked(t *testing.T) {
	folder := t.TempDir()
	s := emptyStore(t)
	serve(t, reader(s, folder, true), folder)
	if list, err := Ask(t.Context(), folder, pipeline.Query{Owner: "me"}); err != nil || len(list.Imports) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Ask(t.Context(), link, pipeline.Query{}); err != nil {
		t.Errorf("through a link: %v", err)
	}
	if _, err := Ask(t.Context(), folder, pipeline.Query{Owner: "no&owner=x"}); err == nil || !errors.Is(err, pipeline.ErrQuery) || !strings.Contains(err.Error(), "not an owner id") {
		t.Errorf("a wrong owner: %v", err)
	}
}

func TestAllPagesAreAskedFor(t *testing.T) {
	folder := t.TempDir()
	s := emptyStore(t)
	const n = maxLimit + 5
	first := ended(t, s, "me", 0)
	whole, _, err := blob.ReadAll(t.Context(), s, state.ReceiptKey("me", first), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var more []blob.Item
	for i := 1; i < n; i++ {
		id := fmt.Sprintf("%032x", i)
		more = append(more, blob.Item{Key: state.ReceiptKey("me", id), Body: []byte(strings.Replace(string(whole), first, id, 1))})
	}
	if _, err := blob.PutAbsentAll(t.Context(), s, more); err != nil {
		t.Fatal(err)
	}
	serve(t, reader(s, folder, true), folder)
	for limit, want := range map[int]int{0: n, 3: 3, maxLimit + 2: maxLimit + 2} {
		list, err := Ask(t.Context(), folder, pipeline.Query{Limit: limit})
		seen := map[string]bool{}
		for _, one := range list.Imports {
			seen[one.Import] = true
		}
		if err != nil || len(list.Imports) != want || len(seen) != want || (list.Next == "") != (want == n) {
			t.Errorf("limit %d: %d imports, %d different, next %q, %v", limit, len(list.Imports), len(seen), list.Next, err)
		}
	}
}

func TestAnAddressLeftBehindIsNobody(t *testing.T) {
	for name, h := range map[string]http.Handler{
		"the service of another folder": reader(emptyStore(t), t.TempDir(), true),
		"another program":               http.NotFoundHandler(),
	} {
		folder := t.TempDir()
		serve(t, h, folder)
		if list, err := Ask(t.Context(), folder, pipeline.Query{}); !errors.Is(err, ErrNotRunning) {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	folder := t.TempDir()
	if _, err := Ask(t.Context(), folder, pipeline.Query{}); !errors.Is(err, ErrNotRunning) {
		t.Errorf("no address: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, addrFile), []byte("127.0.0.1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Ask(t.Context(), folder, pipeline.Query{}); !errors.Is(err, ErrNotRunning) {
		t.Errorf("nobody listens: %v", err)
	}
}

func TestQuestionsAndAnswers(t *testing.T) {
	s := emptyStore(t)
	hers, his := ended(t, s, "ann", 1), ended(t, s, "bob", 2)
	h := reader(s, "", true)
	for _, c := range []struct {
		path string
		code int
		has  string
		not  string
	}{
		{"/imports", 200, hers, "receipt.json\":"},
		{"/imports?owner=ann", 200, hers, his},
		{"/imports?owner=ann&state=refused", 200, `"imports":[]`, hers},
		{"/imports?owner=nobody", 200, `{"imports":[]}`, hers},
		{"/imports?id=" + hers[:8], 200, hers, his + `"`},
		{"/imports?limit=1", 200, `"next":"`, ""},
		{"/owners/ann/imports", 200, hers, his},
		{"/owners/nobody/imports", 200, `{"imports":[]}`, ""},
		{"/imports/" + his, 200, `"receipt":{"v":1`, ""},
		{"/imports/" + his + "?owner=bob", 200, `"status":{"import":"` + his, ""},
		{"/imports/" + his + "?owner=ann", 404, `"hint"`, "bob"},
		{"/imports/" + strings.Repeat("a", 32), 404, "there is no such import", ""},
		{"/version", 200, `"pamline":"test"`, ""},
		// What somebody might try.
		{"/imports?owner=..%2Fbob", 400, "not an owner id", his},
		{"/imports?owner=Ann", 400, `"error"`, ""},
		{"/imports?onwer=ann", 400, `no parameter`, hers},
		{"/imports?owner=ann&owner=bob", 400, "given twice", his},
		{"/imports?limit=0", 400, "from 1 to 1000", ""},
		{"/imports?limit=99999", 400, "from 1 to 1000", ""},
		{"/imports?limit=x", 400, "from 1 to 1000", ""},
		{"/imports?state=gone", 400, "use one of", ""},
		{"/imports?after=%21", 400, "after", ""},
		{"/imports?id=%2a", 400, "named by the digits", ""},
		{"/imports/..%2F..%2Fowners%2Fbob", 400, "32 digits", ""},
		{"/imports/" + strings.Repeat("%2e", 32), 400, "named by the digits", ""},
		{"/imports/" + strings.Repeat("%00", 32), 400, "named by the digits", ""},
		{"/owners/..%2Fbob/imports", 400, "not an owner id", his},
		{"/owners/bob%00/imports", 400, "not an owner id", his},
		{"/owners/%3e/imports", 400, "not an owner id", his},
	} {
		code, body := ask(h, c.path)
		if code != c.code || !strings.Contains(body, c.has) || c.not != "" && strings.Contains(body, c.not) {
			t.Errorf("%s: %d %s\nwant %d with %q and without %q", c.path, code, body, c.code, c.has, c.not)
		}
		if !json.Valid([]byte(body)) {
			t.Errorf("%s: no JSON: %s", c.path, body)
		}
	}
}

func TestBeyondLoopbackNothingIsToldWithoutTheSetting(t *testing.T) {
	s := emptyStore(t)
	id := ended(t, s, "ann", 1)
	h := reader(s, "", false)
	for _, path := range []string{"/imports", "/imports/" + id, "/owners/ann/imports", "/version"} {
		if code, body := ask(h, path); code != http.StatusForbidden || !strings.Contains(body, "http.api") || strings.Contains(body, "ann") {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}

// broken is a store that is out.
type broken struct{ blob.Store }

func TestWhatGoesWrongInsideIsNotTold(t *testing.T) {
	s := emptyStore(t)
	if err := s.(io.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	code, body := ask(reader(broken{s}, "", true), "/imports")
	if code != http.StatusServiceUnavailable || !strings.Contains(body, "/readyz") || strings.Contains(body, os.TempDir()) {
		t.Errorf("%d %s", code, body)
	}
}
