package main

import (
	"bufio"
	"errors"
	"io"
	"iter"

	"github.com/pamline/pamline/cmd/internal/inspect"
)

// listed is an element of a list.
type listed[T any] interface {
	WriteLine(w io.Writer, last T) error
}

// printList writes a list, at most limit elements of it; 0 is all. make gets a folder for what does
// not fit in memory.
func printList[T listed[T]](a *app, f format, what string, limit int, make func(scratch string) iter.Seq2[T, error]) (err error) {
	folder, remove, err := scratch("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	w := bufio.NewWriter(a.stdout)
	more := false
	n, err := inspect.WriteList(w, firstOf(make(folder), limit, &more), f.json())
	if flushed := w.Flush(); err == nil {
		err = flushed
	}
	switch {
	case err != nil:
	case n == 0 && !f.json():
		a.say("the store has no %s", what)
	case more:
		a.say("there are more %s; --limit 0 shows all", what)
	}
	return err
}

// firstOf gives the first elements of a list, and tells whether there are more.
func firstOf[T any](list iter.Seq2[T, error], limit int, more *bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		n := 0
		for v, err := range list {
			if err == nil && limit > 0 && n == limit {
				*more = true
				return
			}
			if n++; !yield(v, err) {
				return
			}
		}
	}
}
