package progress

import (
	"bytes"
	"strings"
	"testing"
)

func TestNothingIsDrawnOutsideATerminal(t *testing.T) {
	var out bytes.Buffer
	d := New(&out, false)
	d.Bytes("reading", 1, 2)
	d.Count("shards", 1, 2)
	d.Stop()
	if out.Len() > 0 {
		t.Errorf("drew %q", out.String())
	}
}

func TestBarsAreDrawnAndStopBeforeTheirEnd(t *testing.T) {
	var out bytes.Buffer
	d := New(&out, true)
	d.Bytes("reading", 1<<20, 0)
	d.Bytes("reading", 2<<20, 4<<20)
	d.Count("shards", 3, 9)
	d.Stop()
	for _, want := range []string{"reading", "2.1 of 4.2 MB", "shards", "3 of 9"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
}
