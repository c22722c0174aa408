package sensitive

import (
	"embed"
	"fmt"
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

// table is a source, compiled.
type table struct {
	language       string
	topics, selves index
	behind         bool
	sure, terms    map[string]index
}

var tables = sync.OnceValue(func() []*table {
	all, err := frozen.Table(frozenName, compileTables)
	if err != nil {
		panic(fmt.Sprintf("sensitive: a table of the build is broken: %v", err))
	}
	return all
})

// frozenName is the name under which the compiled tables are frozen.
const frozenName = "sensitive"

func compileTables() ([]*table, error) { return lexicon.ReadTables(files, parseTable) }

// Freeze compiles the tables for package frozen.
func Freeze() (frozen.Frozen, error) {
	all, err := compileTables()
	return frozen.Freeze(frozenName, all, err)
}

func parseTable(text []byte) (*table, error) {
	var s source
	if err := lexicon.DecodeTable(text, &s); err != nil {
		return nil, err
	}
	t := &table{language: s.Language, behind: s.Behind, sure: map[string]index{}, terms: map[string]index{}}
	var err error
	if t.topics, err = newIndex(s.Topics); err != nil {
		return nil, err
	}
	if t.selves, err = newIndex(s.Selves); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		from map[string][]string
		to   map[string]index
	}{{s.Sure, t.sure}, {s.Terms, t.terms}} {
		for kind, list := range part.from {
			if !slices.Contains(kinds, kind) {
				return nil, fmt.Errorf("parse table: kind %q is none of %s", kind, strings.Join(kinds, ", "))
			}
			if part.to[kind], err = newIndex(list); err != nil {
				return nil, fmt.Errorf("kind %s: %w", kind, err)
			}
		}
	}
	return t, nil
}
