package validate

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio/schema"
)

// patternsOf are the patterns of the schemas.
func patternsOf(t testing.TB) (all []string) {
	t.Helper()
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if p, ok := v["pattern"].(string); ok {
				all = append(all, p)
			}
			for _, inner := range v {
				visit(inner)
			}
		case []any:
			for _, inner := range v {
				visit(inner)
			}
		}
	}
	for _, text := range [][]byte{schema.MemoryStore, schema.Conversation, schema.Embeddings} {
		var root any
		if err := json.Unmarshal(text, &root); err != nil {
			t.Fatal(err)
		}
		visit(root)
	}
	return all
}

func TestTablesMatchAsPatternsDo(t *testing.T) {
	patterns := patternsOf(t)
	if len(patterns) < 8 {
		t.Fatalf("%d patterns", len(patterns))
	}
	samples := []string{"", "sha256:" + strings.Repeat("0a", 32), "1.0", "1.0-rc1", "pamline/1.0.0", "en", "zh-Hans-CN", "en-us", "chatgpt", "tag-1", "did:key:z6Mk", "claude\n", "é", "a\xff", "10:20"}
	r := rand.New(rand.NewPCG(3, 5))
	runs := 0
	for _, p := range patterns {
		m, plain := newMatcher(p), regexp.MustCompile(p)
		if m == nil {
			t.Errorf("%s has no table", p)
			continue
		}
		run := newClassRun(p)
		if run != nil {
			runs++
		}
		check := func(s string) {
			if run != nil && run.match([]byte(s)) != plain.MatchString(s) {
				t.Errorf("%s on %q: %v by its class", p, s, !plain.MatchString(s))
			}
			if got, known := m.match([]byte(s)); known && got != plain.MatchString(s) {
				t.Errorf("%s on %q: %v", p, s, got)
			}
		}
		for _, s := range samples {
			check(s)
			for range 300 {
				b := []byte(s + "x")
				for range 1 + r.IntN(2) {
					b[r.IntN(len(b))] = byte(r.IntN(130))
				}
				check(string(b[:len(b)-r.IntN(2)]))
			}
		}
	}
	if runs != 3 {
		t.Errorf("%d patterns are runs of a class, those of three hashes should be", runs)
	}
	for _, p := range []string{"abc", "^a", `^\ba$`, "^(a|b$|c)d$", "(?m)^a$", "^a|b$"} {
		if m := newMatcher(p); m != nil {
			for _, s := range []string{"a", "b", "ab", "ad", "bd", "a\nb", "xb", "abc"} {
				if got, known := m.match([]byte(s)); known && got != regexp.MustCompile(p).MatchString(s) {
					t.Errorf("%s on %q: %v", p, s, got)
				}
			}
		}
	}
}
