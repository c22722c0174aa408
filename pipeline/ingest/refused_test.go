package ingest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/stagetest"
)

func TestADropMayBeHeldBackByItsSizeAndItsImporters(t *testing.T) {
	r := stagetest.New(t)
	drop := r.PutDrop(t, stagetest.TalksZip(t, 2))
	heavy, closed := errors.New("heavy"), errors.New("closed")
	var size int64
	r.Ingest.Admit = func(importers []string) error {
		if len(importers) != 1 || !strings.HasPrefix(importers[0], "chatgpt") {
			t.Errorf("importers %v", importers)
		}
		return closed
	}
	if _, err := r.Read(t.Context(), drop); !errors.Is(err, closed) {
		t.Errorf("%v", err)
	}
	r.Ingest.Weigh = func(n int64) error { size = n; return heavy }
	if _, err := r.Read(t.Context(), drop); !errors.Is(err, heavy) || size != int64(len(stagetest.Talks(2))) {
		t.Errorf("%d bytes: %v", size, err)
	}
	if left := r.Data.Keys("owners/"); len(left) > 0 {
		t.Errorf("it has written %v", left)
	}
}

// A drop of which nothing can be kept is refused, and nothing of it stays.
func TestADropWithNothingInItIsRefusedAndLeavesNothing(t *testing.T) {
	for name, text := range map[string]string{
		"an empty list":          `[]`,
		"only what is no export": `{}`,
		"only broken units":      `[{"conversation_id":"c-1","title":"T","mapping":{"a":{"message":nonsense}}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			r := stagetest.New(t)
			_, err := r.Read(t.Context(), r.PutDrop(t, stagetest.Zip(t, map[string]string{"conversations.json": text})))
			if fault.Of(err) != fault.Permanent || fault.HintOf(err) == "" || name == "an empty list" && strings.Contains(fault.HintOf(err), "password") {
				t.Errorf("%v", err)
			}
			if left := r.Data.Keys("owners/"); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestAnUnknownImporterOrExtractorIsRefusedAtOnce(t *testing.T) {
	r := stagetest.New(t)
	drop := r.PutDrop(t, stagetest.TalksZip(t, 1))
	for _, req := range []ingest.Request{{Owner: owner, Drop: drop, Importer: "nobody"}, {Owner: owner, Drop: drop, Extractors: []string{"nothing"}}} {
		if _, err := ingest.Ingest(t.Context(), r.Ingest, req, nil); fault.Of(err) != fault.Permanent || !strings.Contains(err.Error(), "pamline version") {
			t.Errorf("%+v: %v", req, err)
		}
	}
}

// A person reads what is wrong and, by itself, what to do about it; the advice is not in the reason
// as well.
func TestADropThatCannotBeOpenedComesWithAdvice(t *testing.T) {
	for name, c := range map[string]struct{ data, advice string }{
		"an empty file":         {"", "download the export again"},
		"a zip that breaks off": {"PK\x03\x04 and no more", "download the export again"},
		"JSON that breaks off":  {`{"a":`, "damaged or incomplete"},
		"other JSON":            {`{"a":1}`, "as the provider sent it"},
		"a zip with a password": {encryptedZip, "unpack the archive with its password"},
	} {
		t.Run(name, func(t *testing.T) {
			r := stagetest.New(t)
			_, err := r.Read(t.Context(), r.PutDrop(t, []byte(c.data)))
			if fault.Of(err) != fault.Permanent || !strings.Contains(fault.HintOf(err), c.advice) {
				t.Fatalf("%v; advice %q", err, fault.HintOf(err))
			}
			if n := strings.Count(err.Error(), fault.HintOf(err)); n != 1 {
				t.Errorf("the advice stands %d times in %q", n, err)
			}
		})
	}
}

// An element beyond a limit is not damaged: the advice is to raise the limit.
func TestADropBeyondALimitComesWithTheAdviceToRaiseIt(t *testing.T) {
	for name, c := range map[string]struct{ data, advice string }{
		"too large": {`[{"conversation_id":"c-1","title":"` + strings.Repeat("x", 3<<20) + `","mapping":{}}]`, "limits.max_conversation"},
		"too deep":  {`[{"conversation_id":"c-1","title":"T","mapping":{},"x":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}]`, "limits.max_depth"},
	} {
		t.Run(name, func(t *testing.T) {
			r := stagetest.New(t)
			r.Ingest.Limits.MaxConversation = 1 << 20
			_, err := r.Read(t.Context(), r.PutDrop(t, stagetest.Zip(t, map[string]string{"conversations.json": c.data})))
			if fault.Of(err) != fault.Permanent || !strings.Contains(fault.HintOf(err), c.advice) {
				t.Errorf("%v; advice %q", err, fault.HintOf(err))
			}
		})
	}
}

func TestTheReasonOfARefusalCountsWhatCannotBeRead(t *testing.T) {
	for n, want := range map[int64]string{
		0: "without conversations",
		1: "the only element in it cannot be read: a.json: cut",
		7: "none of the 7 elements in it can be read; the first: a.json: cut",
	} {
		if got := (&ingest.NothingKeptError{Quarantined: n, First: "a.json: cut"}).Error(); !strings.Contains(got, want) {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// encryptedZip is a zip of one file that is encrypted with a password (zip -P): flag 1 is set.
const encryptedZip = "PK\x03\x04\x14\x00\x01\x00\x00\x00\x00\x00\x21\x00\x00\x00\x00\x00\x0e\x00\x00\x00\x02\x00\x00\x00\x05\x00\x00\x00a.txt0123456789abcd" +
	"PK\x01\x02\x14\x00\x14\x00\x01\x00\x00\x00\x00\x00\x21\x00\x00\x00\x00\x00\x0e\x00\x00\x00\x02\x00\x00\x00\x05\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00a.txt" +
	"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00\x33\x00\x00\x00\x31\x00\x00\x00\x00\x00"
