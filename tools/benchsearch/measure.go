package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/search"
)

// rounds is how many queries are measured, and hits how many results of each are asked for.
const (
	rounds = 400
	hits   = 20
)

// measureBundle makes the index of a bundle, updates it, asks it, and prints a line of figures.
func measureBundle(folder string) (err error) {
	ctx := context.Background()
	debug.SetMemoryLimit(search.MemoryAim)
	b, err := pamio.OpenBundle(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	path := filepath.Join(folder, "search.db")
	if err := search.Remove(path); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, search.Remove(path)) }()
	start, startCPU := time.Now(), processorTime()
	x, changes, err := search.OpenCurrent(ctx, path, b, "", nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	build, buildCPU := time.Since(start), processorTime()-startCPU
	start = time.Now()
	if _, err := x.Update(ctx, b, "", nil); err != nil {
		return err
	}
	update := time.Since(start)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	built := peakMemory()
	asked, err := askQueries(ctx, x, b)
	if err != nil {
		return err
	}
	disk, err := sizeOf(filepath.Join(folder, "conversations"))
	if err != nil {
		return err
	}
	const mb = 1 << 20
	wall, cpu := asked.wall, asked.processor
	fmt.Printf("%d\t%d of %d MB\t%d MB\t%.2f\t%.1f s, %.1f s\t%.1f MB/s\t%.2f s\t%d\t%.1f, %.1f ms\t%.1f, %.1f ms\t%.1f, %.1f ms\t%d, %d MB\n",
		changes.Read, changes.TextBytes/mb, disk/mb, info.Size()/mb, float64(info.Size())/float64(changes.TextBytes), build.Seconds(), buildCPU.Seconds(), float64(changes.TextBytes)/mb/build.Seconds(),
		update.Seconds(), len(wall), percentileOf(wall, 50), percentileOf(cpu, 50), percentileOf(wall, 95), percentileOf(cpu, 95), percentileOf(wall, 100), percentileOf(cpu, 100), built/mb, peakMemory()/mb)
	return nil
}

// times are the times of queries: that of the clock and that of processors.
type times struct{ wall, processor []time.Duration }

// percentileOf is the time in ms that a part of the queries, in percent, took at most.
func percentileOf(sorted []time.Duration, percent int) float64 {
	return float64(sorted[min(len(sorted)*percent/100, len(sorted)-1)]) / float64(time.Millisecond)
}

// askQueries measures queries of one to three words, phrases, prefixes and exclusions. The words are drawn
// as they are in texts: frequent ones more often.
func askQueries(ctx context.Context, x *search.Index, b *pamio.Bundle) (t times, err error) {
	w := newWriter()
	for i := range rounds {
		text := w.text(1 + i%3)
		o := search.Options{Limit: hits}
		switch i % 10 {
		case 3:
			text = `"` + w.text(2) + `"`
		case 5:
			text = w.words[1000+w.r.IntN(vocabulary-1000)] + "*"
		case 7:
			text += " -" + w.words[100+w.r.IntN(1000)]
		case 8:
			o.ByTime = true
		case 9:
			o.Provider, o.Role = "claude", "user"
		}
		q, err := search.ParseQuery(text)
		if err != nil {
			return t, err
		}
		start, startCPU := time.Now(), processorTime()
		if _, err := x.Find(ctx, b, q, o); err != nil {
			return t, err
		}
		t.wall, t.processor = append(t.wall, time.Since(start)), append(t.processor, processorTime()-startCPU)
	}
	slices.Sort(t.wall)
	slices.Sort(t.processor)
	return t, nil
}

func sizeOf(folder string) (n int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}
