package work

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap/zapcore"

	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// failing is a stage of extraction that calls fail before it does its work.
func failing(fail func(t extraction.Task, try int64) error) func(*process, *stages) {
	var tries atomic.Int64
	return func(_ *process, s *stages) {
		real := s.extract
		s.extract = func(ctx context.Context, o extraction.Options, t extraction.Task) (state.ResultHeader, bool, error) {
			err := fail(t, tries.Add(1))
			if late := o.Admit([]string{"an importer"}); err != nil && late != nil {
				err = late
			}
			if err != nil {
				return state.ResultHeader{}, false, err
			}
			return real(ctx, o, t)
		}
	}
}

// withMetrics gives the next processes metrics.
func (r *rig) withMetrics() *prometheus.Registry {
	r.t.Helper()
	reg := prometheus.NewRegistry()
	m, err := telemetry.NewMetrics(reg)
	if err != nil {
		r.t.Fatal(err)
	}
	before := r.change
	r.change = func(o *Options) {
		if before != nil {
			before(o)
		}
		o.Metrics, o.Ingest.Metrics, o.Extraction.Metrics, o.Publish.Metrics = m, m, m, m
	}
	return reg
}

// figure sums a metric over its labels; those that match must be in the labels' values.
func figure(t *testing.T, reg *prometheus.Registry, name string, match ...string) (sum float64) {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			all := m.String()
			ok := true
			for _, want := range match {
				ok = ok && strings.Contains(all, `"`+want+`"`)
			}
			if ok {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return sum
}

func TestAUnitHasItsAttemptsAndThenFails(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.limits.ShardItems = 2
	var tries atomic.Int64
	r.wrap = failing(func(t extraction.Task, _ int64) error {
		if t.Pack != 1 {
			return nil
		}
		tries.Add(1)
		return &fault.NamedError{Doing: "read", Name: "my diary.txt", Err: errors.New("it makes no sense")}
	})
	reg := r.withMetrics()
	ref := r.drop("ann", talks("a", 5, likes))
	p := r.start()
	p.run()
	rec := p.importDrop(ref)
	p.stop()
	receipt := r.receipt(ref, 1)
	failed := receipt.Extraction.Failed
	if rec.Outcome != job.Done || tries.Load() != 3 || receipt.State != state.StateLosses || len(failed) != 1 || receipt.Extraction.Candidates == 0 {
		t.Fatalf("%d tries, record %+v, receipt %+v", tries.Load(), rec, receipt)
	}
	if !strings.Contains(failed[0].Reason, "my diary.txt") {
		t.Errorf("the owner is told %q only", failed[0].Reason)
	}
	letters := r.deadLetters()
	if len(letters) != 1 || letters[0].Unit != failed[0].Shard || letters[0].Attempts != 3 || letters[0].Class != fault.Unit || strings.Contains(letters[0].Reason, "diary") {
		t.Errorf("dead letters %+v", letters)
	}
	if lines := r.logged(zapcore.DebugLevel, "diary"); len(lines) > 0 {
		t.Errorf("logged %v", lines)
	}
	if lines := r.logged(zapcore.ErrorLevel, ""); len(lines) != 1 {
		t.Errorf("errors in the log: %v", lines)
	}
	for _, want := range []struct {
		n      float64
		metric string
		labels []string
	}{
		{1, "pam_dlq_total", []string{"extract", "unit"}}, {1, "pam_dlq_total", nil}, {3, "pam_units_total", []string{"extract", "unit"}},
		{1, "pam_units_total", []string{"ingest", "ok"}}, {1, "pam_imports_total", []string{state.StateLosses}}, {0, "pam_inflight", nil},
	} {
		if got := figure(t, reg, want.metric, want.labels...); got != want.n {
			t.Errorf("%s%v is %v, want %v", want.metric, want.labels, got, want.n)
		}
	}
}

func TestAPermanentFailureHasOneAttempt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var tries atomic.Int64
	r.wrap = failing(func(_ extraction.Task, try int64) error {
		tries.Store(try)
		return fault.Permanentf("mend it", "extract shard: it is damaged")
	})
	ref := r.drop("ann", talks("a", 2, likes))
	p := r.start()
	p.run()
	p.importDrop(ref)
	f := r.receipt(ref, 1).Extraction.Failed
	if tries.Load() != 1 || len(f) != 1 || f[0].Reason != "extract shard: it is damaged" || f[0].Hint != "mend it" {
		t.Errorf("%d tries, failed %+v", tries.Load(), f)
	}
}

