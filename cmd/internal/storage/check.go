package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pamline/pamline/blob"
)

// Step is one thing that a store must be able to do. Hint says what to do about Err, when the error
// itself does not.
type Step struct {
	Name string
	Err  error
	Hint string
}

// cleanTimeout bounds the removal of scratch objects, which runs when the caller's context may have
// ended.
const cleanTimeout = 15 * time.Second

// checker tries things on one store and tells of each as it is done.
type checker struct {
	s      blob.Store
	prefix string // of all scratch keys, with a slash at its end
	report func(Step)
}

// Check tries on scratch objects what the pipeline needs of a store, tells report of each step as
// it is done, and removes the objects again. name makes their keys its own: two checks at a time
// must not meet. partSize is the size in bytes from which the store sends an object in parts. Steps
// that build on one that went wrong are left out.
func Check(ctx context.Context, s blob.Store, name string, partSize int64, report func(Step)) {
	c := &checker{s, "work/check/" + name + "/", report}
	if c.conditions(ctx) {
		c.race(ctx)
		c.ranges(ctx)
		c.listing(ctx)
		c.large(ctx, partSize)
	}
	c.clean(ctx)
}

// try runs a step and tells whether it went well.
func (c *checker) try(name, hint string, do func() error) bool {
	step := Step{Name: name, Err: do()}
	if step.Err != nil {
		step.Hint = hint
	}
	c.report(step)
	return step.Err == nil
}

func (c *checker) put(ctx context.Context, key, text string, o blob.PutOptions) (blob.Object, error) {
	return c.s.Put(ctx, c.prefix+key, bytes.NewReader([]byte(text)), o)
}

func (c *checker) read(ctx context.Context, key string, r blob.Range) (string, error) {
	body, _, err := c.s.Get(ctx, c.prefix+key, r)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(body, 1<<20))
	return string(text), errors.Join(err, body.Close())
}

// conditions tries one writer's conditional writes.
func (c *checker) conditions(ctx context.Context) bool {
	var first blob.Object
	return c.try("write an object", "", func() (err error) {
		first, err = c.put(ctx, "one", "first", blob.PutOptions{IfAbsent: true})
		return err
	}) && c.try("refuse to write an object that exists", needConditions, func() error {
		_, err := c.put(ctx, "one", "second", blob.PutOptions{IfAbsent: true})
		return refused(err, "If-None-Match")
	}) && c.try("replace an object that nobody changed", "", func() error {
		_, err := c.put(ctx, "one", "third", blob.PutOptions{IfMatch: first.ETag})
		return err
	}) && c.try("refuse to replace an object that somebody changed", needConditions, func() error {
		_, err := c.put(ctx, "one", "fourth", blob.PutOptions{IfMatch: first.ETag})
		return refused(err, "If-Match")
	}) && c.try("read it back", "", func() error {
		text, err := c.read(ctx, "one", blob.Range{})
		if err == nil && text != "third" {
			err = fmt.Errorf("%q came back instead of what was written last", text)
		}
		return err
	})
}

const needConditions = "use a store that honours conditional writes: without them two writers lose each other's work (docs/object-storage.md)"

// refused turns a condition that was not honoured into an error.
func refused(err error, header string) error {
	switch {
	case errors.Is(err, blob.ErrPrecondition):
		return nil
	case err == nil:
		return fmt.Errorf("the store passed over %s", header)
	}
	return err
}

// clean removes what the check has written.
func (c *checker) clean(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTimeout)
	defer cancel()
	c.try("delete the scratch objects", "remove what lies under "+c.prefix+" by hand", func() error {
		var keys []string
		for o, err := range c.s.List(ctx, c.prefix) {
			if err != nil {
				return err
			}
			keys = append(keys, o.Key)
		}
		for _, key := range keys {
			if err := c.s.Delete(ctx, key); err != nil {
				return err
			}
		}
		for o, err := range c.s.List(ctx, c.prefix) {
			if err != nil {
				return err
			}
			return fmt.Errorf("%s is still listed", o.Key)
		}
		return nil
	})
}
