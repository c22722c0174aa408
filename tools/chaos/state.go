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

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// State is what a run has left, as far as it must be the same whatever happened on the way.
type State struct {
	// Files are objects by a name in which nothing of chance is: of each owner the current store,
	// its conversations, assets and vectors, the outcome of each job, and the results of all
	// imports.
	Files map[string][]byte
	// Letters are the dead letters, without generation and attempts.
	Letters map[string]bool
	// Wrong is what is wrong in itself, whatever the other run says.
	Wrong []string
	// Shards counts those of all imports, Asked those that hold something to extract.
	Shards, Asked int
	// Superseded counts exports, conversation files and receipts that no current store names.
	Superseded int
}

func (s *State) wrong(format string, args ...any) {
	s.Wrong = append(s.Wrong, fmt.Sprintf(format, args...))
}

// read takes the state of everything in the bucket.
func (r *run) read(ctx context.Context) (State, error) {
	s := State{Files: map[string][]byte{}, Letters: map[string]bool{}}
	if err := r.prune(ctx); err != nil {
		return s, err
	}
	if err := r.scan(&s); err != nil {
		return s, err
	}
	all, err := readObjects(ctx, r.quiet, "")
	if err != nil {
		return s, err
	}
	for _, owner := range r.material.Owners {
		if err := s.owner(owner, all, r.pruned()); err != nil {
			return s, fmt.Errorf("read what %s has: %w", owner, err)
		}
		if err := r.validate(ctx, &s, owner); err != nil {
			return s, err
		}
		if err := s.promises(ctx, r.quiet, owner); err != nil {
			return s, fmt.Errorf("check the promises to %s: %w", owner, err)
		}
		if err := s.recompute(ctx, r.quiet, owner, r.folder); err != nil {
			return s, fmt.Errorf("compute the store of %s again: %w", owner, err)
		}
	}
	s.strangers(r.material.Owners, all)
	return s, r.letters(ctx, &s)
}

// readObjects reads everything under a prefix; there is not much.
func readObjects(ctx context.Context, s blob.Store, prefix string) (map[string][]byte, error) {
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

// current is what an owner's head says.
type current struct {
	prefix string
	head   state.Head
	inputs state.Inputs
	store  []byte
}

// owner files what an owner has under names without chance. So many prunes have repeated the head;
// negative: nobody knows how many.
func (s *State) owner(owner string, all map[string][]byte, prunes int64) error {
	c := current{prefix: "owners/" + owner + "/"}
	if body, ok := all[c.prefix+"head.json"]; ok {
		if err := errors.Join(json.Unmarshal(body, &c.head), json.Unmarshal(all[c.prefix+"inputs/"+c.head.Inputs+".json"], &c.inputs)); err != nil {
			return err
		}
	}
	c.store = all[c.prefix+"exports/"+c.head.ExportID+".json"]
	if !bytes.Equal(all[c.prefix+"memory-store.json"], c.store) {
		s.wrong("%smemory-store.json is not the store that the head names", c.prefix)
	}
	if vectors := all[c.prefix+"exports/"+c.head.ExportID+".embeddings.json"]; !bytes.Equal(all[c.prefix+"embeddings.json"], vectors) {
		s.wrong("%sembeddings.json is not what the head names", c.prefix)
	}
	s.formats(c, all)
	generations := int64(0)
	for key, body := range all {
		rest, ok := strings.CutPrefix(key, c.prefix)
		if !ok {
			continue
		}
		top, _, _ := strings.Cut(rest, "/")
		if top == "jobs" || rest == "job.json" {
			var r job.Record
			if err := json.Unmarshal(body, &r); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			generations += int64(r.Gen)
		}
		if err := s.file(c, key, rest, body); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	// Each generation enters the input set once at most.
	if c.head.Sequence < 1 || prunes >= 0 && c.head.Sequence > generations+prunes {
		s.wrong("the head of %s has sequence %d after %d generations", owner, c.head.Sequence, generations)
	}
	return nil
}

// file files one object of an owner in a form without chance.
func (s *State) file(c current, key, rest string, body []byte) (err error) {
	top, name, _ := strings.Cut(rest, "/")
	switch {
	case rest == "head.json":
		s.Files[key] = headForm(c.head)
	case rest == "memory-store.json", rest == "embeddings.json", strings.HasPrefix(rest, "memories."): // copies
	case top == "heads": // copies of each head
	case rest == "cache.zst": // copies of what is compared itself
	case top == "moments", path.Base(rest) == "spent.json": // of publishing; what a worker that was killed had asked a service, it asked again
	case top == "jobs", rest == "job.json":
		s.Files[key], err = recordForm(body)
	case top == "inputs":
		if strings.TrimSuffix(name, ".json") == c.head.Inputs {
			s.Files[c.prefix+"inputs"], err = inputsForm(c.inputs)
		}
	case top == "receipts":
		drop, gen, _ := strings.Cut(strings.TrimSuffix(name, ".json"), "/")
		if gen != fmt.Sprint(c.inputs.Drops[drop].Gen) {
			s.Superseded++
			return nil
		}
		s.Files[c.prefix+"receipts/"+drop], err = receiptForm(body)
	case top == "exports":
		id, kind, _ := strings.Cut(name, ".")
		if id != c.head.ExportID || kind == "change.json" { // the change depends on the order of arrival
			s.Superseded++
			return nil
		}
		if slices.Contains(ends, "."+kind) { // it has the date of the export, and is compared with the head
			return nil
		}
		s.Files[c.prefix+"current."+kind], err = documentForm(kind, body)
	case top == "conversations":
		if !bytes.Contains(c.store, []byte(`"`+rest+`"`)) {
			s.Superseded++
			return nil
		}
		s.Files[key] = body
	case path.Base(rest) == "manifest.json":
		s.Files[key], err = s.manifest(body)
	case isPartial(rest):
		s.Superseded++
	case strings.HasPrefix(rest, "imports/") && (path.Ext(rest) == ".jsonl" || path.Ext(rest) == ".json"):
		s.Files[key] = oneName(body)
	default:
		s.Files[key] = body
	}
	return err
}

// isPartial tells whether an object is a partial result: what an input set needs of it, the
// promises check.
func isPartial(rest string) bool {
	_, name, ok := strings.Cut(rest, "/candidates/")
	_, gen, isResult := state.ParseResult(name)
	return ok && isResult && gen > 0
}

// letters reads the dead letters.
func (r *run) letters(ctx context.Context, s *State) error {
	for l, err := range job.New(r.quiet, job.Options{}).DeadLetters(ctx, job.Filter{WrongUploads: true}) {
		if err != nil {
			return fmt.Errorf("read dead letters: %w", err)
		}
		s.Letters[letterForm(l)] = true
	}
	return nil
}