func TestAnOutageIsNoAttempt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var trouble atomic.Int64
	r.change = func(o *Options) {
		o.Trouble = func(_ job.Task, c fault.Class, _ uint64) {
			if c == fault.Outage {
				trouble.Add(1)
			}
		}
	}
	r.wrap = failing(func(_ extraction.Task, try int64) error {
		if try <= 6 {
			return &fault.Fault{Class: fault.Outage, Err: errors.New("no storage")}
		}
		return nil
	})
	ref := r.drop("ann", talks("a", 2, likes))
	p := r.start()
	p.run()
	p.importDrop(ref)
	p.stop()
	if receipt := r.receipt(ref, 1); receipt.State != state.StateDone || trouble.Load() != 6 {
		t.Errorf("%d outages, receipt %+v", trouble.Load(), receipt)
	}
	if lines := r.logged(zapcore.ErrorLevel, ""); len(lines) > 0 {
		t.Errorf("errors in the log: %v", lines)
	}
}

func TestAPanicIsAFailureOfItsUnitAndQuotesNothing(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"ingest", "extract", "assemble"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.wrap = func(_ *process, s *stages) {
				switch stage {
				case "ingest":
					s.ingest = func(context.Context, ingest.Options, ingest.Request, ingest.Publish) (state.Manifest, error) {
						panic("my secret")
					}
				case "extract":
					s.extract = func(context.Context, extraction.Options, extraction.Task) (state.ResultHeader, bool, error) {
						panic("my secret")
					}
				default:
					s.compute = nil
				}
			}
			ref := r.drop("ann", talks("a", 2, likes))
			p := r.start()
			p.run()
			rec := p.importDrop(ref)
			p.stop()
			letters := r.deadLetters()
			if rec.State != job.Ended || len(letters) != 1 || string(letters[0].Kind) != stage || letters[0].Attempts != 3 ||
				!strings.Contains(letters[0].Reason, "panic") || strings.Contains(letters[0].Reason, "\n") {
				t.Errorf("record %+v, dead letters %+v", rec, letters)
			}
			if lines := r.logged(zapcore.DebugLevel, "secret"); len(lines) > 0 {
				t.Errorf("logged %v", lines)
			}
		})
	}
}

func TestAWrongUploadIsAResultForItsOwner(t *testing.T) {
	t.Parallel()
	for name, archive := range map[string][]byte{
		"not an export": zipOf(map[string]string{"shopping.txt": "milk"}),
		"no archive":    []byte("PK\x03\x04 and then nothing"),
		"empty":         zipOf(map[string]string{"conversations.json": "[]"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			reg := r.withMetrics()
			ref := r.drop("ann", archive)
			p := r.start()
			p.run()
			rec := p.importDrop(ref)
			letters := r.deadLetters()
			if rec.Outcome != job.Refused || len(letters) != 1 || !letters[0].IsWrongUpload() || letters[0].Hint == "" && letters[0].Detail == "" {
				t.Fatalf("record %+v, failure %+v", rec, letters)
			}
			if lines := r.logged(zapcore.WarnLevel, ""); len(lines) > 0 {
				t.Errorf("logged %v", lines)
			}
			if lines := r.logged(zapcore.DebugLevel, "friend"); len(lines) > 0 {
				t.Errorf("the log names the file: %v", lines)
			}
			if got := figure(t, reg, "pam_dlq_total"); got != 0 {
				t.Errorf("pam_dlq_total is %v", got)
			}
			if got := figure(t, reg, "pam_imports_total", state.StateRefused); got != 1 {
				t.Errorf("%v imports are refused", got)
			}
			for l := range p.jobs.DeadLetters(t.Context(), job.Filter{}) {
				t.Errorf("listed as dead letter: %+v", l)
			}
			same := func(p *process, want job.Want) bool {
				f, same, err := p.worker.RefusedBefore(t.Context(), ref, want)
				if err != nil || same && f != letters[0].Failure {
					t.Errorf("%+v, %v", f, err)
				}
				return same
			}
			if !same(p, job.Want{}) || same(p, job.Want{Importer: "claude"}) || same(p, job.Want{Erase: true}) {
				t.Error("the same reading is not known, or another is")
			}
			r.limits.MaxConversation *= 2
			if same(r.start(), job.Want{}) {
				t.Error("a reading with other limits is called the same")
			}
			gen := p.ask(ref, job.Want{})
			if rec := p.wait(ref, gen); rec.Gen != 2 || rec.Outcome != job.Refused || len(r.deadLetters()) != 1 {
				t.Errorf("asked again: %+v", rec)
			}
		})
	}
}

