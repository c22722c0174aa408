package pamio

import (
	"bufio"
	"fmt"
	"io"
	"slices"
)

// WriteSigned copies a store and puts the signature in the place of the one that it has; nil
// removes it. scalars and in are what [ReadIntegrity] gave for the store; ExportID and ExportDate
// may be set in scalars. Elements, unknown members and nulls stay as they are written; the members
// outside of the collections come first. After an error w holds a part of a store.
func WriteSigned(w io.Writer, s Source, l Limits, scalars *Scalars, in Integrity, sig *Signature) error {
	h := newHead(scalars)
	for _, f := range [][2]string{{"export_id", scalars.ExportID}, {"export_date", scalars.ExportDate}} {
		if f[1] != "" {
			h.setText(f[0], f[1])
		}
	}
	h.setIntegrity(scalars.Integrity, in)
	h.remove("signature")
	if sig != nil {
		h.set("signature", sig.append(nil))
	}
	text, err := h.append(nil)
	if err != nil {
		return err
	}
	out := &arrays{w: bufio.NewWriterSize(w, 256<<10)}
	out.put(text)
	visit := map[string]func(Element) error{}
	for _, c := range collections {
		visit[c] = func(e Element) error { return out.element(c, e.Raw) }
	}
	err = s.read(func(r io.Reader) error {
		_, order, err := readCollections(r, l.MaxElement, visit)
		if err != nil {
			return err
		}
		return out.end(order)
	})
	if err != nil {
		return fmt.Errorf("write signed store: %w", err)
	}
	return nil
}

// arrays writes collections into an object that is open, in the order in which their elements come.
type arrays struct {
	w    *bufio.Writer
	open string // the collection that is being written
	done []string
	err  error
}

func (a *arrays) put(b []byte) {
	if a.err == nil {
		_, a.err = a.w.Write(b)
	}
}

func (a *arrays) element(collection string, raw []byte) error {
	if a.open == collection {
		a.put([]byte{','})
	} else {
		a.begin(collection)
	}
	a.put(raw)
	return a.err
}

func (a *arrays) begin(collection string) {
	if a.open != "" {
		a.put([]byte{']'})
	}
	a.put([]byte(`,"` + collection + `":[`))
	a.open, a.done = collection, append(a.done, collection)
}

// end writes the collections of the order that had no element, and closes the object.
func (a *arrays) end(order []string) error {
	for _, c := range order {
		if !slices.Contains(a.done, c) {
			a.begin(c)
		}
	}
	if a.open != "" {
		a.put([]byte{']'})
	}
	a.put([]byte("}\n"))
	if a.err == nil {
		a.err = a.w.Flush()
	}
	return a.err
}
