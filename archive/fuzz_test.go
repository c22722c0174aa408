package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
)

// Whatever the bytes are: no panic, every failure is an *Error, and what comes out stays within the
// limits.
func FuzzOpen(f *testing.F) {
	whole, body := craft(f, crafted{name: "a", content: "first", deflate: true, descriptor: true}, crafted{name: "b", content: noise(300)},
		crafted{name: "c", content: "third", deflate: true, zip64: true})
	tarred := tarOf(f, tarFile{name: "a", content: "first"}, tarFile{name: "b/c", content: noise(700)})
	for _, seed := range [][]byte{
		whole, whole[:body], whole[:body-3], ordinary(f, "in.zip", string(whole), "x", "y"), append([]byte("#!/bin/sh\n"), whole...),
		tarred, tarred[:700], gzipped(f, tarred, ""), gzipped(f, []byte("[1]"), "n"), []byte("[]"), []byte("PK\x03\x04"), []byte("PK\x05\x06"),
	} {
		f.Add(seed)
	}
	limits := Limits{MaxMembers: 100, MaxMemberSize: 1 << 20, MaxTotal: 4 << 20, MaxScratch: 1 << 20, MaxNameLength: 200}
	scratch := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Open(context.Background(), []Part{{Name: "fuzz", Source: bytes.NewReader(data)}}, limits, scratch)
		var bad *Error
		if err != nil {
			if !errors.As(err, &bad) {
				t.Fatalf("open: %v", err)
			}
			return
		}
		defer a.Close()
		if len(a.Members) > limits.MaxMembers {
			t.Fatalf("%d members", len(a.Members))
		}
		total := int64(0)
		for _, m := range a.Members {
			if clean, reason := cleanName(m.Name, 1000); reason != "" || clean != m.Name {
				t.Fatalf("member name %q: %s", m.Name, reason)
			}
			r, err := m.Open(context.Background())
			if err == nil {
				var n int64
				n, err = io.Copy(io.Discard, r)
				total += n
				if m.Size >= 0 && err == nil && n != m.Size {
					t.Fatalf("member %q gives %d of %d bytes without an error", m.Name, n, m.Size)
				}
				if err := r.Close(); err != nil {
					t.Fatalf("close member: %v", err)
				}
			}
			if err != nil && !errors.As(err, &bad) {
				t.Fatalf("read member: %v", err)
			}
		}
		if most := limits.MaxTotal + limits.MaxMemberSize; total > most {
			t.Fatalf("%d bytes came out", total)
		}
	})
}
