package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/status"
)

func TestWhatCannotBeMeasuredIsRefused(t *testing.T) {
	sound := plan{owners: 1, drops: 1, conversations: 1}
	for _, c := range []struct {
		change       func(*plan)
		workers, big string
		want         string
	}{
		{nil, "1,2,4", "5GB", ""},
		{nil, "1,,4", "0B", "-workers"},
		{nil, "0", "0B", "-workers"},
		{nil, "many", "0B", `"many" is not a number of workers`},
		{nil, "1", "5 lots", "-big"},
		{func(p *plan) { p.owners = 0 }, "1", "0B", "-owners"},
		{func(p *plan) { p.drops = -1 }, "1", "0B", "-drops"},
		{func(p *plan) { p.conversations = 0 }, "1", "0B", "-conversations"},
		{func(p *plan) { p.archive = -1 }, "1", "0B", "-archive"},
	} {
		p := sound
		if c.change != nil {
			c.change(&p)
		}
		err := p.read(c.workers, c.big)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("-workers %s -big %s %+v: %v", c.workers, c.big, p, err)
		}
		if err == nil && (len(p.workers) != 3 || p.big != 5e9) {
			t.Errorf("read as %+v", p)
		}
	}
}

// known is a run of 4 imports in 2 seconds.
func known() figures {
	return figures{
		imports: 4, wall: 2 * time.Second, messages: 48,
		cpu:      map[string]time.Duration{"ingest": 40 * time.Millisecond, "extract": 80 * time.Millisecond, "assemble": 120 * time.Millisecond, "nats": 20 * time.Millisecond, "s3": 200 * time.Millisecond},
		peak:     map[string]int64{"ingest": 75e6},
		delays:   []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 9 * time.Second},
		requests: map[string]int{"PUT": 60, "LIST": 2},
		queues:   map[string]uint64{dispatch.StreamExtract: 7},
	}
}

func TestAnArchiveIsTimedFromItsUploadToItsEnd(t *testing.T) {
	f := known()
	f.delays = []time.Duration{3 * time.Second}
	got := strings.Fields(bareRow(2, 6000, 6151, 369_500_000, f, 1500*time.Millisecond))
	if want := "2 6000 6151 369.5 3.00 1.50 2.00x"; strings.Join(got[:7], " ") != want {
		t.Errorf("the row is %q, want %q", got, want)
	}
}

func TestFiguresAreThoseOfOneImport(t *testing.T) {
	f := known()
	//  workers, seconds, imports/s, CPU, NATS and S3 in ms, messages, p50, p95, max
	want := []string{"2", "2.0", "2.0", "60.0", "5.0", "50.0", "12.0", "3.0", "9.0", "9.0"}
	if got := strings.Fields(f.row(2)); strings.Join(got[:len(want)], " ") != strings.Join(want, " ") {
		t.Errorf("got %v\nwant %v", got[:len(want)], want)
	}
	for _, want := range []string{"ingest 10.0 ms", "assemble 30.0 ms", "extract 7", "PUT 15.0", "LIST 0.5", "GET 0.0", "ingest 75 MB"} {
		if !strings.Contains(f.more(), want) {
			t.Errorf("no %q in %s", want, f.more())
		}
	}
	if got := (figures{}).delay(0.95); got != 0 {
		t.Errorf("without imports the delay is %v", got)
	}
	f.big, f.bigSize = 90*time.Second, 5e9
	if got := f.beside(2, 5e9); !strings.Contains(got, "4 small drops beside one of 5.0 GB, which took 90 s") || strings.Contains(f.beside(2, 0), "GB") {
		t.Error(got)
	}
}

func watched() *bench {
	return &bench{
		put: map[string]time.Time{}, ended: map[string]time.Time{}, begun: map[string]bool{}, f: figures{requests: map[string]int{}},
	}
}

func TestADropCountsOnceItsUploadAndItsEndAreKnown(t *testing.T) {
	b := watched()
	report := func(owner, drop string, ended bool) {
		b.told(status.Progress{Owner: owner, Drop: drop, Ended: ended})
	}
	b.dropped("a", "1")
	report("a", "1", false)
	if b.f.imports != 0 {
		t.Error("an import counts that has not ended")
	}
	report("a", "1", true)
	report("a", "1", true) // reported again
	report("b", "2", true)
	if b.f.imports != 1 {
		t.Errorf("%d imports", b.f.imports)
	}
	b.dropped("b", "2") // its end was heard of before its upload
	b.dropped(bigOwner, "3")
	report(bigOwner, "3", true)
	if b.f.imports != 2 || len(b.f.delays) != 2 || b.f.delays[1] != 0 || b.f.big <= 0 {
		t.Errorf("%d imports, delays %v, the large one %v", b.f.imports, b.f.delays, b.f.big)
	}
}

func TestListingsAreCountedByThemselves(t *testing.T) {
	b := watched()
	for _, path := range []string{"/pamline/a", "/pamline?list-type=2&prefix=inbox", "/pamline?prefix=a"} {
		b.observe(httptest.NewRequest(http.MethodGet, path, http.NoBody), 200)
	}
	b.observe(httptest.NewRequest(http.MethodPut, "/pamline/a", http.NoBody), 200)
	if r := b.f.requests; r["GET"] != 2 || r["LIST"] != 1 || r["PUT"] != 1 {
		t.Errorf("counted %v", r)
	}
}
