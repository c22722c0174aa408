package replay

import (
	"context"
	"iter"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// DeadLetter is failed work, as people see it. It is for operators and the person whose drop it is:
// file names are that person's words. Reason and Hint are not, so they may be logged.
type DeadLetter struct {
	// ID is the beginning of a digest. The same work that fails in a later generation has another
	// one.
	ID     string `json:"id"`
	Owner  string `json:"owner"`
	Drop   string `json:"drop"`
	Gen    int    `json:"gen"`
	Import string `json:"import,omitempty"`
	// Stage is ingest, extract or assemble. The drop "owner" stands for the owner's own edits.
	// Stage take is for entries of the inbox that were refused before they became a drop: then Drop
	// is the id of the entry.
	Stage     string      `json:"stage"`
	Shard     string      `json:"shard,omitempty"`
	Files     []string    `json:"files,omitempty"`
	Providers []string    `json:"providers,omitempty"`
	Class     fault.Class `json:"class"`
	Attempts  int         `json:"attempts"`
	Reason    string      `json:"reason"`
	Hint      string      `json:"hint,omitempty"`
	// Advice says what redriving does, or why it does not help.
	Advice string `json:"advice"`
	// WrongUpload: the drop was refused for what is in it.
	WrongUpload bool `json:"wrong_upload,omitempty"`
	// FailedAt is by the clock of the store.
	FailedAt time.Time `json:"failed_at"`
	// Object is the key of the dead letter in the store; Receipt that of the receipt of its import,
	// which there is if only shards have failed.
	Object  string `json:"object"`
	Receipt string `json:"receipt,omitempty"`
	// Unusable says that the dead letter cannot be decoded, and why.
	Unusable string `json:"unusable,omitempty"`

	cursor string // orders the letters
}

// Ref names the job of the dead letter.
func (l DeadLetter) Ref() job.Ref { return job.Ref{Owner: l.Owner, Drop: l.Drop} }

// Letters are the dead letters of a store. Listing them writes nothing.
type Letters struct {
	store blob.Store
	jobs  *job.Jobs
}

// NewLetters gives the dead letters of a store.
func NewLetters(s blob.Store) *Letters {
	return &Letters{s, job.New(s, job.Options{})}
}

// List gives the dead letters of a filter, by owner and drop; Limit does not count. Letters that
// cannot be decoded are among them. Refused entries of the inbox come last. An outage ends the
// sequence.
func (l *Letters) List(ctx context.Context, f Filter) iter.Seq2[DeadLetter, error] {
	return func(yield func(DeadLetter, error) bool) {
		if err := f.Check(); err != nil {
			yield(DeadLetter{}, err)
			return
		}
		if f.Stage != stageInbox && !f.isOfEntry() {
			for one, err := range l.listFailed(ctx, f) {
				if !yield(one, err) || err != nil {
					return
				}
			}
		}
		if f.Stage == stageInbox || f.Stage == "" {
			l.listRefused(ctx, f)(yield)
		}
	}
}

// listFailed gives the failed objects of jobs.
func (l *Letters) listFailed(ctx context.Context, f Filter) iter.Seq2[DeadLetter, error] {
	return func(yield func(DeadLetter, error) bool) {
		var about aboutDrop
		for found, err := range l.jobs.DeadLetters(ctx, f.jobFilter()) {
			if err != nil && (found.ID == "" || fault.Of(err) != fault.Permanent) {
				yield(DeadLetter{}, err)
				return
			}
			one := newLetter(found, err)
			if about.ref != found.Ref {
				about = aboutDrop{ref: found.Ref}
				if err := about.read(ctx, l); err != nil {
					yield(DeadLetter{}, err)
					return
				}
			}
			about.addTo(&one)
			if !yield(one, nil) {
				return
			}
		}
	}
}

func newLetter(l job.DeadLetter, unusable error) DeadLetter {
	one := DeadLetter{
		cursor: l.ID, ID: letterID(l.ID), Owner: l.Owner, Drop: l.Drop, Gen: l.Gen, Stage: string(l.Kind), Class: l.Class, Attempts: l.Attempts,
		Reason: l.Reason, Hint: l.Hint, WrongUpload: l.IsWrongUpload(), FailedAt: l.FailedAt, Object: state.FailedKey(l.Owner, l.Drop, l.Gen, l.Unit),
	}
	if l.Kind == job.Extract {
		one.Shard = l.Unit
	}
	if unusable != nil {
		one.Class, one.Unusable, one.Hint = fault.Permanent, fault.Loggable(unusable), fault.HintOf(unusable)
	}
	one.Advice = adviceFor(one)
	return one
}

// adviceFor says what can be done about a dead letter.
func adviceFor(l DeadLetter) string {
	switch {
	case l.WrongUpload && l.Stage != stageInbox:
		return "This is not a fault: the owner has to drop another file. Redriving reads the same file again."
	case l.Stage == stageInbox && l.WrongUpload:
		return "The owner has to change the entry, or you the settings. Then redrive: the next look at the inbox takes it."
	case l.Stage == stageInbox:
		return "Fix the cause, then redrive: the next look at the inbox takes the entry."
	case l.Drop == state.OwnerJob:
		return "Fix the cause, then redrive: the store is computed again with all edits."
	case l.Stage == string(job.Ingest):
		return "Fix the cause, then redrive: the archive is read again. It must still be in the inbox."
	case l.Stage == string(job.Extract):
		return "Fix the cause, then redrive: only the missing parts of the import are extracted. The archive is not needed."
	}
	return "The store keeps what it had before. Fix the cause, then redrive: the store is computed again."
}

// aboutDrop is what the letters of a drop have in common.
type aboutDrop struct {
	ref       job.Ref
	record    job.Record
	files     []string
	importers []string
}

func (a *aboutDrop) read(ctx context.Context, l *Letters) (err error) {
	isOutage := func(err error) bool { return err != nil && fault.Of(err) != fault.Permanent }
	if a.record, err = l.jobs.Read(ctx, a.ref); isOutage(err) {
		return err
	}
	if a.ref.Drop == state.OwnerJob {
		return nil
	}
	d, err := state.ReadDrop(ctx, l.store, a.ref.Owner, a.ref.Drop)
	if isOutage(err) {
		return err
	}
	for _, p := range d.Parts {
		a.files = append(a.files, p.Name)
	}
	if a.record.Import == "" {
		return nil
	}
	m, _, err := state.ReadManifest(ctx, l.store, a.ref.Owner, a.record.Import)
	if isOutage(err) {
		return err
	}
	a.importers = m.Importers
	return nil
}

func (a aboutDrop) addTo(l *DeadLetter) {
	l.Import, l.Files = a.record.Import, a.files
	for _, v := range a.importers {
		l.Providers = append(l.Providers, status.ProviderOf(v))
	}
	if a.record.Gen == l.Gen && a.record.Outcome == job.Done {
		l.Receipt = state.ReceiptKey(l.Owner, l.Drop, l.Gen)
	}
}
