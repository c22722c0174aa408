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
	// openChanging opens the tables that are looked through for changes, side by side.
	openChanging func()
}

// language is what is known of a table before it is compiled.
type language struct {
	entry
	table func() *table
}

// standard is the book of the tables that pamline comes with.
var standard = sync.OnceValue(func() *book {
	index, err := frozen.Table(indexName, compileIndex)
	if err != nil {
		panic(brokenTable(err))
	}
	return newBook(index, func(name string) *table {
		t, err := openTable(name)
		if err != nil {
			panic(brokenTable(err))
		}
		return t
	})
})

// brokenTable is an error of a file of the build, which the tests compile: no input leads to it.
func brokenTable(err error) string {
	return fmt.Sprintf("rules: a table of the build is broken: %v", err)
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
		b.languages[l] = language{entry: e, table: sync.OnceValue(func() *table { return open(e.name) })}
	}
	b.openChanging = sync.OnceFunc(func() {
		var all sync.WaitGroup
		for l := range b.languages {
			if b.languages[l].changing {
				all.Go(func() { b.table(l) })
			}
		}
		all.Wait()
	})
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
