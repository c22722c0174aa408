package validate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// faultyStore is a store of many batches, with elements larger than a batch and faults of each kind
// spread over it.
func faultyStore() []byte {
	var b bytes.Buffer
	b.WriteString(`{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"me"},"memories":[`)
	for i := range 1500 {
		content := fmt.Sprintf("User likes number %d. %s", i, strings.Repeat("It is a good number. ", 30))
		switch i {
		case 100:
			content = strings.Repeat("long ", 60<<10) // more than the text of a batch
		case 300:
			content = strings.Repeat("longer ", 160<<10) // held alone
		}
		hash, more, id, conversation := pamio.ContentHash(content), "", i, i/10
		switch i % 97 {
		case 1:
			hash = pamio.ContentHash("something else")
		case 2:
			more = `,"unknown":true`
		case 3:
			id = i - 1
		case 4:
			conversation = i
		case 5:
			more = `,"type":"fact"`
		case 6:
			more = `,"embedding_ref":""`
		}
		fmt.Fprintf(&b, `{"id":"%08x-0000-5000-8000-000000000000","type":"fact","content":%q,"content_hash":%q,"temporal":{"created_at":"2026-01-01T00:00:00Z"},`+
			`"provenance":{"platform":"chatgpt","conversation_ref":"c-%d"}%s},`, id, content, hash, conversation, more)
	}
	b.WriteString(`7],"relations":[`)
	for i := range 2000 {
		fmt.Fprintf(&b, `{"id":"r-%d","from":"%08x-0000-5000-8000-000000000000","to":"%08x-0000-5000-8000-000000000000","type":"related_to","created_at":"2026-01-01T00:00:00Z"},`,
			i%1999, i, 2*i)
	}
	b.WriteString(`{}],"conversations_index":[`)
	for i := range 150 {
		fmt.Fprintf(&b, `{"id":"c-%d","platform":"openai","temporal":{"created_at":"2026-01-01T00:00:00Z"},"derived_memories":[`, i)
		for k := range 9 {
			fmt.Fprintf(&b, `"%08x-0000-5000-8000-000000000000",`, 10*i+k)
		}
		fmt.Fprintf(&b, `"nothing"]},`)
	}
	b.WriteString(`{}],"integrity":{"canonicalization":"RFC8785","checksum":"sha256:` + strings.Repeat("0", 64) + `","total_memories":1}}`)
	return b.Bytes()
}

func TestFindingsDoNotDependOnTheNumberOfProcessors(t *testing.T) {
	text := faultyStore()
	target := Document("store", func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil })
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, most := range []int{0, 3} {
		runtime.GOMAXPROCS(1)
		report, found := run(t, target, Options{MaxFindings: most, Budget: 64 << 10})
		if len(report.Counts) < 10 {
			t.Fatalf("the store has only these faults: %v", report.Counts)
		}
		runtime.GOMAXPROCS(5)
		again, others := run(t, target, Options{MaxFindings: most, Budget: 64 << 10})
		if !reflect.DeepEqual(report, again) {
			t.Errorf("with more processors the report is %+v, with one %+v", again, report)
		}
		if !reflect.DeepEqual(found, others) {
			t.Error("with more processors there are other findings than with one, or in another order")
		}
	}
}

// breaking ends with an error after some bytes.
type breaking struct {
	io.Reader
	err error
}

func (b breaking) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = b.err
	}
	return n, err
}

func TestAReadErrorIsFoundBehindWhatWasReadBeforeIt(t *testing.T) {
	text := faultyStore()[:2<<20]
	target := Document("store", func() (io.ReadCloser, error) {
		return io.NopCloser(breaking{bytes.NewReader(text), errors.New("the disk is gone")}), nil
	})
	report, found := run(t, target, Options{})
	at := func(id string) int { return slices.IndexFunc(found, func(f Finding) bool { return f.ID == id }) }
	if report.Counts["content-hash"] < 4 || at("content-hash") > at("file-unreadable") {
		t.Errorf("content-hash stands at %d of the findings, file-unreadable at %d; report %+v", at("content-hash"), at("file-unreadable"), report)
	}
}

func TestAContextThatEndsStopsTheWalk(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	text := faultyStore()
	target := Document("store", func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(bytes.NewReader(text[:1<<20]), onRead(cancel), bytes.NewReader(text[1<<20:]))), nil
	})
	if _, err := Run(ctx, target, Options{Scratch: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

// onRead is an empty reader that calls a function.
type onRead func()

func (f onRead) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}
