package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWhatCannotBeMeasuredIsRefused(t *testing.T) {
	here, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bin, sizes string
		rounds     int
		want       string
	}{
		{here, "600", 0, "-rounds"},
		{here, "600,", 1, "-conversations"},
		{here, "-600", 1, `read -conversations: "-600" is not a number above 0`},
		{filepath.Join(t.TempDir(), "pamline"), "600", 1, "make build"},
	} {
		if err := run(options{bin: c.bin, conversations: c.sizes, rounds: c.rounds}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := run(options{bin: here, conversations: "600", rounds: 1}, []string{"none.zip"}); err == nil || !strings.Contains(err.Error(), "measure none.zip") {
		t.Errorf("an archive that is not there: %v", err)
	}
	if err := run(options{bin: here, conversations: "600", rounds: 1, big: "1MB"}, nil); err == nil || !strings.Contains(err.Error(), `read -big: "1MB"`) {
		t.Errorf("a size with a unit: %v", err)
	}
	if err := run(options{bin: here, conversations: "600", rounds: 1, big: "1", shapes: "round"}, nil); err == nil || !strings.Contains(err.Error(), `there is no shape "round"`) {
		t.Errorf("a shape that there is not: %v", err)
	}
	if err := run(options{bin: here, conversations: "600", rounds: 1, others: "gemini"}, nil); err == nil || !strings.Contains(err.Error(), `read -others: "gemini"`) {
		t.Errorf("a provider without a number: %v", err)
	}
	if err := run(options{bin: here, conversations: "600", rounds: 1, others: "nobody=3"}, nil); err == nil || !strings.Contains(err.Error(), `there is none of "nobody"`) {
		t.Errorf("a provider that there is no export of: %v", err)
	}
}

func TestARowIsWorkedOutFromTheFastestRounds(t *testing.T) {
	var f figures
	for _, ms := range []int{800, 400} {
		one := func(k int) cost {
			return cost{wall: time.Duration(k*ms) * time.Millisecond, cpu: time.Duration(k*ms+100) * time.Millisecond, rss: float64(k * ms)}
		}
		f.unzip.faster(one(1))
		f.bare.faster(one(2))
		f.first.faster(one(5))
		f.again.faster(one(1))
		f.grown.faster(one(3))
	}
	got := strings.Join(strings.Fields(row("a.zip", 60e6, f)), " ")
	want := "a.zip 60.0 0.40 0.80 2.00 0.40 1.20 5.00x 2.50x 0.90 2.10 0.50 1.30 2.33x 4000"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if lines := strings.Split(header, "\n"); len(strings.Fields(lines[1])) != len(strings.Fields(want))+1 { // "JSON MB" is one column
		t.Errorf("the header %q does not fit the row", lines[1])
	}
}

func TestTheBareProgramWritesTheWholeArchive(t *testing.T) {
	name, folder := filepath.Join(t.TempDir(), "a.zip"), filepath.Join(t.TempDir(), "out")
	if err := writeExport(name, 20, 0); err != nil {
		t.Fatal(err)
	}
	if err := bare(name, folder); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if want, err := inflated(name); err != nil || size != want+64 { // and the digest of the archive
		t.Errorf("%d bytes in %d files, want %d: %v", size, len(entries), want+64, err)
	}
}

func TestAStartUpIsReportedByItsBestAndMedianRound(t *testing.T) {
	ms := func(all ...int) (out []time.Duration) {
		for _, n := range all {
			out = append(out, time.Duration(n)*time.Millisecond)
		}
		return out
	}
	got := strings.Join(strings.Fields(startupRow("rules", ms(300, 100, 200), ms(90, 70, 80))), " ")
	if want := "rules 100 ms 200 ms 70 ms 80 ms"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	here, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := run(options{bin: here, conversations: "600", rounds: 1, startup: "none"}, nil); err == nil || !strings.Contains(err.Error(), "find the export") {
		t.Errorf("an export that is not there: %v", err)
	}
}

func TestTheBaselineReadsTheWholeArchive(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.zip")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for member, size := range map[string]int{"a.json": 1000, "b.json": 234} {
		w, err := z.Create(member)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := inflated(name); err != nil || n != 1234 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if c, err := baseline(name); err != nil || c.wall <= 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestTheCostOfEncryptionIsThatOfTheMedianRound(t *testing.T) {
	times := map[bool][]time.Duration{
		false: {time.Second, 2 * time.Second, 4 * time.Second},
		true:  {1050 * time.Millisecond, 2 * time.Second, 8 * time.Second},
	}
	if got, want := encryptionRow("x.zip", times, times), "x.zip              2.00       2.00    5.0%       2.00       2.00    5.0%\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
