package progress

import (
	"testing"
	"time"
)

func TestPaceTellsRateAndTimeLeft(t *testing.T) {
	for _, c := range []struct {
		done, left int64
		took       time.Duration
		text       texter
		want       string
	}{
		{40e6, 60e6, 2 * time.Second, byteText, ", 20.0 MB/s, 3 s left"},
		{600, 18_000, 10 * time.Second, countText, ", 60/s, 5 min left"},
		{10, 100_000, 10 * time.Second, countText, ", 1/s, 27.8 h left"},
		{10, 0, 10 * time.Second, countText, ", 1/s"},
		{5, 95, 10 * time.Millisecond, countText, ""}, // too soon to tell
		{0, 95, time.Minute, countText, ""},           // nothing to tell from
	} {
		if got := pace(c.done, c.left, c.took, c.text); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

func TestAmountsAreShownWithTheirTotal(t *testing.T) {
	if got := byteText(1_500_000, 3_000_000); got != "1.5 of 3.0 MB" {
		t.Errorf("got %q", got)
	}
	if got := countText(3, 9); got != "3 of 9" {
		t.Errorf("got %q", got)
	}
}
