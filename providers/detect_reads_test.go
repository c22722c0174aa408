package providers_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers"
)

// However many importers there are, an archive of many files costs a few reads of each: what the
// first bytes show is kept for all who ask, and only text has to be looked at by several.
func TestDetectionReadsEachMemberAFewTimes(t *testing.T) {
	for name, c := range map[string]struct {
		head string
		most int
	}{
		"objects":  {`{"name":"x","geo":{"lat":1.5},"text":"`, 2},
		"lists":    {`[{"id":1,"name":"x","tags":["a"],"text":"`, 3},
		"pictures": {"\xff\xd8\xff\xe0\x00\x10JFIF\x00", 2},
		"pages":    {"<!doctype html><html><body><p>", 6},
		"texts":    {"A note about a boat. ", 12},
	} {
		t.Run(name, func(t *testing.T) {
			const members = 400 // of 64 KiB: more than is kept
			data := c.head + strings.Repeat("some words ", 8<<10)
			opened := make([]int, members)
			a := &archive.Archive{}
			for i := range members {
				a.Members = append(a.Members, archive.NewMember(fmt.Sprintf("folder/%d", i), int64(len(data)), i, func(context.Context) (io.ReadCloser, error) {
					opened[i]++
					return io.NopCloser(strings.NewReader(data)), nil
				}))
			}
			if _, err := providers.Default().Detect(t.Context(), a, providers.Options{}); err == nil {
				t.Fatal("somebody claims it")
			}
			for i, n := range opened {
				if n > c.most {
					t.Fatalf("member %d was opened %d times, want %d at most", i, n, c.most)
				}
			}
		})
	}
}
