package sensitive

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pamline/pamline/extract/frozen"
	"github.com/pamline/pamline/extract/lexicon"
)

//go:embed tables/*.yaml
var files embed.FS

// source is a table as it is written.
//
// A phrase is words; "*" at the end or the beginning of a word stands for any letters. Behind the
// phrase, "!word" names a word that makes it harmless wherever it stands in the content: "depress*
// !market".
type source struct {
	Language string `yaml:"language"`
	// Topics turn the terms behind them into what somebody works on or reads about; Selves turn
	// them back: "because of".
	Topics []string `yaml:"topics"`
	// Behind tells that verbs stand behind their objects, so that a topic counts wherever it is.
	Behind bool     `yaml:"behind"`
	Selves []string `yaml:"selves"`
	// Sure are the terms of a kind that no topic makes harmless, Terms the others.
	Sure  map[string][]string `yaml:"sure"`
	Terms map[string][]string `yaml:"terms"`
}

// table is the sources of all languages, compiled.
type table struct {
	languages []string
	behind    []bool // by language
	phrases   lexicon.Phrases
	uses      [][]use // by the number of the phrase
}

var tables = sync.OnceValue(func() *table {
	t, err := frozen.Table(frozenName, compileTables)
	if err != nil {
		panic(fmt.Sprintf("sensitive: a table of the build is broken: %v", err))
	}
	return t
})

// frozenName is the name under which the compiled tables are frozen.
const frozenName = "sensitive"

// Freeze compiles the tables for package frozen.
func Freeze() (frozen.Frozen, error) {
	t, err := compileTables()
	return frozen.Freeze(frozenName, t, err)
}

func compileTables() (*table, error) {
	sources, err := lexicon.ReadTables(files, func(text []byte) (s source, err error) {
		return s, lexicon.DecodeTable(text, &s)
	})
	if err != nil {
		return nil, err
	}
	c := compiler{&table{}, lexicon.NewBuilder(lexicon.SplitApostrophes)}
	c.builder.Proclitics = particles
	for i := range sources {
		if err := c.addSource(&sources[i]); err != nil {
			return nil, fmt.Errorf("compile table %s: %w", sources[i].Language, err)
		}
	}
	c.phrases = c.builder.Phrases()
	return c.table, nil
}

func (c *compiler) addSource(s *source) error {
	u := use{language: int8(len(c.languages))} //nolint:gosec // a few
	c.languages, c.behind = append(c.languages, s.Language), append(c.behind, s.Behind)
	addAll := func(list []string, r role) error {
		u.role = r
		for _, p := range list {
			if err := c.addPhrase(p, u); err != nil {
				return err
			}
		}
		return nil
	}
	if err := addAll(s.Topics, topic); err != nil {
		return err
	}
	if err := addAll(s.Selves, self); err != nil {
		return err
	}
	for r, part := range []map[string][]string{sure: s.Sure, term: s.Terms} {
		for _, kind := range slices.Sorted(maps.Keys(part)) {
			n := slices.Index(kinds, kind)
			if n < 0 {
				return fmt.Errorf("kind %q is none of %s", kind, strings.Join(kinds, ", "))
			}
			u.kind = int8(n)                                    //nolint:gosec // a few
			if err := addAll(part[kind], role(r)); err != nil { //nolint:gosec // two
				return fmt.Errorf("kind %s: %w", kind, err)
			}
		}
	}
	return nil
}
