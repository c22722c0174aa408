package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/state"
)

// State is what a run has left, as far as it must be the same whatever happened on the way.
type State struct {
	// Files are objects by a name in which nothing of chance is: of each owner the current store, its conversations, assets and
	// vectors, and all results of all imports.
	Files map[string][]byte
	// Letters are the dead letters, without when and how often.
	Letters map[string]bool
	// LettersLost: some may be missing, for the broker lost what it had.
	LettersLost bool
	// Wrong is what is wrong in itself, whatever the other run says.
	Wrong []string
	// Shards counts those of all imports, Asked those that hold something to extract.
	Shards, Asked int
	// again counts what was asked for once more, each time of any number of drops.
	again int
	// Superseded counts conversation files and exports that no current store names: those of stores in between.
	Superseded int
}

func (s *State) wrong(format string, args ...any) {
	s.Wrong = append(s.Wrong, fmt.Sprintf(format, args...))
}

// read takes the state of everything in the bucket and of the dead letters.
func (r *run) read(ctx context.Context) (State, error) {
	s := State{Files: map[string][]byte{}, Letters: map[string]bool{}, again: r.askedAgain()}
	all, err := objects(ctx, r.quiet, "")
	if err != nil {
		return s, err
	}
	for key := range all {
		if top, _, _ := strings.Cut(key, "/"); top == "work" {
			s.wrong("left over: %s", key)
		}
	}
	for _, owner := range r.material.Owners {
		if err := s.owner(r.material, owner, all); err != nil {
			return s, fmt.Errorf("read what %s has: %w", owner, err)
		}
		if err := r.validate(ctx, &s, owner); err != nil {
			return s, err
		}
	}
	s.strangers(r.material.Owners, all)
	return s, r.letters(ctx, &s)
}

// objects reads everything under a prefix; there is not much.
func objects(ctx context.Context, s blob.Store, prefix string) (map[string][]byte, error) {
	var mu sync.Mutex
	out := map[string][]byte{}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for o, err := range s.List(ctx, prefix) {
		if err != nil {
			return nil, errors.Join(err, g.Wait())
		}
		if strings.HasPrefix(o.Key, "inbox/") && !strings.HasSuffix(o.Key, "/drop.json") {
			continue // what the run put there itself
		}
		g.Go(func() error {
			rc, _, err := s.Get(ctx, o.Key, blob.Range{})
			if err != nil {
				return err
			}
			defer rc.Close()
			body, err := io.ReadAll(rc)
			if err == nil && int64(len(body)) != o.Size {
				err = fmt.Errorf("object %s has %d bytes, the list says %d", o.Key, len(body), o.Size)
			}
			mu.Lock()
			defer mu.Unlock()
			out[o.Key] = body
			return err
		})
	}
	return out, g.Wait()
}

// owner files what an owner has under names without chance.
func (s *State) owner(m Material, owner string, all map[string][]byte) error {
	prefix := "owners/" + owner + "/"
	var head state.Head
	var inputs state.Inputs
	if body, ok := all[prefix+"head.json"]; ok {
		if err := errors.Join(json.Unmarshal(body, &head), json.Unmarshal(all[prefix+"inputs/"+head.Inputs+".json"], &inputs)); err != nil {
			return err
		}
	}
	store := all[prefix+"exports/"+head.ExportID+".json"]
	if !bytes.Equal(all[prefix+"memory-store.json"], store) {
		s.wrong("%smemory-store.json is not the store that the head names", prefix)
	}
	if vectors := all[prefix+"exports/"+head.ExportID+".embeddings.json"]; !bytes.Equal(all[prefix+"embeddings.json"], vectors) {
		s.wrong("%sembeddings.json is not what the head names", prefix)
	}
	published := 0
	for key, body := range all {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok {
			continue
		}
		top, name, _ := strings.Cut(rest, "/")
		switch {
		case rest == "head.json":
			s.Files[key] = headForm(head)
		case rest == "memory-store.json", rest == "embeddings.json":
		case rest == "gathered.zst": // copies of what is compared itself
		case top == "inputs":
			if strings.TrimSuffix(name, ".json") == head.Inputs {
				s.Files[prefix+"inputs"] = body
			}
		case top == "exports":
			id, kind, _ := strings.Cut(name, ".")
			if id != head.ExportID {
				s.Superseded++
				continue
			}
			form, err := documentForm(kind, body)
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			s.Files[prefix+"current."+kind] = form
		case top == "conversations":
			if !bytes.Contains(store, []byte(`"`+rest+`"`)) {
				s.Superseded++
				continue
			}
			s.Files[key] = body
		case path.Base(rest) == "receipt.json":
			form, changed, err := receiptForm(body)
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			if changed {
				published++
			}
			s.Files[key] = form
			s.drop(inputs, key, body)
		case path.Base(rest) == "manifest.json":
			form, err := s.manifest(body)
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			s.Files[key] = form
		case path.Base(rest) == "spent.json": // what a worker that was killed had asked a service, it asked again
		case strings.HasPrefix(rest, "imports/") && (path.Ext(rest) == ".jsonl" || path.Ext(rest) == ".json"):
			s.Files[key] = oneName(body)
		default:
			s.Files[key] = body
		}
	}
	// Each drop that says something new is one swap. One that is taken once more, after a worker was killed, is asked for anew, and
	// that may be another.
	if head.Sequence < 1 || head.Sequence > 4*int64(len(m.Drops)*(1+s.again)) || published == 0 {
		s.wrong("the head of %s has sequence %d after %d exports of %d drops", owner, head.Sequence, published, len(m.Drops))
	}
	return nil
}

// drop checks that the store of an owner is made of every import that says so.
func (s *State) drop(in state.Inputs, key string, receipt []byte) {
	var r state.Receipt
	if err := json.Unmarshal(receipt, &r); err != nil {
		s.wrong("%s: %v", key, err)
		return
	}
	accepted := r.State == state.StateDone || r.State == state.StateLosses
	if accepted != (in.Drops[r.Drop] == r.Import || slices.Contains(in.Past, r.Import)) {
		s.wrong("%s says %q, and the head's input set has %q for its drop", key, r.State, in.Drops[r.Drop])
	}
}

// letters reads the dead letters.
func (r *run) letters(ctx context.Context, s *State) error {
	stream, err := r.js.Stream(ctx, pipeline.StreamDLQ)
	if err != nil {
		return fmt.Errorf("look at dead letters: %w", err)
	}
	c, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return fmt.Errorf("look at dead letters: %w", err)
	}
	for left := stream.CachedInfo().State.Msgs; left > 0; left-- {
		msg, err := c.Next(jetstream.FetchMaxWait(5 * time.Second))
		if err != nil {
			return fmt.Errorf("read dead letters: %w", err)
		}
		var l pipeline.DeadLetter
		if err := json.Unmarshal(msg.Data(), &l); err != nil {
			return fmt.Errorf("read dead letter: %w", err)
		}
		s.Letters[letterForm(l)] = true
	}
	return nil
}
