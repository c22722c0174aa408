package validate

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/pamio/schema"
)

// agree holds the quick rules against the schema library. They may send a value to the library that
// fits, but not in plain cases. An empty wrapper is a document of a part without some arrays.
func agree(t *testing.T, wrapper string, part schema.Part, raw []byte, arrays ...string) (quick, right bool) {
	t.Helper()
	all, err := rules()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonscan.Parse(raw, 0)
	if err != nil {
		return false, false
	}
	e := &element{tally: &tally{}, wrapper: wrapper, raw: raw, root: doc.Root()}
	quick = all[part].without(arrays).fits(e.root)
	instance := e.instance()
	for _, key := range arrays {
		if o, ok := instance.(map[string]any); ok && o[key] == nil {
			o[key] = []any{}
		}
	}
	right = part.Validate(instance, false) == nil
	if quick && !right && !(wrapper == "embeddings" && doc.Root().Get("vector").Exists()) {
		t.Errorf("the quick rules take what the schema refuses: %s", raw)
	}
	return quick, right
}

func TestQuickRulesTakeWhatTheSchemaTakes(t *testing.T) {
	all, err := rules()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range schema.Parts {
		if all[part] == nil || all[part].opaque {
			t.Errorf("%s has no quick rule", part)
		}
	}
	f := newFixture(t)
	for file, wrapper := range map[string]string{storeFile: "memories", embFile: "embeddings", conv1: "messages", conv2: "messages"} {
		for _, v := range f.get(file, "/"+wrapper).([]any) {
			raw := f.encode(v)
			if quick, right := agree(t, wrapper, elementParts[wrapper], raw); !quick || !right {
				t.Errorf("%s: quick %v, right %v", raw, quick, right)
			}
		}
	}
	for file, part := range fixtureDocuments {
		raw, arrays := f.around(file)
		if quick, right := agree(t, "", part, raw, arrays...); !quick || !right {
			t.Errorf("%s: quick %v, right %v", raw, quick, right)
		}
		if quick, _ := agree(t, "", part, raw, append(arrays, "elsewhere")...); quick {
			t.Errorf("%s: quick with an array that the schema does not have", file)
		}
	}
}

// fixtureDocuments are the documents of the fixture by their files.
var fixtureDocuments = map[string]schema.Part{storeFile: schema.StoreDocument, conv1: schema.ConversationDocument, embFile: schema.EmbeddingsDocument}

// around gives a document without the arrays that are checked element by element, and these.
func (f *fixture) around(file string) (raw []byte, arrays []string) {
	doc := maps.Clone(f.get(file, "").(map[string]any))
	for _, key := range slices.Sorted(maps.Keys(elementParts)) {
		if _, there := doc[key]; there {
			arrays = append(arrays, key)
			delete(doc, key)
		}
	}
	return f.encode(doc), arrays
}

// Random changes of valid elements: keys and values are swapped for others from a pool of likely
// and unlikely ones.
func TestQuickRulesRefuseWhatTheSchemaRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	random := rand.New(rand.NewPCG(1, 2))
	f := newFixture(t)
	var pool []json.RawMessage
	for _, text := range strings.Split(`null true false 0 1 -1 0.5 1.5 2.0 "" "x" "custom" "fact" "text" "user" "superseded" "claude" "a\tb" "sha256:x" "2026-01-02T10:00:00Z" [] `+
		`["a"] ["a","a"] [1] [null] {} {"type":"text"} {"language":"EN"} {"language":"en"} "\u0066act"`, " ") {
		pool = append(pool, json.RawMessage(text))
	}
	keys := []string{"id", "type", "custom_type", "status", "content", "tags", "metadata", "extra", "role", "vector", "storage", "raw_metadata", "confidence", "temporal"}
	refused, quick := 0, 0
	var change func(v any) any
	change = func(v any) any {
		o, ok := v.(map[string]any)
		if !ok || random.IntN(4) == 0 {
			return pool[random.IntN(len(pool))]
		}
		switch key := keys[random.IntN(len(keys))]; random.IntN(4) {
		case 0:
			o[key] = pool[random.IntN(len(pool))]
		case 1:
			delete(o, key)
		default:
			there := slices.Sorted(maps.Keys(o))
			if len(there) == 0 {
				return o
			}
			key = there[random.IntN(len(there))]
			o[key] = change(o[key])
		}
		return o
	}
	type sample struct {
		wrapper, text string
		part          schema.Part
		arrays        []string
	}
	var valid []sample
	for wrapper, file := range map[string]string{"memories": storeFile, "relations": storeFile, "conversations_index": storeFile, "messages": conv1, "embeddings": embFile} {
		for _, v := range f.get(file, "/"+wrapper).([]any) {
			valid = append(valid, sample{wrapper: wrapper, text: string(f.encode(v)), part: elementParts[wrapper]})
		}
	}
	for file, part := range fixtureDocuments {
		raw, arrays := f.around(file)
		valid = append(valid, sample{"", string(raw), part, arrays})
	}
	slices.SortFunc(valid, func(a, b sample) int { return strings.Compare(a.text, b.text) })
	for range 4000 {
		pick := valid[random.IntN(len(valid))]
		var v map[string]any
		if err := json.Unmarshal([]byte(pick.text), &v); err != nil {
			t.Fatal(err)
		}
		for range 1 + random.IntN(2) {
			if o, ok := change(v).(map[string]any); ok {
				v = o
			}
		}
		q, right := agree(t, pick.wrapper, pick.part, f.encode(v), pick.arrays...)
		if !right {
			refused++
		} else if q {
			quick++
		}
	}
	if refused < 1000 || quick < 300 {
		t.Errorf("only %d refused and %d taken quickly: the changes show nothing", refused, quick)
	}
}
