package validate

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio/schema"
)

func TestCatalogIsWhole(t *testing.T) {
	id := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]bool{}
	for i, c := range Catalog() {
		if !id.MatchString(c.ID) || seen[c.ID] {
			t.Errorf("entry %d: id %q", i, c.ID)
		}
		seen[c.ID] = true
		if !strings.HasSuffix(c.Meaning, ".") || c.Strict < c.Severity || c.Section != "" && !strings.HasPrefix(c.Section, "§") {
			t.Errorf("%+v", c)
		}
	}
}

// The messages about a schema know its keywords. One more keyword needs one more message.
func TestSchemasUseKnownKeywordsOnly(t *testing.T) {
	known := []string{"$schema", "$id", "$defs", "$ref", "$comment", "title", "description", "default", "examples", "format", "type", "const", "enum", "pattern",
		"minLength", "maxLength", "minimum", "maximum", "minItems", "uniqueItems", "items", "properties", "required", "additionalProperties", "if", "then", "else"}
	for _, text := range [][]byte{schema.MemoryStore, schema.Conversation, schema.Embeddings} {
		var doc map[string]any
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		var walk func(v any)
		walk = func(v any) {
			s, ok := v.(map[string]any)
			if !ok {
				return
			}
			for key, value := range s {
				if !slices.Contains(known, key) {
					t.Errorf("%v uses %q", doc["$id"], key)
				}
				switch key {
				case "properties", "$defs":
					for _, sub := range value.(map[string]any) {
						walk(sub)
					}
				case "items", "if", "then", "else":
					walk(value)
				}
			}
		}
		walk(doc)
	}
}

func TestSeverityIsReadAsItIsWritten(t *testing.T) {
	for _, s := range []Severity{Info, Warning, Error} {
		text, err := s.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Severity
		if err := back.UnmarshalText(text); err != nil || back != s {
			t.Errorf("%s: %v, %v", text, back, err)
		}
	}
	if new(Severity).UnmarshalText([]byte("fatal")) == nil {
		t.Error("fatal is read as a severity")
	}
}

var update = flag.Bool("update", false, "rewrite the golden files")

// Ids and severities are a contract: a change shows here first.
func TestCatalogIsStable(t *testing.T) {
	var b strings.Builder
	for _, c := range Catalog() {
		fmt.Fprintf(&b, "%-28s %-8s %-8s %s\n", c.ID, c.Severity, c.Strict, c.Section)
	}
	if *update {
		if err := os.WriteFile("testdata/catalog.golden", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/catalog.golden")
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the catalogue changed; if that is meant, run the tests with -update:\n%s", b.String())
	}
}
