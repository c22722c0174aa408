package pipeline

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// sulking is an extractor that panics at conversations with a word in them, as long as it is in the mood.
type sulking struct {
	word string
	on   *atomic.Bool
	read *atomic.Int64
}

func (sulking) Name() string    { return "sulking" }
func (sulking) Version() string { return "sulking/1" }

func (s sulking) Extract(_ *pamio.Conversation, raw []byte) ([]normalize.Candidate, extract.Report) {
	s.read.Add(1)
	if s.on.Load() && bytes.Contains(raw, []byte(s.word)) {
		panic("out of sorts")
	}
	return nil, extract.Report{}
}

// pipelined is a whole pipeline at work.
type pipelined struct {
	*Local
	d     Deps
	sulky sulking
}

func newPipelined(t *testing.T, more ...func(*Deps)) *pipelined {
	t.Helper()
	p := &pipelined{d: testDeps(t), sulky: sulking{`"Talk 4"`, new(atomic.Bool), new(atomic.Int64)}}
	p.d.Limits.ShardItems = 3
	p.d.Extractors = extract.NewRegistry(p.sulky)
	for _, change := range more {
		change(&p.d)
	}
	l, err := OpenLocal(t.Context(), p.d, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p.Local = l
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		l.Close()
	})
	return p
}

