package rules

import (
	"fmt"
	"sync"

	"github.com/pamline/pamline/extract/frozen"
)

// book is the languages that are read. The table of a language is parsed and compiled when the
// first text that may be in it is met: all of them together take longer than a small import.
type book struct {
	languages []language
	tongues   *tongues
}

// language is what is known of a table before it is compiled.
type language struct {
	entry
	table func() *table
	// anchors are those of the table: of the tables of the build they are known before it is
	// opened.
	anchors func() *anchors
}

// standard is the book of the tables that pamline comes with.
var standard = sync.OnceValue(func() *book {
	b := newBook(mustOpen(frozen.Table(indexName, compileIndex)), func(name string) *table { return mustOpen(openTable(name)) })
	for l := range b.languages {
		b.languages[l].anchors = sync.OnceValue(func() *anchors {
			return mustOpen(frozen.Table(anchorsName(b.languages[l].name), func() (*anchors, error) { return b.table(l).anchors(), nil }))
		})
	}
	return b
})

// mustOpen gives a part of the build. An error is one of a file of the build, which the tests
// compile: no input leads to it.
func mustOpen[T any](part T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("rules: a table of the build is broken: %v", err))
	}
	return part
}

// index is what tells the languages apart, before the table of one is opened.
type index struct {
	languages []entry
	tongues   *tongues
}

// entry is a language of the index.
type entry struct {
	name string
	// script tells that the letters tell the language, changing that there is a table of changes and
	// only the words tell the language.
	script, changing bool
}

// indexName is the name of the frozen index.
const indexName = "rules-index"

// compileIndex makes the index of the tables that pamline comes with.
func compileIndex() (*index, error) {
	heads, err := readHeads()
	if err != nil {
		return nil, err
	}
	return newIndex(heads), nil
}

func newIndex(heads []*head) *index {
	x := &index{tongues: newTongues(heads)}
	for _, h := range heads {
		x.languages = append(x.languages, entry{name: h.Language, script: h.Script, changing: h.changing && !h.Script})
	}
	return x
}

// newBook makes a book of languages whose tables open gives by their names. open is called at most
// once for each.
func newBook(x *index, open func(language string) *table) *book {
	b := &book{languages: make([]language, len(x.languages)), tongues: x.tongues}
	for l, e := range x.languages {
		t := sync.OnceValue(func() *table { return open(e.name) })
		b.languages[l] = language{e, t, sync.OnceValue(func() *anchors { return t().anchors() })}
	}
	return b
}

// table gives the compiled table of a language by its number.
func (b *book) table(l int) *table { return b.languages[l].table() }

// number gives the number of a language, -1 for one without a table.
func (b *book) number(language string) int {
	for l := range b.languages {
		if b.languages[l].name == language {
			return l
		}
	}
	return -1
}
