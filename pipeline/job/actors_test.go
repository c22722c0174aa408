package job_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// asker does Asks one after another, and notes in storage which have returned.
func (sc *scenario) asker(asks ...ask) statetest.Actor {
	return func(p *statetest.Process) {
		ctx := context.Background()
		for _, a := range asks {
			p.Await("asks "+a.want, func(s *statetest.Store) int {
				if a.want == "redrive" {
					return len(s.Keys(state.JobKey(owner, drops[a.drop])))
				}
				return 1
			})
			prefix := state.FailedPrefix(owner, drops[a.drop], 0)
			failed := p.Look().Keys(prefix)
			p.Note(failed...)
			j := job.New(p.Store(), job.Options{Parallel: 1})
			got, err := a.do(ctx, j)
			if err != nil {
				panic(err)
			}
			note(p.Look(), fmt.Sprintf("returned/%s.%d/%s", drops[a.drop], got.Gen, a.want))
			now, err := job.New(p.Look(), job.Options{}).Read(ctx, ref(a.drop))
			if err != nil {
				panic(err)
			}
			for _, key := range failed {
				// A newer generation was opened after this Ask began, and tries again.
				if now.Gen == got.Gen && strings.HasPrefix(key, state.FailedPrefix(owner, drops[a.drop], got.Gen)) {
					note(p.Look(), "violated/P9 an Ask shared a generation with an earlier failure")
				}
			}
			p.Forget()
		}
	}
}

func note(s *statetest.Store, key string) {
	if _, err := s.Put(context.Background(), key, strings.NewReader(""), blob.PutOptions{}); err != nil {
		panic(err)
	}
}

// worker takes what is offered for ever.
func (sc *scenario) worker(offered func(*statetest.Store) [][]job.Task) statetest.Actor {
	return func(p *statetest.Process) {
		for {
			p.Forget()
			n := p.Await("takes", func(s *statetest.Store) int { return len(offered(s)) })
			tasks := offered(p.Look())[n]
			p.Note(fmt.Sprint(tasks))
			h := &handler{scenario: sc, store: p.Store(), raw: p.Look(), choose: p.Choose}
			if err := h.handle(context.Background(), tasks...); err != nil && !errors.As(err, new(*fault.Later)) {
				panic(err)
			}
		}
	}
}

// sweep sweeps whenever there is something to sweep.
func sweep(p *statetest.Process) {
	for {
		p.Forget()
		p.Await("sweeps", func(s *statetest.Store) int {
			n, err := job.New(s.Clone(), job.Options{}).Sweep(context.Background())
			if err != nil {
				panic(err)
			}
			return min(n, 1)
		})
		if _, err := job.New(p.Store(), job.Options{}).Sweep(context.Background()); err != nil {
			panic(err)
		}
	}
}