func TestADropWithoutArchiveIsNoWrongUpload(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref := r.drop("ann", talks("a", 2, likes))
	if err := r.data.Delete(t.Context(), state.DropKey("ann", ref.Drop, "part-000")); err != nil {
		t.Fatal(err)
	}
	p := r.start()
	p.run()
	rec := p.importDrop(ref)
	if l := r.deadLetters(); rec.Outcome != job.Refused || len(l) != 1 || l[0].IsWrongUpload() || l[0].Hint == "" {
		t.Errorf("record %+v, dead letters %+v", rec, l)
	}
	if _, same, err := p.worker.RefusedBefore(t.Context(), ref, job.Want{}); same || err != nil {
		t.Errorf("refused in the same way: %v, %v", same, err)
	}
}

func TestWhatAServiceDoesNotAnswerIsAFailedShardThatARedriveCompletes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	model := &stagetest.Model{}
	r.askModel(model)
	ref := r.drop("ann", talks("a", 2, likes))
	p := r.start()
	p.run()
	p.importDrop(ref)
	receipt := r.receipt(ref, 1)
	before, _ := r.head("ann")
	letters := r.deadLetters()
	if receipt.State != state.StateLosses || receipt.Extraction.Unanswered["no-answer"] != 2 || len(receipt.Extraction.Failed) != 1 || before.MemoryCount == 0 {
		t.Errorf("receipt %+v", receipt)
	}
	if len(letters) != 1 || letters[0].Attempts != 1 || letters[0].Hint != "start it" || letters[0].Reason != "a service did not answer all questions: 2 × no-answer" {
		t.Errorf("dead letters %+v", letters)
	}
	p.stop()
	model.Answers = true
	p = r.start()
	p.run()
	gen := p.redrive(ref)
	p.wait(ref, gen)
	p.stop()
	after, in := r.head("ann")
	if receipt := r.receipt(ref, gen); receipt.State != state.StateDone || after.MemoryCount <= before.MemoryCount || len(in.Short) != 0 || len(r.deadLetters()) != 0 {
		t.Errorf("receipt %+v, head %+v, inputs %+v", receipt, after, in)
	}
}

func TestUnitsThatAllFailEndTheirImportsBehindABreaker(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.limits.ShardItems = 1
	r.change = func(o *Options) {
		o.Now = time.Now
		o.Breaker = Breaker{Failures: 2, Pause: 20 * time.Millisecond}
	}
	r.wrap = failing(func(t extraction.Task, _ int64) error {
		if t.Owner == "ann" {
			return errBad
		}
		return nil
	})
	reg := r.withMetrics()
	bad, good := r.drop("ann", talks("a", 8, likes)), r.drop("bob", talks("a", 8, likes))
	p := r.start()
	p.ask(bad, job.Want{})
	p.ask(good, job.Want{})
	p.run()
	p.wait(bad, 1)
	p.wait(good, 1)
	if n := len(r.receipt(bad, 1).Extraction.Failed); n != 8 {
		t.Errorf("%d shards failed", n)
	}
	if receipt := r.receipt(good, 1); receipt.State != state.StateDone {
		t.Errorf("the other owner's receipt %+v", receipt)
	}
	if figure(t, reg, "pam_units_total", "extract", "later") == 0 {
		t.Error("no unit has waited for the breaker")
	}
}
