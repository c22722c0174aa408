package extract

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// echo is an extractor that gives what it is told.
type echo struct {
	name, version string
	give          func(*pamio.Conversation) []normalize.Candidate
}

func (e echo) Name() string    { return e.name }
func (e echo) Version() string { return e.version }
func (e echo) Extract(doc *pamio.Conversation, _ []byte) ([]normalize.Candidate, Report) {
	if e.give == nil {
		return nil, Report{}
	}
	r := Report{Records: 2}
	r.Skip("odd")
	return e.give(doc), r
}

type choosy struct{ echo }

func (choosy) Wants(raw []byte) bool { return len(raw) > 3 }

func TestExtractorWantsADocumentUnlessItSaysOtherwise(t *testing.T) {
	for _, c := range []struct {
		x    Extractor
		raw  string
		want bool
	}{{choosy{}, "abc", false}, {choosy{}, "abcd", true}, {echo{}, "abc", true}} {
		if got := Wants(c.x, []byte(c.raw)); got != c.want {
			t.Errorf("%T with %q: %v", c.x, c.raw, got)
		}
	}
}

func TestRegistrySelectsByNameAndVersion(t *testing.T) {
	r := NewRegistry(echo{name: "harvest", version: "h/1.1.0"}, echo{name: "rules", version: "r/1.0.0"}, echo{name: "harvest", version: "h/1.0.0"})
	for _, c := range []struct {
		ask  string
		want string
	}{
		{"", "h/1.1.0 r/1.0.0"},
		{"rules", "r/1.0.0"},
		{"rules harvest", "h/1.1.0 r/1.0.0"},
		{"rules h/1.0.0 rules", "r/1.0.0 h/1.0.0"},
		{"harvest h/1.1.0", "h/1.1.0"},
	} {
		picked, err := r.Select(strings.Fields(c.ask)...)
		if err != nil {
			t.Errorf("%q: %v", c.ask, err)
		}
		var got []string
		for _, x := range picked {
			got = append(got, x.Version())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q gives %v, expected %s", c.ask, got, c.want)
		}
	}
	var unknown *UnknownError
	if _, err := r.Select("llm"); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "harvest") {
		t.Errorf("unknown: %v", err)
	}
	if _, err := r.Select("harvest", "h/1.0.0"); err == nil {
		t.Error("two versions of one extractor were selected")
	}
	if got := r.Names(); !slices.Equal(got, []string{"harvest", "rules"}) {
		t.Errorf("names are %v", got)
	}
}

func TestTheDefaultSetIsASetting(t *testing.T) {
	all := NewRegistry(echo{name: "a"}, echo{name: "b"}, echo{name: "c"})
	some, err := all.WithDefault("c", " a ")
	if err != nil {
		t.Fatal(err)
	}
	names := func(r *Registry, list ...string) (out []string) {
		picked, err := r.Select(list...)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range picked {
			out = append(out, x.Name())
		}
		return out
	}
	if got := names(some); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("without a name: %v", got)
	}
	if got := names(some, "b"); !slices.Equal(got, []string{"b"}) {
		t.Errorf("by name: %v", got)
	}
	if got := names(all, ""); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("without a default set: %v", got)
	}
	if _, err := all.WithDefault("d"); err == nil {
		t.Error("an unknown one is a default")
	}
}
