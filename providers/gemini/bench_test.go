package gemini_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/gemini"
	"github.com/pamline/pamline/providers/importer"
)

// repeated is a log of rows or cells that are made while it is read.
type repeated struct {
	head, tail string
	make       func(i int) []byte
	size, at   int64
	i          int
	left       []byte
	done       bool
}

func (r *repeated) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		switch {
		case r.i == 0:
			r.left = append([]byte(r.head), r.make(0)...)
		case r.at < r.size:
			r.left = r.make(r.i)
		case !r.done:
			r.left, r.done = []byte(r.tail), true
		default:
			return 0, io.EOF
		}
		r.i++
		r.at += int64(len(r.left))
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// BenchmarkSplit reads, groups and decodes a log of some size. heap-MB is the most that the heap
// ever took.
func BenchmarkSplit(b *testing.B) {
	words := bytes.Repeat([]byte("some words of an answer &amp; more "), 60)
	row := func(i int) []byte {
		comma := ","
		if i == 0 {
			comma = ""
		}
		return fmt.Appendf(nil, `%s{"header":"Gemini Apps","title":"Prompted question number %d","time":"2026-01-%02dT%02d:%02d:%02d.%03dZ","products":["Gemini Apps"],"details":[{"name":"x","url":"https://gemini.google.com/app/c%d"}],"safeHtmlItem":[{"html":"<p>%s</p><ul><li>a</li></ul>"}]}`,
			comma, i, 1+i/86400%28, i/3600%24, i/60%60, i%60, i%1000, i*7919%100_000, words)
	}
	cell := func(i int) []byte {
		return []byte(outerCell(fmt.Sprintf("Prompted&nbsp;question number %d<br>Jan %d, 2026, %d:%02d:%02d AM PDT<br><p>%s</p>", i, 1+i/86400%28, 1+i/3600%12, i/60%60, i%60, words)))
	}
	for _, c := range []struct {
		name, role string
		size       int64
		log        repeated
	}{
		{"rows-32MB", "activity", 32 << 20, repeated{head: "[", tail: "]", make: row}},
		{"cells-32MB", "activity-page", 32 << 20, repeated{head: "<html>", tail: "</body></html>", make: cell}},
		{"rows-1GB", "activity", 1 << 30, repeated{head: "[", tail: "]", make: row}},
		{"cells-1GB", "activity-page", 1 << 30, repeated{head: "<html>", tail: "</body></html>", make: cell}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(c.size)
			peak := uint64(0)
			for b.Loop() {
				log := c.log
				log.size = c.size
				m := archive.NewMember("MyActivity", -1, 0, func(context.Context) (io.ReadCloser, error) { return io.NopCloser(&log), nil })
				n := 0
				claim := importer.Claim{Members: []importer.ClaimedMember{{Member: m, Role: c.role}}}
				limits := importer.Limits{Scratch: b.TempDir()}
				for u, err := range gemini.New().Split(b.Context(), claim, limits) {
					if err == nil && u.Err != nil {
						err = u.Err
					}
					if err == nil {
						_, err = gemini.New().Decode(u)
					}
					if err != nil {
						b.Fatal(err)
					}
					if n++; n%2000 == 1 {
						var ms runtime.MemStats
						runtime.ReadMemStats(&ms)
						peak = max(peak, ms.HeapSys)
					}
				}
			}
			b.ReportMetric(float64(peak)/(1<<20), "heap-MB")
		})
	}
}
