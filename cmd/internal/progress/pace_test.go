package progress

import (
	"io"
	"testing"
	"time"
)

func TestPaceTellsRateAndTimeLeft(t *testing.T) {
	for _, c := range []struct {
		done, left int64
		took       time.Duration
		unit       unit
		want       string
	}{
		{40e6, 60e6, 2 * time.Second, bytesUnit, ", 20.0 MB/s, 3 s left"},
		{600, 18_000, 10 * time.Second, itemsUnit, ", 60/s, 5 min left"},
		{10, 100_000, 10 * time.Second, itemsUnit, ", 1.0/s, 27.8 h left"},
		{6, 0, 10 * time.Second, itemsUnit, ", 0.6/s"},
		{5, 95, 10 * time.Millisecond, itemsUnit, ""}, // too soon to tell
		{0, 95, time.Minute, itemsUnit, ""},           // nothing to tell from
	} {
		if got := formatPace(c.done, c.left, c.took, c.unit); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

func TestAmountsAreShownWithTheirTotal(t *testing.T) {
	if got := bytesUnit.amount(1_500_000, 3_000_000); got != "1.5 of 3.0 MB" {
		t.Errorf("got %q", got)
	}
	if got := itemsUnit.amount(3, 9); got != "3 of 9" {
		t.Errorf("got %q", got)
	}
}

// The rate of a task that is done stays what it was while others go on, and a total that is not
// known yet is not shown.
func TestTaskThatIsDoneKeepsItsRate(t *testing.T) {
	now := time.Unix(0, 0)
	d := New(io.Discard, true)
	d.now = func() time.Time { return now }
	defer d.Stop()
	text := func() string { return d.bars["parts"].state.Load().text(now, itemsUnit) }

	d.Count("parts", 0, 0)
	now = now.Add(10 * time.Second)
	d.Count("parts", 20, 0)
	if got := text(); got != "20, 2.0/s" {
		t.Errorf("without a total: %q", got)
	}
	d.Count("parts", 20, 40)
	if got := text(); got != "20 of 40, 2.0/s, 10 s left" {
		t.Errorf("with a total: %q", got)
	}
	d.Complete("parts")
	now = now.Add(time.Hour)
	if got := text(); got != "40 of 40, 4.0/s" {
		t.Errorf("done: %q", got)
	}
	d.Count("parts", 1, 40)
	if got := text(); got != "1 of 40" {
		t.Errorf("begun again: %q", got)
	}
	d.Complete("others") // which nobody has begun
}
