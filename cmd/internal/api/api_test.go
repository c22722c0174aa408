package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/build"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/jobtest"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// serve answers for folder, and announces itself in announced.
func serve(t *testing.T, h http.Handler, announced string) *httptest.Server {
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
	return server
}

// fake is a client whose work is done by a jobtest.World.
type fake struct {
	*jobtest.World
	pipeline.Viewer
}

func newFake(t *testing.T) fake {
	w := jobtest.New(t)
	return fake{w, pipeline.NewView(w.Store)}
}

// imported imports a drop of an owner, and returns its import.
func (f fake) imported(owner, file string) string {
	ref := f.Drop(owner, file)
	f.Import(ref, jobtest.Plan{Importers: []string{"chatgpt-importer/1"}, Shards: 1}, job.Want{})
	return jobtest.ImportID(ref, "chatgpt-importer/1")
}

func reader(v pipeline.Viewer, folder string, open bool) http.Handler {
	return gated(v, folder, Gate{Loopback: func() bool { return open }})
}

// gated is a service behind a gate.
func gated(v pipeline.Viewer, folder string, g Gate) http.Handler {
	r := &Reader{Imports: func() pipeline.Viewer { return v }, Folder: folder, Build: build.Info{Pamline: "test"}, Gate: g}
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

// service serves a client for a data folder, and returns the command's side of it.
func service(t *testing.T, c pipeline.Client, folder string) Client {
	t.Helper()
	a, _, err := OpenAdmin(folder)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	a.Serve(mux.Handle, c, "r1")
	serve(t, mux, folder)
	found, err := FindService(folder)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAServiceIsAClientLikeAnyOther(t *testing.T) {
	f := newFake(t)
	ctx, folder := t.Context(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	c := service(t, f, folder)
	c.folder = link // asked through a link, it is the same folder
	f.imported("ann", "hers.zip")
	refused := f.Drop("ann", "letter.txt")
	f.Plans[refused] = jobtest.Plan{Refuse: errors.New("it cannot be read")}
	asked, err := c.Ask(ctx, refused, job.Want{Importer: "claude"})
	if err != nil || asked.Gen != 1 {
		t.Fatalf("%+v, %v", asked, err)
	}
	record, err := c.Wait(ctx, refused, asked.Gen)
	if err != nil || record.Outcome != job.Refused || record.Want.Importer != "claude" {
		t.Fatalf("%+v, %v", record, err)
	}
	report, err := c.Report(ctx, refused, 1)
	if err != nil || report.State != state.StateRefused || !strings.Contains(report.Reason, "it cannot be read") {
		t.Errorf("%+v, %v", report, err)
	}
	list, err := c.Imports(ctx, status.Query{Owner: "ann", State: state.StateRefused})
	if err != nil || len(list.Imports) != 1 || list.Imports[0].Files[0] != "letter.txt" {
		t.Errorf("%+v, %v", list, err)
	}
	letters, err := c.DeadLetters(ctx, replay.Filter{Owner: "ann"})
	if err != nil || len(letters.Letters) != 1 || letters.Letters[0].Stage != "ingest" {
		t.Errorf("%+v, %v", letters, err)
	}
	f.Plans[refused] = jobtest.Plan{Shards: 1}
	if asked, err = c.Redrive(ctx, refused); err != nil || asked.Gen != 2 {
		t.Errorf("%+v, %v", asked, err)
	}
	if record, err = c.Wait(ctx, refused, 2); err != nil || record.Outcome != job.Done {
		t.Errorf("%+v, %v", record, err)
	}
}

func TestARequestThatIsWrongIsToldApartFromAFailure(t *testing.T) {
	f := newFake(t)
	c := service(t, f, t.TempDir())
	wrong := (*RefusedError)(nil)
	if _, err := c.Redrive(t.Context(), f.Drop("ann", "x.zip")); !errors.As(err, &wrong) || !wrong.Wrong {
		t.Errorf("a job that was never asked for: %v", err)
	}
	if _, err := c.Imports(t.Context(), status.Query{Owner: "no&owner=x"}); !errors.As(err, &wrong) || !wrong.Wrong || !strings.Contains(err.Error(), "not an owner id") {
		t.Errorf("a wrong owner: %v", err)
	}
}

// slow is a client whose work takes longer than a request to wait.
type slow struct {
	fake
	waits int
}

func (s *slow) Wait(ctx context.Context, ref job.Ref, gen int) (job.Record, error) {
	if s.waits++; s.waits < 3 {
		return job.Record{}, context.DeadlineExceeded
	}
	return s.fake.Wait(ctx, ref, gen)
}

func TestWaitingIsRepeatedUntilTheJobHasEnded(t *testing.T) {
	s := &slow{fake: newFake(t)}
	c := service(t, s, t.TempDir())
	ref := s.Drop("ann", "x.zip")
	asked, err := c.Ask(t.Context(), ref, job.Want{})
	if err != nil {
		t.Fatal(err)
	}
	if record, err := c.Wait(t.Context(), ref, asked.Gen); err != nil || record.State != job.Ended || s.waits != 3 {
		t.Errorf("%+v after %d requests, %v", record, s.waits, err)
	}
}

func TestAnAddressLeftBehindIsNobody(t *testing.T) {
	another := t.TempDir()
	a, _, err := OpenAdmin(another)
	if err != nil {
		t.Fatal(err)
	}
	other := http.NewServeMux()
	a.Serve(other.Handle, newFake(t), "r1")
	for name, h := range map[string]http.Handler{"the service of another folder": other, "another program": http.NotFoundHandler()} {
		folder := t.TempDir()
		if _, _, err := OpenAdmin(folder); err != nil {
			t.Fatal(err)
		}
		serve(t, h, folder)
		c, err := FindService(folder)
		if err == nil {
			_, err = c.Ping(t.Context())
		}
		if !errors.Is(err, ErrNotRunning) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestQuestionsAndAnswers(t *testing.T) {
	s := newFake(t)
	hers, his := s.imported("ann", "hers.zip"), s.imported("bob", "his.zip")
	h := reader(s, "", true)
	for _, c := range []struct {
		path string
		code int
		has  string
		not  string
	}{
		{"/imports", 200, hers, ""},
		{"/imports?owner=ann", 200, hers, his},
		{"/imports?owner=ann&state=refused", 200, `"imports":[]`, hers},
		{"/imports?owner=nobody", 200, `{"imports":[]}`, hers},
		{"/imports?id=" + hers[:8], 200, hers, his + `"`},
		{"/imports?limit=1", 200, `"next":"`, ""},
		{"/owners/ann/imports", 200, hers, his},
		{"/owners/nobody/imports", 200, `{"imports":[]}`, ""},
		{"/imports/" + his, 200, `"receipt":{"v":1`, ""},
		{"/imports/" + his + "?owner=bob", 200, `"status":{"owner":"bob"`, ""},
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
		{"/imports?state=gone", 400, "use open", ""},
		{"/imports?after=%21", 400, "after", ""},
		{"/imports?id=%2a", 400, "is no id", ""},
		{"/imports/..%2F..%2Fowners%2Fbob", 400, "is no id", ""},
		{"/imports/" + strings.Repeat("%2e", 32), 400, "is no id", ""},
		{"/imports/" + strings.Repeat("%00", 32), 400, "is no id", ""},
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
	s := newFake(t)
	id := s.imported("ann", "hers.zip")
	h := reader(s, "", false)
	for _, path := range []string{"/imports", "/imports/" + id, "/owners/ann/imports", "/version"} {
		if code, body := ask(h, path); code != http.StatusForbidden || !strings.Contains(body, "http.api") || strings.Contains(body, "ann") {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}

// broken is a store that is out.
type broken struct{ blob.Store }

func (broken) List(context.Context, string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		yield(blob.Object{}, errors.New("no route to "+os.TempDir()))
	}
}

func TestWhatGoesWrongInsideIsNotTold(t *testing.T) {
	code, body := ask(reader(pipeline.NewView(broken{newFake(t).Store}), "", true), "/imports")
	if code != http.StatusServiceUnavailable || !strings.Contains(body, "/readyz") || strings.Contains(body, os.TempDir()) {
		t.Errorf("%d %s", code, body)
	}
}
