package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/blob"
)

// Step is one thing that a store must be able to do.
type Step struct {
	Name string
	Err  error
}

// Check tries on a scratch object what the pipeline needs of a store, and removes the object again. name makes the
// object's key its own: two checks at a time must not meet. The steps end with the first that goes wrong.
func Check(ctx context.Context, s blob.Store, name string) []Step {
	key := "work/check/" + name
	var steps []Step
	var first blob.Object
	ok := true
	try := func(what string, do func() error) {
		if !ok {
			return
		}
		err := do()
		ok = err == nil
		steps = append(steps, Step{what, err})
	}
	put := func(text string, o blob.PutOptions) (blob.Object, error) {
		return s.Put(ctx, key, bytes.NewReader([]byte(text)), o)
	}
	try("write an object", func() (err error) {
		first, err = put("first", blob.PutOptions{IfAbsent: true})
		return err
	})
	written := ok
	try("refuse to write an object that exists", func() error {
		_, err := put("second", blob.PutOptions{IfAbsent: true})
		return refused(err, "If-None-Match")
	})
	try("replace an object that nobody changed", func() error {
		_, err := put("third", blob.PutOptions{IfMatch: first.ETag})
		return err
	})
	try("refuse to replace an object that somebody changed", func() error {
		_, err := put("fourth", blob.PutOptions{IfMatch: first.ETag})
		return refused(err, "If-Match")
	})
	try("read it back", func() error {
		r, _, err := s.Get(ctx, key, blob.Range{})
		if err != nil {
			return err
		}
		defer r.Close()
		text, err := io.ReadAll(io.LimitReader(r, 100))
		if err == nil && string(text) != "third" {
			err = fmt.Errorf("%q came back instead of what was written last", text)
		}
		return err
	})
	try("list it", func() error {
		for o, err := range s.List(ctx, "work/check/") {
			if err != nil {
				return err
			}
			if o.Key == key {
				return nil
			}
		}
		return errors.New("the listing does not have the object")
	})
	if written {
		err := s.Delete(context.WithoutCancel(ctx), key)
		steps = append(steps, Step{"delete it", err})
	}
	return steps
}

// refused turns a condition that was not honoured into an error: without it two writers lose each other's work.
func refused(err error, header string) error {
	switch {
	case errors.Is(err, blob.ErrPrecondition):
		return nil
	case err == nil:
		return fmt.Errorf("the store passed over %s: two writers would lose each other's work; use one that honours conditional writes", header)
	}
	return err
}