// imported imports a file and gives its receipt.
func (p *pipelined) imported(t *testing.T, owner, text string) state.Receipt {
	t.Helper()
	rec, err := TakeIn(t.Context(), p.d.Store, owner, []string{zipOf(t, map[string]string{"conversations.json": text})}, p.d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	events, stop := p.Watch(owner, rec.Drop)
	defer stop()
	req := state.Request{V: 1, Owner: owner, Drop: rec.Drop, Lane: state.LaneSmall}
	if err := p.Submit(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	r, err := p.Wait(t.Context(), events, req, 5)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (p *pipelined) letters(t *testing.T, f LetterFilter) (out []Letter) {
	t.Helper()
	for one, err := range p.Letters().List(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}

func (p *pipelined) receipt(t *testing.T, r state.Receipt) state.Receipt {
	t.Helper()
	now, ok, err := state.ReadReceipt(t.Context(), p.d.Store, r.Owner, r.Import)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		now.State = "open"
	}
	return now
}

func (p *pipelined) idle(t *testing.T) {
	t.Helper()
	eventually(t, func() bool {
		idle, err := p.Idle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return idle
	})
}

func TestFailedShardLeavesALetterAndARedriveHealsTheImport(t *testing.T) {
	t.Parallel()
	p := newPipelined(t)
	p.sulky.on.Store(true)
	r := p.imported(t, "me", manyConversations(12))
	if r.State != state.StateLosses || len(r.Extraction.Failed) != 1 {
		t.Fatalf("%s, failed %+v", r.State, r.Extraction.Failed)
	}
	p.idle(t)
	list := p.letters(t, LetterFilter{Owner: "me", Stage: telemetry.StageExtract})
	if len(list) != 1 {
		t.Fatalf("letters %+v", list)
	}
	l := list[0]
	if l.Class != fault.Unit || l.Attempts != p.d.Attempts || l.Import != r.Import || l.Drop != r.Drop || l.Shard != r.Extraction.Failed[0].Shard || l.Owner != "me" {
		t.Errorf("letter %+v", l)
	}
	if strings.Contains(l.Reason, "out of sorts") {
		t.Errorf("the letter quotes what a panic said: %s", l.Reason)
	}
	for _, f := range []LetterFilter{{Owner: "m"}, {Owner: "me2"}, {Stage: telemetry.StageAssemble}, {ID: "ffff" + l.ID[:4]}, {After: l.Seq}} {
		if got := p.letters(t, f); len(got) != 0 {
			t.Errorf("%+v shows %d letters", f, len(got))
		}
	}
	if got := p.letters(t, LetterFilter{ID: l.ID[:4]}); len(got) != 1 {
		t.Errorf("the beginning of its id shows %d", len(got))
	}

	p.sulky.on.Store(false)
	read := p.sulky.read.Load()
	// Broken off at every write of it, redriving goes on when it is done again.
	cuts := 0
	for ; ; cuts++ {
		var left atomic.Int64
		left.Store(int64(cuts))
		d := p.d
		d.Store = cutStore{p.d.Store, &left}
		out, err := NewLetters(d, p.js).Redrive(t.Context(), l)
		if err == nil {
			if out.Outcome != RedriveQueued && out.Outcome != RedriveHealed || out.Outcome == RedriveQueued && out.Drop != r.Drop {
				t.Errorf("outcome %+v", out)
			}
			break
		}
		if !errors.Is(err, errCut) {
			t.Fatalf("cut at write %d: %v", cuts, err)
		}
	}
	if cuts < 2 {
		t.Errorf("redriving makes only %d writes: is it cut at all?", cuts)
	}
	p.idle(t)
	now := p.receipt(t, r)
	if now.State != state.StateDone || len(now.Extraction.Failed) != 0 || now.Extraction.Shards != 4 {
		t.Errorf("after the redrive: %s, %+v", now.State, now.Extraction)
	}
	if n := p.sulky.read.Load() - read; n != 3 {
		t.Errorf("%d conversations were read again, want those of one shard", n)
	}
	if left := p.letters(t, LetterFilter{}); len(left) != 0 {
		t.Errorf("letters are left: %+v", left)
	}
	for o, err := range p.d.Store.List(t.Context(), "work/me/") {
		t.Errorf("work is left behind: %s (%v)", o.Key, err)
	}
	if out, err := p.Letters().Redrive(t.Context(), l); err != nil || out.Outcome != RedriveHealed {
		t.Errorf("redriving what is healed: %+v, %v", out, err)
	}
}

// Under a breaker, too, an import all of whose shards fail comes to its end.
func TestImportAllOfWhoseShardsFailEndsWithLosses(t *testing.T) {
	t.Parallel()
	var c clock
	sulky := sulking{"", new(atomic.Bool), new(atomic.Int64)}
	p := newPipelined(t, func(d *Deps) {
		d.Breaker = Breaker{Failures: 2, Pause: time.Millisecond}
		d.Now = func() time.Time { c.pass(time.Millisecond); return c.now() }
		sulky.word = `"title"`
		d.Extractors = extract.NewRegistry(sulky)
	})
	p.sulky = sulky
	p.sulky.on.Store(true)
	r := p.imported(t, "me", manyConversations(24))
	if r.State != state.StateLosses || len(r.Extraction.Failed) != 8 || r.Counts.Conversations != 24 {
		t.Errorf("%s, %d of %d shards failed", r.State, len(r.Extraction.Failed), r.Extraction.Shards)
	}
	p.idle(t)
	if n := len(p.letters(t, LetterFilter{Stage: telemetry.StageExtract})); n != 8 {
		t.Errorf("%d letters", n)
	}
}

func TestLettersOfAClusterAreSeenFromOutside(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	r, err := OpenRemote(t.Context(), d.Store, NATSOptions{URL: natsServer(t), Name: "test"}, Topology{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i := range letterPage + 3 {
		q := dropOf("me", i)
		body, err := state.EncodeJSON(q)
		if err != nil {
			t.Fatal(err)
		}
		letter, err := state.EncodeJSON(DeadLetter{V: 1, Stage: telemetry.StageIngest, Owner: "me", Drop: q.Drop, Subject: q.Subject(), Class: fault.Permanent, Task: body})
		if err != nil {
			t.Fatal(err)
		}
		if err := send(t.Context(), r.js, letterSubject(telemetry.StageIngest, q.Subject(), body), letter); err != nil {
			t.Fatal(err)
		}
	}
	l := r.Letters(d)
	first, err := l.Page(t.Context(), LetterFilter{Owner: "me"})
	if err != nil || len(first.Letters) != letterPage || first.Next == 0 {
		t.Fatalf("%d letters, then %d (%v)", len(first.Letters), first.Next, err)
	}
	rest, err := l.Page(t.Context(), LetterFilter{Owner: "me", After: first.Next, UpTo: first.UpTo})
	if err != nil || len(rest.Letters) != 3 || rest.Next != 0 {
		t.Fatalf("%d letters, then %d (%v)", len(rest.Letters), rest.Next, err)
	}
	one := rest.Letters[0]
	for range 2 { // twice is as good as once
		if err := l.Remove(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.One(t.Context(), LetterFilter{ID: one.ID}); !errors.Is(err, ErrNoLetter) {
		t.Errorf("a removed letter: %v", err)
	}
	if out, err := l.Redrive(t.Context(), rest.Letters[1]); err != nil || out.Outcome != RedriveGone {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestUnitThatFailsAgainLeavesOneLetter(t *testing.T) {
	t.Parallel()
	p := newPipelined(t)
	p.sulky.on.Store(true)
	r := p.imported(t, "me", manyConversations(6))
	p.idle(t)
	before := p.letters(t, LetterFilter{})
	for range 2 {
		page, err := p.Letters().RedrivePage(t.Context(), LetterFilter{})
		if err != nil || len(page.Redriven) != 1 || page.Redriven[0].Outcome != RedriveQueued {
			t.Fatalf("%+v, %v", page, err)
		}
		p.idle(t)
	}
	after := p.letters(t, LetterFilter{})
	if len(before) != 1 || len(after) != 1 || before[0].ID != after[0].ID || after[0].Seq <= before[0].Seq {
		t.Errorf("letters before %+v, after %+v", before, after)
	}
	if now := p.receipt(t, r); now.State != state.StateLosses {
		t.Errorf("the import is %s", now.State)
	}
}

func TestLettersThatCannotBeReadAreShownAndKept(t *testing.T) {
	t.Parallel()
	p := newPipelined(t)
	for subject, body := range map[string]string{
		"pam.dlq.extract.me.x":   "{",
		"pam.dlq.ingest.me.y":    `{"v":99}`,
		"pam.dlq.assemble.you.z": `{"v":1,"stage":"assemble","owner":"me","subject":"pam.assemble.1.me","task":{"owner":"me"}}`,
	} {
		if err := send(t.Context(), p.js, subject, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.letters(t, LetterFilter{Owner: "me"}); len(got) != 2 || got[0].Reason == "" || got[0].Owner != "me" {
		t.Errorf("%+v", got)
	}
	if got := p.letters(t, LetterFilter{Owner: "you"}); len(got) != 1 || got[0].Owner != "you" {
		t.Errorf("a letter is shown under the name in its body: %+v", got)
	}
	page, err := p.Letters().RedrivePage(t.Context(), LetterFilter{})
	if err != nil || len(page.Redriven) != 3 || page.Redriven[0].Outcome != RedriveKept || len(p.letters(t, LetterFilter{})) != 3 {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestLetterOfWhateverWasSentCanBeRead(t *testing.T) {
	t.Parallel()
	p := newPipelined(t)
	sent := []string{"null", "1", "\x00", "", `"00ff"`, `"<"`, `{ "Records" : [ null ] }`, `{"a":"<&> ` + "\u2028\xff" + `"}`, `{"a":"` + strings.Repeat("<", maxUnread-20) + `"}`}
	for _, body := range sent {
		if _, err := p.js.Publish(t.Context(), DefaultEvents, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	p.idle(t)
	got := p.letters(t, LetterFilter{Stage: telemetry.StageEvents})
	if len(got) != len(sent) {
		t.Errorf("%d letters of %d messages", len(got), len(sent))
	}
	for _, one := range got {
		if one.Attempts != 1 || one.At == "" {
			t.Errorf("%.40s: %s", one.Task, one.Reason)
		}
	}
}

func TestWhatCannotBeAFilterIsRefused(t *testing.T) {
	for _, f := range []LetterFilter{{Owner: "a.b"}, {Owner: "*"}, {Owner: ">"}, {Owner: "_"}, {Stage: "*"}, {Stage: "ingest.me"}, {ID: "abc"}, {ID: "wxyz"}} {
		if err := f.Check(); !errors.Is(err, ErrLetterID) {
			t.Errorf("%+v: %v", f, err)
		}
	}
	if err := (LetterFilter{Owner: "me", Stage: telemetry.StageTake, ID: "0123abcd"}).Check(); err != nil {
		t.Error(err)
	}
}

func TestAttemptsBelongToTheUnitWhateverItsLane(t *testing.T) {
	a := oneTask
	b := oneTask
	b.Lane = state.LaneBulk
	id := func(task state.ExtractTask) string {
		body, err := state.EncodeJSON(task)
		if err != nil {
			t.Fatal(err)
		}
		return attemptsID(task.Subject(), body)
	}
	other := oneTask
	other.Shard = state.Digest("other")[:32]
	if id(a) != id(b) || id(a) == id(other) {
		t.Error("the lane is part of a unit's identity, or its shard is not")
	}
}
