package validate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// fault breaks one rule somewhere in a valid signed bundle. It says which checks must find it;
// others may find something, too.
type fault struct {
	name  string
	apply func(f *fixture, r *rand.Rand) []string
}

// pick is a random index of an array of a file.
func pick(f *fixture, r *rand.Rand, file, array string) string {
	return fmt.Sprint(r.IntN(len(f.get(file, array).([]any))))
}

func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// damage changes a memory and leaves checksum and signature as they are, as it happens to a
// finished store.
func damage(change func(f *fixture, at string, r *rand.Rand), want ...string) func(*fixture, *rand.Rand) []string {
	return func(f *fixture, r *rand.Rand) []string {
		f.open = true
		change(f, "/memories/"+pick(f, r, storeFile, "/memories"), r)
		return append([]string{"integrity-checksum", "signature-invalid"}, want...)
	}
}

var faults = []fault{
	{"content", damage(func(f *fixture, at string, r *rand.Rand) {
		f.set(storeFile, at+"/content", fmt.Sprint("Other words ", r.IntN(99)))
	}, "content-hash")},
	{"a field more", damage(func(f *fixture, at string, r *rand.Rand) { f.set(storeFile, at+"/summary", fmt.Sprint(r.IntN(99))) })},
	{"an unknown field", damage(func(f *fixture, at string, r *rand.Rand) { f.set(storeFile, at+"/x"+fmt.Sprint(r.IntN(9)), r.IntN(9)) }, "schema-unknown-field")},
	{"a missing field", damage(func(f *fixture, at string, r *rand.Rand) {
		f.del(storeFile, at+oneOf(r, "/type", "/content", "/content_hash", "/temporal", "/provenance"))
	}, "schema-required")},
	{"a wrong type", damage(func(f *fixture, at string, r *rand.Rand) {
		f.set(storeFile, at+oneOf(r, "/tags", "/temporal", "/provenance"), r.IntN(9))
	}, "schema-type")},
	{"an unknown status", damage(func(f *fixture, at string, r *rand.Rand) {
		f.set(storeFile, at+"/status", oneOf(r, "done", "Active", ""))
	}, "schema-enum")},
	{"a bad tag", damage(func(f *fixture, at string, r *rand.Rand) {
		f.set(storeFile, at+"/tags", []any{oneOf(r, "A", "a b", "ä", "-a")})
	}, "schema-pattern")},
	{"no time", damage(func(f *fixture, at string, r *rand.Rand) {
		f.set(storeFile, at+"/temporal/created_at", oneOf(r, "yesterday", "2026-13-01T00:00:00Z", "20260101", ""))
	}, "format-date-time")},
	{"the wrong order of times", damage(func(f *fixture, at string, r *rand.Rand) {
		f.set(storeFile, at+"/temporal/updated_at", fmt.Sprintf("19%02d-01-01T00:00:00Z", 10+r.IntN(80)))
	}, "temporal-order")},
	{"superseded by nothing", damage(func(f *fixture, at string, r *rand.Rand) {
		f.set(storeFile, at+"/temporal/superseded_by", fmt.Sprint("none-", r.IntN(9)))
	}, "xref-superseded")},
	{"an unknown conversation", damage(func(f *fixture, at string, r *rand.Rand) {
		f.set(storeFile, at+"/provenance/conversation_ref", fmt.Sprint("none-", r.IntN(9)))
	}, "xref-conversation")},
	{"a big integer", damageOpen("/metadata", map[string]any{"n": 9007199254740993}, "integrity-uncanonicalizable")},
	{"a memory less", func(f *fixture, r *rand.Rand) []string {
		f.open = true
		f.del(storeFile, "/memories/"+pick(f, r, storeFile, "/memories"))
		return []string{"integrity-checksum", "integrity-total", "signature-invalid"}
	}},
	{"a memory twice", func(f *fixture, r *rand.Rand) []string {
		f.open = true
		f.set(storeFile, "/memories/-", f.get(storeFile, "/memories/"+pick(f, r, storeFile, "/memories")))
		return []string{"id-unique", "integrity-total"}
	}},
	{"a covered field", func(f *fixture, r *rand.Rand) []string {
		f.set(storeFile, oneOf(r, "/export_id", "/owner/id"), fmt.Sprint("other-", r.IntN(99)))
		return []string{"signature-invalid"}
	}},
	{"another value", func(f *fixture, r *rand.Rand) []string {
		value := []byte(f.get(storeFile, "/signature/value").(string))
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		i := r.IntN(len(value))
		old := strings.IndexByte(alphabet, value[i])
		value[i] = alphabet[(old+1+r.IntN(len(alphabet)-1))%len(alphabet)]
		f.set(storeFile, "/signature/value", string(value))
		return []string{"signature-"} // any of its checks
	}},
	{"a relation to nowhere", func(f *fixture, r *rand.Rand) []string {
		f.set(storeFile, "/relations/"+pick(f, r, storeFile, "/relations")+oneOf(r, "/from", "/to"), fmt.Sprint("none-", r.IntN(9)))
		return []string{"xref-relation"}
	}},
	{"an index that lists another memory", func(f *fixture, r *rand.Rand) []string {
		f.set(storeFile, "/conversations_index/"+pick(f, r, storeFile, "/conversations_index")+"/derived_memories/-", fmt.Sprint("none-", r.IntN(9)))
		return []string{"xref-derived"}
	}},
	{"an index that lists nothing", func(f *fixture, r *rand.Rand) []string {
		f.set(storeFile, "/conversations_index/"+pick(f, r, storeFile, "/conversations_index")+"/derived_memories", []any{})
		return []string{"xref-bidirectional"}
	}},
	{"a missing file", func(f *fixture, r *rand.Rand) []string {
		delete(f.files, oneOf(r, conv1, conv2))
		return []string{"storage-missing"}
	}},
	{"a file outside", func(f *fixture, r *rand.Rand) []string {
		f.set(storeFile, "/conversations_index/"+pick(f, r, storeFile, "/conversations_index")+"/storage/ref", oneOf(r, "../x.json", "/etc/passwd", `a\b`, "C:/x"))
		return []string{"storage-escape"}
	}},
	{"a wrong count", func(f *fixture, r *rand.Rand) []string {
		f.set(storeFile, "/conversations_index/0/message_count", 50+r.IntN(9))
		return []string{"crossfile-message-count"}
	}},
	{"a parent that is not there", func(f *fixture, r *rand.Rand) []string {
		file := oneOf(r, conv1, conv2)
		f.set(file, "/messages/"+pick(f, r, file, "/messages")+"/parent_id", fmt.Sprint("none-", r.IntN(9)))
		return []string{"dag-unknown"}
	}},
	{"a message that is its own parent", func(f *fixture, r *rand.Rand) []string {
		file := oneOf(r, conv1, conv2)
		at := "/messages/" + pick(f, r, file, "/messages")
		f.set(file, at+"/parent_id", f.get(file, at+"/id"))
		return []string{"dag-cycle"}
	}},
	{"an unknown role", func(f *fixture, r *rand.Rand) []string {
		file := oneOf(r, conv1, conv2)
		f.set(file, "/messages/"+pick(f, r, file, "/messages")+"/role", oneOf(r, "human", "User", "bot"))
		return []string{"schema-enum"}
	}},
	{"a vector of another length", func(f *fixture, r *rand.Rand) []string {
		f.set(embFile, "/embeddings/0/dimensions", 100+r.IntN(9))
		return []string{"embedding-dimensions"}
	}},
	{"an embedding of nothing", func(f *fixture, r *rand.Rand) []string {
		f.set(embFile, "/embeddings/"+pick(f, r, embFile, "/embeddings")+"/memory_id", fmt.Sprint("none-", r.IntN(9)))
		return []string{"xref-embedding-memory"}
	}},
	{"a document that breaks off", func(f *fixture, r *rand.Rand) []string {
		file := oneOf(r, storeFile, conv1, conv2, embFile)
		text := strings.TrimSpace(string(f.files[file].Data))
		f.write(file, text[:1+r.IntN(len(text)-1)])
		return []string{"json-truncated"}
	}},
}

