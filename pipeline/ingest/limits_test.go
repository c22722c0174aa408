package ingest_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

// A conversation within the limit whose document is far larger than its source fails alone.
func TestAConversationNearTheLimitThatGrowsFailsAlone(t *testing.T) {
	var b strings.Builder
	b.WriteString(`[{"conversation_id":"c-9","title":"T","create_time":1700000000,"mapping":{"0":{"message":{"author":{"role":"assistant"},"recipient":"bio","content":{"content_type":"text","parts":["User keeps hens."]}}}`)
	for i := 1; i < 12000; i++ {
		fmt.Fprintf(&b, `,"%d":{"message":{"author":{"role":"user"},"recipient":"bio","content":{"content_type":"text","parts":["a"]}},"parent":"%d"}`, i, i-1)
	}
	b.WriteString("}}," + strings.TrimPrefix(stagetest.Talks(2), "["))
	r := stagetest.New(t)
	r.Ingest.Limits.MaxConversation = int64(b.Len())
	m := read(t, r, r.PutDrop(t, []byte(b.String())))
	if m.Counts.Conversations+m.Counts.Quarantined != 3 || m.Counts.Conversations < 2 {
		t.Errorf("%+v", m.Counts)
	}
}

type panicking struct{ providers.Importer }

func (panicking) Split(context.Context, providers.Claim, providers.Limits) iter.Seq2[providers.Unit, error] {
	return func(func(providers.Unit, error) bool) { panic("a fault in an importer") }
}

type panickingDecode struct{ providers.Importer }

func (panickingDecode) Decode(providers.Unit) ([]providers.Item, error) {
	panic("a fault in an importer")
}

func TestAPanicOfAnImporterIsAFailureOfItsDropOrUnit(t *testing.T) {
	imp, err := providers.Default().ByName("chatgpt")
	if err != nil {
		t.Fatal(err)
	}
	r := stagetest.New(t)
	drop := r.PutDrop(t, stagetest.TalksZip(t, 2))
	r.Ingest.Registry = providers.NewRegistry(panicking{imp})
	if _, err := r.Read(t.Context(), drop); err == nil || fault.Of(err) != fault.Unit {
		t.Errorf("splitting: %v", err)
	}
	r.Ingest.Registry = providers.NewRegistry(panickingDecode{imp})
	if _, err := r.Read(t.Context(), drop); fault.Of(err) != fault.Permanent || !strings.Contains(err.Error(), "none of the 2 elements") {
		t.Errorf("decoding: %v", err)
	}
}

// A drop of files none of which can be copied is refused, with a reason that a person can act on.
func TestADropOfFilesThatCannotBeCopiedIsRefused(t *testing.T) {
	r := notesRig(t)
	r.Ingest.Limits.MaxAsset = 1
	_, err := r.Read(t.Context(), r.PutDrop(t, stagetest.Zip(t, map[string]string{"files/a": "aaa"})))
	if fault.Of(err) != fault.Permanent || !strings.Contains(err.Error(), "files/a") || !strings.Contains(err.Error(), "max_asset") {
		t.Errorf("%v", err)
	}
	if text := fault.Loggable(err); strings.Contains(text, "files/a") {
		t.Errorf("a log has %q", text)
	}
	r = notesRig(t)
	if m := read(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": "[]", "files/a": "a"}))); m.Counts.Assets.Files != 1 || len(m.Shards) != 0 {
		t.Errorf("a drop of files alone: %+v", m.Counts)
	}
}

func TestARequestResolvesToAnImportThatWasReadInTheSameWay(t *testing.T) {
	r := stagetest.New(t)
	drop := r.PutDrop(t, stagetest.TalksZip(t, 1))
	m := read(t, r, drop)
	pin := m.Importers[0]
	for name, c := range map[string]struct {
		change     func(o *ingest.Options, req *ingest.Request)
		reads, may bool
	}{
		"the same":               {func(*ingest.Options, *ingest.Request) {}, true, true},
		"pinned":                 {func(_ *ingest.Options, r *ingest.Request) { r.Importer = pin }, false, true},
		"an unknown importer":    {func(_ *ingest.Options, r *ingest.Request) { r.Importer = "nobody" }, false, false},
		"another importer":       {func(_ *ingest.Options, r *ingest.Request) { r.Importer = "claude" }, false, false},
		"some extractors":        {func(_ *ingest.Options, r *ingest.Request) { r.Extractors = []string{"harvest"} }, false, false},
		"other limits on units":  {func(o *ingest.Options, _ *ingest.Request) { o.Limits.MaxDepth = 7 }, false, false},
		"with vectors":           {func(o *ingest.Options, _ *ingest.Request) { o.Embeddings = "v@2" }, false, false},
		"other archive limits":   {func(o *ingest.Options, _ *ingest.Request) { o.Limits.Archive.MaxMembers = 7 }, false, true},
		"pinned, other archives": {func(o *ingest.Options, r *ingest.Request) { o.Limits.Archive.MaxMembers, r.Importer = 7, pin }, false, true},
		"fewer importers":        {func(o *ingest.Options, _ *ingest.Request) { o.Registry = only(t, o.Registry, "chatgpt") }, false, true},
	} {
		o, req := r.Ingest, ingest.Request{Owner: owner, Drop: drop}
		c.change(&o, &req)
		reads, err1 := o.ReadsAs(m, req)
		may, err2 := o.MayRead(m.Import, m.Importers, req)
		if err1 != nil || err2 != nil || may != c.may || reads != c.reads {
			t.Errorf("%s: reads %v, may %v (%v, %v)", name, reads, may, err1, err2)
		}
	}
	if _, err := (ingest.Options{Registry: r.Ingest.Registry, Extractors: extract.NewRegistry()}).ReadsAs(state.Manifest{}, ingest.Request{Extractors: []string{"nothing"}}); fault.Of(err) != fault.Permanent {
		t.Errorf("an unknown extractor: %v", err)
	}
}

func only(t *testing.T, r *providers.Registry, name string) *providers.Registry {
	t.Helper()
	imp, err := r.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return providers.NewRegistry(imp)
}
