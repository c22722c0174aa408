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
	start := time.Now()
	x, changes, err := search.OpenCurrent(ctx, path, b, "", nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	build := time.Since(start)
	start = time.Now()
	if _, err := x.Update(ctx, b, "", nil); err != nil {
		return err
	}
	update := time.Since(start)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	times, err := askQueries(ctx, x, b)
	if err != nil {
		return err
	}
	disk, err := sizeOf(filepath.Join(folder, "conversations"))
	if err != nil {
		return err
	}
	const mb = 1 << 20
	fmt.Printf("%d\t%d of %d MB\t%d MB\t%.2f\t%.1f s\t%.1f MB/s\t%.2f s\t%d\t%.1f ms\t%.1f ms\t%.1f ms\t%d MB\n",
		changes.Read, changes.TextBytes/mb, disk/mb, info.Size()/mb, float64(info.Size())/float64(changes.TextBytes), build.Seconds(), float64(changes.TextBytes)/mb/build.Seconds(),
		update.Seconds(), len(times), ms(times[len(times)/2]), ms(times[len(times)*95/100]), ms(times[len(times)-1]), peakMemory()/mb)
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// askQueries measures queries of one to three words, phrases, prefixes and exclusions. The words are drawn
// as they are in texts: frequent ones more often.
func askQueries(ctx context.Context, x *search.Index, b *pamio.Bundle) ([]time.Duration, error) {
	w := newWriter()
	var times []time.Duration
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
			return nil, err
		}
		start := time.Now()
		if _, err := x.Find(ctx, b, q, o); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	return times, nil
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
