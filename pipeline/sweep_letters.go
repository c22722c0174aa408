package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// sweepLetters removes the letters of shards that are done and that their imports do not lack, and of assemblies whose import the
// store has: a worker that is killed before it has removed one leaves it, and a NATS server that is killed may bring back what had
// been removed. The subjects say which shards they are; storage says of each, once in sweepTurns
// passes, what became of it. What is asked is what whoever does a shard late asks, so that it needs no age: a shard that is being
// given up or tried again has no marker that says ok, or an import that lacks it, and a letter that is newer than the answer stays.
// It returns how many it removed; what cannot be read keeps its letter, and the error names it in the end.
func (w *Worker) sweepLetters(ctx context.Context) (n int, err error) {
	var subjects []string
	for _, stage := range []string{telemetry.StageExtract, telemetry.StageAssemble} {
		some, err := queuedSubjects(ctx, w.js, StreamDLQ, "pam.dlq."+stage+".>")
		if err != nil {
			return 0, err
		}
		subjects = append(subjects, some...)
	}
	if len(subjects) == 0 {
		return 0, nil
	}
	now, err := storeTime(ctx, w.Store)
	if err != nil {
		return 0, err
	}
	stream, err := w.js.Stream(ctx, StreamDLQ)
	if err != nil {
		return 0, asOutage(fmt.Errorf("open dead letters: %w", err))
	}
	var bad []error
	for _, subject := range subjects {
		if !isTurn(subject, w.sweepPassAt(now)) {
			continue
		}
		removed, err := w.sweepLetter(ctx, stream, subject)
		switch {
		case fault.Of(err) == fault.Permanent:
			bad = append(bad, err)
		case err != nil:
			return n, err
		case removed:
			n++
		}
	}
	return n, errors.Join(bad...)
}

// sweepLetter removes a letter if nobody needs it.
func (w *Worker) sweepLetter(ctx context.Context, s jetstream.Stream, subject string) (removed bool, err error) {
	msg, err := s.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	if err != nil {
		return false, asOutage(fmt.Errorf("look for dead letter %s: %w", letterID(subject), err))
	}
	done := false
	if t, ok := lettersShard(subject); ok {
		done, err = w.needsNoLetter(ctx, t)
	} else if owner, id, ok := lettersImport(subject); ok {
		done, err = w.isAssembled(ctx, owner, id)
	}
	if err != nil || !done {
		return false, err
	}
	return true, (&Letters{js: w.js}).Remove(ctx, readLetter(msg))
}

// isAssembled tells whether an import has ended as one that the store has: then redriving its assembly has nothing to do.
func (w *Worker) isAssembled(ctx context.Context, owner, id string) (bool, error) {
	r, there, err := state.ReadReceipt(ctx, w.Store, owner, id)
	return err == nil && there && r.Ended() && (r.State == state.StateDone || r.State == state.StateLosses), err
}

// lettersImport reads pam.dlq.assemble.<owner>.<import>.
func lettersImport(subject string) (owner, id string, ok bool) {
	parts := strings.Split(subject, ".")
	if len(parts) != 5 {
		return "", "", false
	}
	return parts[3], parts[4], state.CheckOwner(parts[3]) == nil && state.CheckHex("import", parts[4]) == nil
}

// lettersShard reads pam.dlq.extract.<owner>.<import>.<shard>.
func lettersShard(subject string) (t state.ExtractTask, ok bool) {
	parts := strings.Split(subject, ".")
	if len(parts) != 6 {
		return t, false
	}
	t = state.ExtractTask{Owner: parts[3], Import: parts[4], Shard: parts[5]}
	return t, state.CheckOwner(t.Owner) == nil && state.CheckHex("import", t.Import) == nil && state.CheckHex("shard", t.Shard) == nil
}
