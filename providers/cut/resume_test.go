package cut_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Behind an element that is broken, and very many objects that are none, the next element is found.
func TestReadingGoesOnBehindManyObjects(t *testing.T) {
	var data bytes.Buffer
	data.WriteString(`[{"talk":1},{"talk":"broken `)
	for range 110_000 {
		data.WriteString(",{}")
	}
	at := int64(data.Len()) + 1
	data.WriteString(`,{"talk":2}]`)
	m := archive.NewMember("x.json", int64(data.Len()), 0, func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data.Bytes())), nil
	})
	tried := 0
	o := cut.Options{Recognize: func(prefix []byte) bool {
		tried++
		return bytes.HasPrefix(prefix, []byte(`{"talk":`)) && !bytes.HasPrefix(prefix, []byte(`{"talk":"broken`))
	}}
	var read []int64
	bad := 0
	cut.Elements(t.Context(), importer.Unit{Member: m, Limits: importer.Limits{}.WithDefaults()}, o, func(u importer.Unit, err error) bool {
		switch {
		case err != nil:
			t.Fatal(err)
		case u.Err != nil:
			bad++
		default:
			read = append(read, u.Offset)
		}
		return true
	})
	if len(read) != 2 || read[0] != 1 || read[1] != at || bad != 1 {
		t.Errorf("elements at %v and %d bad ones, want them at 1 and %d, and 1", read, bad, at)
	}
	if tried < 110_000 {
		t.Errorf("%d objects were looked at", tried)
	}
}

// A search that nobody waits for any longer ends.
func TestTheSearchForTheNextElementEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	data := append([]byte(`[{"talk":"broken `), bytes.Repeat([]byte(",{}"), 1000)...)
	m := archive.NewMember("x.json", int64(len(data)), 0, func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	})
	tried := 0
	o := cut.Options{Recognize: func([]byte) bool {
		tried++
		cancel()
		return false
	}}
	var last error
	cut.Elements(ctx, importer.Unit{Member: m, Limits: importer.Limits{}.WithDefaults()}, o, func(_ importer.Unit, err error) bool {
		last = err
		return err == nil
	})
	if tried != 1 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d objects were looked at, and the end was %v", tried, last)
	}
}