func damageOpen(field string, value any, want ...string) func(*fixture, *rand.Rand) []string {
	return func(f *fixture, r *rand.Rand) []string {
		f.open = true
		f.set(storeFile, "/memories/"+pick(f, r, storeFile, "/memories")+field, value)
		return want
	}
}

func TestAThousandSingleFaultsAreFound(t *testing.T) {
	signed := newFixture(t)
	sign(signed)
	if _, found := run(t, signed.bundle(), Options{}); len(found) != 1 || found[0].ID != verified {
		t.Fatalf("the bundle without a fault: %v", found)
	}
	count := uint64(1000)
	if testing.Short() {
		count = 100
	}
	for seed := range count {
		r := rand.New(rand.NewPCG(seed, 11))
		one := faults[int(seed)%len(faults)]
		f := newFixture(t)
		for name, file := range signed.files {
			f.write(name, string(file.Data))
		}
		want := one.apply(f, r)
		report, found := run(t, f.bundle(), Options{})
		got := ids(found)
		for _, id := range want {
			if !slices.ContainsFunc(got, func(g string) bool {
				return g == id || strings.HasSuffix(id, "-") && strings.HasPrefix(g, id) && g != verified
			}) {
				t.Errorf("seed %d, %s: %s is not among %v", seed, one.name, id, got)
			}
		}
		if report.Verdict() == Valid {
			t.Errorf("seed %d, %s: valid", seed, one.name)
		}
	}
}
