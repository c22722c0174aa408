package main

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
)

// put uploads a drop into the inbox and tries until it is there, as a person would whose upload
// fails.
func (r *run) put(ctx context.Context, d Drop) error {
	store := r.loud
	if d.Silent {
		store = r.quiet
	}
	key := "inbox/" + d.Owner + "/" + d.Name
	if !d.Folder {
		return upload(ctx, store, key, d.Parts[0].Body)
	}
	began := time.Now()
	var g errgroup.Group
	for _, p := range d.Parts {
		g.Go(func() error { return upload(ctx, store, key+"/"+p.Name, p.Body) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if d.Marked {
		if err := upload(ctx, store, key+"/_COMPLETE", nil); err != nil {
			return err
		}
	}
	if took := time.Since(began); took > folderQuiet {
		r.fail("the upload of a folder took %.1f s, longer than drop.quiet: it may have been taken twice, so this run tells nothing", took.Seconds())
	}
	return nil
}

func upload(ctx context.Context, s blob.Store, key string, body []byte) error {
	for {
		_, err := s.Put(ctx, key, bytes.NewReader(body), blob.PutOptions{})
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("put %s: %w", key, err)
		}
		pauseFor(ctx, 100*time.Millisecond)
	}
}
