package rules

import (
	"fmt"
	"sync"
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
	name string
	// script tells that the letters tell the language, changing that there is a table of changes and
	// only the words tell the language.
	script, changing bool
	table            func() *table
}

// standard is the book of the tables that pamline comes with.
var standard = sync.OnceValue(func() *book {
	heads, err := readHeads()
	if err != nil {
		panic(brokenTable(err))
	}
	return newBook(heads, func(name string) *table {
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

// newBook makes a book of languages whose tables open gives by their names. open is called at most
// once for each.
func newBook(heads []*head, open func(language string) *table) *book {
	b := &book{languages: make([]language, len(heads)), tongues: newTongues(heads)}
	for l, h := range heads {
		b.languages[l] = language{name: h.Language, script: h.Script, changing: h.changing && !h.Script, table: sync.OnceValue(func() *table { return open(h.Language) })}
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
