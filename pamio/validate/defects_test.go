package validate

import (
	"slices"
	"strings"
	"testing"
)

// These are inputs that other validators are known to get wrong: to crash on, to accept, or to
// refuse without a reason.

func expect(t *testing.T, target Target, o Options, verdict Verdict, want ...string) Report {
	t.Helper()
	r, found := run(t, target, o)
	if got := ids(found); !slices.Equal(got, slices.Sorted(slices.Values(want))) || r.Verdict() != verdict {
		t.Errorf("%v with %v, want %v with %v", r.Verdict(), got, verdict, want)
		for _, f := range found {
			t.Log(f)
		}
	}
	return r
}

func TestChecksumIsOverTheJSONAsWritten(t *testing.T) {
	t.Run("offsets and fractions of times are not rewritten", func(t *testing.T) {
		f := newFixture(t)
		f.set(storeFile, "/memories/0/temporal/created_at", "2026-01-02T10:00:00+00:00")
		f.set(storeFile, "/memories/1/temporal/updated_at", "2026-01-04T10:00:00.123Z")
		expect(t, f.bundle(), Options{Strict: true}, Valid)
	})
	t.Run("defaults are not added", func(t *testing.T) {
		f := newFixture(t)
		f.del(storeFile, "/memories/0/status")
		f.del(storeFile, "/memories/0/tags")
		f.del(storeFile, "/memories/0/access/shared_with")
		expect(t, f.bundle(), Options{Strict: true}, Valid)
	})
	t.Run("nulls count", func(t *testing.T) {
		f := newFixture(t)
		f.set(storeFile, "/memories/0/summary", nil)
		expect(t, f.bundle(), Options{Strict: true}, Valid)
		f.open = true // as a tool that drops nulls and keeps the checksum
		f.del(storeFile, "/memories/0/summary")
		expect(t, f.bundle(), Options{}, Invalid, "integrity-checksum")
	})
	t.Run("order in the file does not count", func(t *testing.T) {
		f := newFixture(t)
		reverse(f)
		expect(t, f.bundle(), Options{Strict: true, Budget: 1}, Valid)
	})
}

func TestProviderExportIsNoPAMDocument(t *testing.T) {
	f := newFixture(t)
	f.write("conversations.json", `[{"title":"x","mapping":{}},{"title":"y","mapping":{}}]`)
	r := expect(t, f.file("conversations.json"), Options{}, Unusable, "document-unknown")
	if r.Verdict().Exit() != 2 {
		t.Errorf("exit code %d, want 2", r.Verdict().Exit())
	}
}

func TestLocalTimesAreComparedAsUTC(t *testing.T) {
	f := newFixture(t)
	f.set(storeFile, "/memories/0/temporal/created_at", "2026-01-02T10:00:00")
	f.set(storeFile, "/memories/0/temporal/updated_at", "2026-01-02T10:00:01Z")
	expect(t, f.bundle(), Options{}, Valid, "format-date-offset")
	f.set(storeFile, "/memories/0/temporal/updated_at", "2026-01-02T09:59:59Z")
	expect(t, f.bundle(), Options{}, Invalid, "format-date-offset", "temporal-order")
}

func TestLeapSecondIsATime(t *testing.T) {
	f := newFixture(t)
	f.set(storeFile, "/memories/0/temporal/created_at", "2016-12-31T23:59:60Z")
	expect(t, f.bundle(), Options{Strict: true}, Valid)
}

func TestIntegerBeyondDoublesInAMemoryIsReported(t *testing.T) {
	f := newFixture(t)
	f.replace(storeFile, `"score": 7`, `"score": 9007199254740993`)
	expect(t, f.bundle(), Options{}, Invalid, "integrity-uncanonicalizable")
}

func TestHugeExponentsCostNothing(t *testing.T) {
	f := newFixture(t)
	f.replace(storeFile, `"initial": 0.9`, `"initial": 1e999999999`)
	f.replace(storeFile, `"total_memories": 4`, `"total_memories": 4e-999999999`)
	expect(t, f.bundle(), Options{}, Invalid, "integrity-total", "integrity-uncanonicalizable", "json-number-range", "schema-range")
}

