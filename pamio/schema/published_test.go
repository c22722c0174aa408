package schema

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// shared is the folder of reference material beside the repository, "" when it is not there.
func shared(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		if s := filepath.Join(dir, "shared", "schemas", "pam"); isDir(s) {
			return filepath.Join(dir, "shared")
		}
	}
	t.Skip("the published schemas are not beside the repository")
	return ""
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// published are the specification's own schemas of our parts.
func published(t *testing.T, formats bool) map[Part]*jsonschema.Schema {
	t.Helper()
	dir := filepath.Join(shared(t), "schemas", "pam")
	c := jsonschema.NewCompiler()
	if formats {
		c.AssertFormat()
	}
	all := map[Part]*jsonschema.Schema{}
	for p, at := range map[Part]string{
		StoreDocument:        "portable-ai-memory.schema.json",
		ConversationDocument: "portable-ai-memory-conversation.schema.json",
		EmbeddingsDocument:   "portable-ai-memory-embeddings.schema.json",
		Memory:               "portable-ai-memory.schema.json#/$defs/MemoryObject",
		Relation:             "portable-ai-memory.schema.json#/$defs/RelationObject",
		IndexEntry:           "portable-ai-memory.schema.json#/$defs/ConversationIndexEntry",
		Message:              "portable-ai-memory-conversation.schema.json#/$defs/Message",
		Embedding:            "portable-ai-memory-embeddings.schema.json#/$defs/EmbeddingObject",
	} {
		s, err := c.Compile(filepath.Join(dir, at))
		if err != nil {
			t.Fatal(err)
		}
		all[p] = s
	}
	return all
}

// rich are documents that use every member, one for each kind.
func rich(t *testing.T) map[Part]any {
	t.Helper()
	all := map[Part]any{}
	for p, name := range map[Part]string{StoreDocument: "memory-store", ConversationDocument: "conversation", EmbeddingsDocument: "embeddings"} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		v, err := Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		all[p] = v
	}
	return all
}

