package validate

import (
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// integrity computes the checksum of a store while its memories pass (PAM §15), on a goroutine of
// its own. Memories come in the order of their ids in the stores of this project; a store in
// another order is read once more and sorted.
type integrity struct {
	in   chan *batch
	done chan struct{}

	sum      pamio.Checksummer
	memories int64
	unsorted bool
	// open tells that there is no checksum to compare with: a memory has no canonical form or no id
	// of its own.
	open bool
	// computed is the checksum of the memories once it is compared, "" where there is none.
	computed string
}

// summand is what the checksum wants of a memory; canonical is nil where there is no such thing.
type summand struct {
	id        string
	canonical []byte
}

// summand is made of unreadable memories, too.
func (e *element) summand() (s summand) {
	id, ok := peekString(e.root.Get("id"))
	if !ok || e.root.Flags()&(jsonscan.Odd|jsonscan.BigInteger) != 0 {
		return s // reported where the text was read
	}
	canonical, err := pamio.CanonicalizeNode(e.root)
	if e.wrong(integrityUncanonicalizable, err != nil) {
		e.uncanonicalizable(err)
		return s
	}
	return summand{id, canonical}
}

// take adds the memories of a batch, which is released then.
func (in *integrity) take(b *batch, free chan<- *batch) {
	if in.in == nil {
		in.in, in.done = make(chan *batch, cap(free)), make(chan struct{})
		go func() {
			defer close(in.done)
			for b := range in.in {
				for _, s := range b.sums {
					in.add(s)
				}
				b.release(free)
			}
		}()
	}
	in.in <- b
}

func (in *integrity) add(s summand) {
	in.memories++
	in.open = in.open || s.canonical == nil
	if in.unsorted || in.open {
		return
	}
	switch err := in.sum.Add(s.id, s.canonical); {
	case errors.Is(err, pamio.ErrDuplicateID):
		in.open = true // the order of the two, and so the checksum, is open; the join reports them
	case err != nil:
		in.unsorted = true
	}
}

// close ends with the last memory that was taken.
func (in *integrity) close() {
	if in.in != nil {
		close(in.in)
		<-in.done
		in.in = nil
	}
}

func (e *element) uncanonicalizable(err error) {
	var c *pamio.CanonicalError
	if !errors.As(err, &c) {
		e.find(integrityUncanonicalizable, e.at("", e.root), "the memory has no canonical form")
		return
	}
	e.find(integrityUncanonicalizable, e.at(c.Pointer, jsonscan.Node{}), "the value has no canonical form: %v", c.Err)
}

// report compares the integrity block with what was computed. again opens the store for a second
// reading.
func (in *integrity) report(e *element, again func() (io.ReadCloser, error)) error {
	in.close()
	block := e.root.Get("integrity")
	if e.wrong(integrityAbsent, !given(block)) {
		e.find(integrityAbsent, e.at("", jsonscan.Node{}), "the store has no integrity block, so damage cannot be noticed")
		return nil
	}
	total := block.Get("total_memories")
	if total.Kind() == jsonscan.Number && e.wrong(integrityTotal, e.number(total) != float64(in.memories)) {
		e.find(integrityTotal, e.at("/integrity/total_memories", total), "total_memories says %s, the store has %d", total.Raw(), in.memories)
	}
	declared, ok := text(block.Get("checksum"))
	if !ok || in.open {
		return nil
	}
	if in.unsorted {
		if err := in.sort(e, again); err != nil {
			return err
		}
		if in.open {
			return nil
		}
	}
	in.computed = in.sum.Sum()
	if sum := in.computed; e.wrong(integrityChecksum, declared != sum) {
		e.find(integrityChecksum, e.at("/integrity/checksum", block.Get("checksum")), "the checksum of the memories as they are written is %s; they were "+
			"changed after it was made, or the tool that made it added or removed fields first", sum)
	}
	return nil
}

// sort reads the store again and adds the memories in the order of their ids.
func (in *integrity) sort(e *element, again func() (io.ReadCloser, error)) error {
	r, err := again()
	if err != nil {
		return fmt.Errorf("read store again: %w", err)
	}
	defer r.Close()
	t := table{e.o.sorter()}
	defer func() { _ = t.s.Close() }() // scratch
	err = eachFrame(r, e.o, func(wrapper string, raw []byte) error {
		if wrapper != "memories" {
			return nil
		}
		canonical, err := pamio.Canonicalize(raw)
		if err != nil {
			return err
		}
		d, err := jsonscan.Parse(canonical, e.o.MaxDepth)
		if err != nil {
			return err
		}
		return t.add(d.Root().Get("id").Str(), canonical)
	})
	if err != nil {
		return fmt.Errorf("read store again: %w", err)
	}
	in.sum = pamio.Checksummer{}
	for r, err := range t.s.Sorted() {
		if err != nil {
			return fmt.Errorf("sort memories: %w", err)
		}
		if err := in.sum.Add(string(r.Key), r.Value); err != nil {
			in.open = true
			return nil
		}
	}
	if in.sum.Count() != in.memories {
		return errors.New("read store again: it changed while it was validated; validate a copy that nobody writes to")
	}
	return nil
}

// eachFrame hands out the elements of a document that was found well formed before.
func eachFrame(r io.Reader, o Options, each func(wrapper string, raw []byte) error) error {
	f := jsonscan.NewFramer(r, jsonscan.FrameOptions{MaxValue: o.MaxElement, Wrappers: wrapperKeys()})
	var buf []byte
	for {
		fr, err := f.Next(buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		buf = fr.Raw[:0]
		if err := each(fr.Wrapper, fr.Raw); err != nil {
			return err
		}
	}
}
