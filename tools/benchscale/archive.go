package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
)

// besideBare measures the import of one archive by a cluster, and a bare client that puts the
// objects which came of it into the same server, as many at once as a worker does.
func (p *plan) besideBare(ctx context.Context, root string) error {
	p.owners, p.drops, p.conversations = 1, 1, p.archive
	fmt.Printf("%7s %13s %8s %8s %9s %7s %10s  %s\n", "workers", "conversations", "objects", "MB", "import s", "bare s", "times", "CPU by stage")
	for _, n := range p.workers {
		err := p.onCluster(ctx, root, fmt.Sprintf("archive-%d", n), n, func(b *bench) error {
			f, err := b.run(ctx, 0)
			if err != nil {
				return err
			}
			items, size, err := b.objects(ctx)
			if err != nil {
				return err
			}
			bare, err := b.putBare(ctx, items)
			if err != nil {
				return err
			}
			fmt.Print(bareRow(n, p.archive, len(items), size, f, bare))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// bareRow is a line of the table: the import is timed from the end of the upload to its end.
func bareRow(workers, conversations, objects int, size int64, f figures, bare time.Duration) string {
	imported := f.delays[0]
	return fmt.Sprintf("%7d %13d %8d %8.1f %9.2f %7.2f %9.2fx  ingest %.1f s, extract %.1f s, assemble %.1f s, s3 %.1f s\n",
		workers, conversations, objects, float64(size)/1e6, imported.Seconds(), bare.Seconds(), imported.Seconds()/bare.Seconds(),
		f.cpu["ingest"].Seconds(), f.cpu["extract"].Seconds(), f.cpu["assemble"].Seconds(), f.cpu["s3"].Seconds())
}

// objects reads all that the import wrote for its owner.
func (b *bench) objects(ctx context.Context) (items []blob.Item, size int64, err error) {
	store, err := b.c.Gateway.Open(ctx, false)
	if err != nil {
		return nil, 0, err
	}
	prefix := "owners/" + ownerName(0) + "/"
	for o, err := range store.List(ctx, prefix) {
		if err != nil {
			return nil, 0, fmt.Errorf("list what was imported: %w", err)
		}
		body, err := readObject(ctx, store, o.Key)
		if err != nil {
			return nil, 0, err
		}
		items = append(items, blob.Item{Key: "bare/" + strings.TrimPrefix(o.Key, prefix), Body: body})
		size += int64(len(body))
	}
	return items, size, nil
}

func readObject(ctx context.Context, store blob.Store, key string) ([]byte, error) {
	rc, _, err := store.Get(ctx, key, blob.Range{})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	defer rc.Close() //nolint:errcheck // only read
	body, err := io.ReadAll(rc)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return body, nil
}

// putBare times the same client that workers have, with nothing else to do.
func (b *bench) putBare(ctx context.Context, items []blob.Item) (time.Duration, error) {
	store, err := b.c.Gateway.OpenAsWorker(ctx)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	written, err := blob.PutAbsentAll(ctx, store, items)
	if err != nil {
		return 0, fmt.Errorf("put objects as a bare client: %w", err)
	}
	if written != len(items) {
		return 0, fmt.Errorf("the bare client put %d objects of %d: others were there", written, len(items))
	}
	return time.Since(start), nil
}