func TestOwnExamplesAreValidUnderBoth(t *testing.T) {
	for p, v := range rich(t) {
		if err := p.Validate(v, true); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
	for p, s := range published(t, true) {
		if v, ok := rich(t)[p]; ok {
			if err := s.Validate(v); err != nil {
				t.Errorf("published %s: %v", p, err)
			}
		}
	}
}

// TestExamplesUseEveryMember keeps the mutations below from passing over a part of the schemas.
func TestExamplesUseEveryMember(t *testing.T) {
	used := map[string]bool{}
	for _, v := range rich(t) {
		walk(v, func(m map[string]any, k string) { used[k] = true })
	}
	for _, text := range [][]byte{MemoryStore, Conversation, Embeddings} {
		v, err := Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		walk(v, func(m map[string]any, k string) {
			if k != "properties" {
				return
			}
			for name := range m[k].(map[string]any) {
				if !used[name] {
					t.Errorf("no example has the member %s", name)
				}
			}
		})
	}
}

func TestVerdictsEqualThoseOfThePublishedSchemas(t *testing.T) {
	for _, formats := range []bool{false, true} {
		theirs := published(t, formats)
		examples := rich(t)
		for p, name := range map[Part]string{StoreDocument: "example-memory-store", ConversationDocument: "example-conversation", EmbeddingsDocument: "example-embeddings"} {
			text, err := os.ReadFile(filepath.Join(shared(t), "vectors", "pam-examples", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			compareSome(t, p, theirs[p], text, formats)
			text, err = json.Marshal(examples[p])
			if err != nil {
				t.Fatal(err)
			}
			compareAll(t, p, theirs[p], text, formats)
		}
		for p, at := range map[Part][]string{
			Memory: {"memories"}, Relation: {"relations"}, IndexEntry: {"conversations_index"}, Message: {"messages"}, Embedding: {"embeddings"},
		} {
			doc := map[Part]Part{Message: ConversationDocument, Embedding: EmbeddingsDocument}[p]
			if doc == "" {
				doc = StoreDocument
			}
			text, err := json.Marshal(examples[doc].(map[string]any)[at[0]].([]any)[0])
			if err != nil {
				t.Fatal(err)
			}
			compareAll(t, p, theirs[p], text, formats)
		}
	}
}

// compare tells whether a value is valid, and fails the test when the published schema says
// otherwise.
func compare(t *testing.T, p Part, theirs *jsonschema.Schema, v any, formats bool, what string) bool {
	t.Helper()
	ours, other := p.Validate(v, formats), theirs.Validate(v)
	if (ours == nil) != (other == nil) {
		t.Errorf("%s, %s, formats %v:\n ours %v\n theirs %v", p, what, formats, ours, other)
	}
	return ours == nil
}

// compareAll mutates each member of a document in each way once, and some pairs of them by chance.
func compareAll(t *testing.T, p Part, theirs *jsonschema.Schema, text []byte, formats bool) {
	t.Helper()
	refused, tried := 0, 0
	original := decoded(t, text)
	for i := range sites(original) {
		for j, m := range mutations {
			// With formats asserted every third is enough: only the formats are new.
			if formats && (i+j)%3 != 0 {
				continue
			}
			v := clone(original)
			s := sites(v)[i]
			if !m.apply(s.object, s.key) {
				continue
			}
			tried++
			if !compare(t, p, theirs, v, formats, m.name+" "+s.key) {
				refused++
			}
		}
	}
	if tried < 50 || refused == 0 || refused == tried {
		t.Errorf("%s: %d of %d mutations refused: they test nothing", p, refused, tried)
	}
	compareSome(t, p, theirs, text, formats)
}

// compareSome applies two mutations at a time, by chance.
func compareSome(t *testing.T, p Part, theirs *jsonschema.Schema, text []byte, formats bool) {
	t.Helper()
	original := decoded(t, text)
	if !compare(t, p, theirs, original, formats, "as it is") {
		t.Errorf("%s: the example is not valid", p)
	}
	rnd := rand.New(rand.NewPCG(7, uint64(len(text))))
	for range 60 {
		v := clone(original)
		var what []string
		for range 2 {
			all := sites(v)
			if len(all) == 0 {
				break
			}
			s, m := all[rnd.IntN(len(all))], mutations[rnd.IntN(len(mutations))]
			if m.apply(s.object, s.key) {
				what = append(what, m.name+" "+s.key)
			}
		}
		compare(t, p, theirs, v, formats, strings.Join(what, ", "))
	}
}

func clone(v any) any {
	switch v := v.(type) {
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = clone(e)
		}
		return c
	case map[string]any:
		c := make(map[string]any, len(v)+1)
		for k, e := range v {
			c[k] = clone(e)
		}
		return c
	}
	return v
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	v, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// site is one member of one object.
type site struct {
	object map[string]any
	key    string
}

// sites are all members of all objects, in a fixed order.
func sites(v any) (all []site) {
	walk(v, func(m map[string]any, k string) { all = append(all, site{m, k}) })
	return all
}

func walk(v any, visit func(m map[string]any, k string)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			walk(e, visit)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			visit(v, k)
			walk(v[k], visit)
		}
	}
}

type mutation struct {
	name  string
	apply func(m map[string]any, k string) bool
}

func set(name string, v any) mutation {
	return mutation{name, func(m map[string]any, k string) bool { m[k] = v; return true }}
}

func onString(name string, change func(string) string) mutation {
	return mutation{name, func(m map[string]any, k string) bool {
		s, ok := m[k].(string)
		if ok {
			m[k] = change(s)
		}
		return ok
	}}
}

func onArray(name string, change func([]any) []any) mutation {
	return mutation{name, func(m map[string]any, k string) bool {
		a, ok := m[k].([]any)
		if ok {
			m[k] = change(a)
		}
		return ok
	}}
}

var mutations = []mutation{
	{"remove", func(m map[string]any, k string) bool { delete(m, k); return true }},
	{"add a member beside", func(m map[string]any, k string) bool { m["x_extra"] = json.Number("1"); return true }},
	{"add a member inside", func(m map[string]any, k string) bool {
		o, ok := m[k].(map[string]any)
		if ok {
			o["x_extra"] = "y"
		}
		return ok
	}},
	{"empty object inside", func(m map[string]any, k string) bool {
		_, ok := m[k].(map[string]any)
		if ok {
			m[k] = map[string]any{}
		}
		return ok
	}},
	set("null", nil), set("true", true), set("number", json.Number("1")), set("zero", json.Number("0")), set("negative", json.Number("-1")),
	set("fraction", json.Number("0.5")), set("more than one", json.Number("1.5")), set("whole with a fraction", json.Number("2.0")),
	set("string", "some text"), set("empty string", ""), set("array", []any{}), set("object", map[string]any{}), set("array of null", []any{nil}),
	set("custom", "custom"), set("array of strings", []any{"read"}), set("array of tags", []any{"a-tag", "b_2"}), set("bad tags", []any{"Upper"}),
	onString("upper case", strings.ToUpper), onString("newline behind", func(s string) string { return s + "\n" }),
	onString("space before", func(s string) string { return " " + s }), onString("longer", func(s string) string { return s + strings.Repeat("a", 40) }),
	onString("cut", func(s string) string { return s[:len(s)/2] }), onString("one letter", func(string) string { return "a" }),
	onString("digest", func(string) string { return "sha256:" + strings.Repeat("0a", 32) }), onString("system", func(string) string { return "a_B-1/10.0.2" }),
	onString("system without patch", func(string) string { return "a/1.0" }), onString("version", func(string) string { return "1.0-rc2" }),
	onString("bad version", func(string) string { return "1.0.1" }), onString("did", func(string) string { return "did:web:example.org" }),
	onString("bad did", func(string) string { return "did:Web:" }), onString("language", func(string) string { return "zh-Hant-TW" }),
	onString("bad language", func(string) string { return "es-419" }), onString("time", func(string) string { return "2026-01-02T03:04:05.5+01:00" }),
	onString("bad time", func(string) string { return "2026-01-02 03:04" }), onString("uri", func(string) string { return "https://example.org/a?b#c" }),
	onString("relative uri", func(string) string { return "../a b" }), onString("non-ASCII", func(string) string { return "é" }),
	onArray("first twice", func(a []any) []any {
		if len(a) > 0 {
			a = append(a, a[0])
		}
		return a
	}),
	onArray("a number in it", func(a []any) []any { return append(a, json.Number("3")) }),
	onArray("an empty string in it", func(a []any) []any { return append(a, "") }),
}