func TestEmbeddingsAloneAreChecked(t *testing.T) {
	f := newFixture(t)
	expect(t, f.file(embFile), Options{Strict: true}, Valid)
	f.set(embFile, "/embeddings/1/memory_id", "mem-a")
	f.set(embFile, "/embeddings/0/dimensions", 4)
	f.set(embFile, "/embeddings/1/id", "emb-1")
	expect(t, f.file(embFile), Options{}, Invalid, "embedding-dimensions", "embedding-memory-unique", "id-unique")
}

func TestCompanionFilesOfABundleAreOpened(t *testing.T) {
	f := newFixture(t)
	f.set(conv1, "/title", "Another")
	f.set(conv1, "/messages/2/id", "m2")
	f.files["conversations/extra.json"] = f.files[conv2]
	delete(f.files, conv2)
	f.set(storeFile, "/conversations_index/0/message_count", 9)
	expect(t, f.bundle(), Options{}, Invalid, "conversation-extra", "crossfile-message-count", "crossfile-title", "dag-unknown", "id-unique", "storage-missing")
	expect(t, f.bundle(), Options{SkipConversations: true}, Invalid, "conversation-extra", "storage-missing")
	expect(t, f.file(storeFile), Options{}, Valid)
}

func TestFindingsShowTheirIDsAndNobodysText(t *testing.T) {
	f := newFixture(t)
	f.set(storeFile, "/memories/0/content", "SECRET [/b] words")
	f.set(storeFile, "/memories/1/type", "SECRET type of memory")
	f.set(storeFile, "/memories/2/tags/0", "SECRET Tag")
	f.set(storeFile, "/memories/2/temporal/created_at", "SECRET day")
	f.set(conv1, "/title", "SECRET title")
	_, found := run(t, f.bundle(), Options{})
	if len(found) < 5 {
		t.Fatalf("found %v", found)
	}
	for _, v := range found {
		if !strings.HasSuffix(v.String(), " ["+v.ID+"]") {
			t.Errorf("%q does not show its id", v)
		}
		if strings.Contains(v.String(), "SECRET") {
			t.Errorf("%q shows text of the document", v)
		}
	}
}

func TestReportCountsChecksAndNotFindings(t *testing.T) {
	r := expect(t, newFixture(t).bundle(), Options{}, Valid)
	if r.Checks < 50 || r.Checks > len(Catalog()) || r.Evaluations < int64(r.Checks) || len(r.Counts) > 0 {
		t.Errorf("%+v", r)
	}
	f := newFixture(t)
	f.write(conv1, `{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"c","provider":{"name":"claude"},
		"temporal":{"created_at":"2026-01-02T09:00:00Z"},"messages":[]}`)
	small, _ := run(t, f.file(conv1), Options{})
	if small.Checks >= r.Checks || small.Counts["content-hash"] != 0 {
		t.Errorf("a conversation takes %d checks, a bundle %d", small.Checks, r.Checks)
	}
}

func TestFolderWithoutStoreIsUnusable(t *testing.T) {
	f := newFixture(t)
	delete(f.files, storeFile)
	expect(t, f.bundle(), Options{}, Unusable, "bundle-store-missing")
	f.write("not-pam.json", `{"hello":"there"}`)
	expect(t, f.file("not-pam.json"), Options{}, Unusable, "document-unknown")
}

func TestWrongTypesAreNotGuessedRight(t *testing.T) {
	f := newFixture(t)
	f.set(conv1, "/is_archived", "yes")
	f.set(storeFile, "/integrity/total_memories", "4")
	f.set(storeFile, "/memories/0/temporal/created_at", 1700000000)
	f.set(storeFile, "/relations/0/from_", "mem-c")
	f.del(storeFile, "/relations/0/from")
	expect(t, f.bundle(), Options{}, Invalid, "schema-required", "schema-type", "schema-unknown-field")
}

func TestNaNInAVectorIsReported(t *testing.T) {
	f := newFixture(t)
	f.replace(embFile, "-0.25", "NaN")
	expect(t, f.bundle(), Options{}, Invalid, "json-nonfinite")
}
