package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// sweepLetters removes the letters of shards that are done and that their imports do not lack: a worker that is killed between a
// marker and the removal of its letter leaves one. The subjects say which shards they are; storage says of each, once in sweepTurns
// passes, what became of it. What is asked is what whoever does a shard late asks, so that it needs no age: a shard that is being
// given up or tried again has no marker that says ok, or an import that lacks it, and a letter that is newer than the answer stays.
// It returns how many it removed; what cannot be read keeps its letter, and the error names it in the end.
func (w *Worker) sweepLetters(ctx context.Context) (n int, err error) {
	subjects, err := queuedSubjects(ctx, w.js, StreamDLQ, "pam.dlq."+StageExtract+".>")
	if err != nil || len(subjects) == 0 {
		return 0, err
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
		t, ok := lettersShard(subject)
		if !ok || !isTurn(subject, w.sweepPassAt(now)) {
			continue
		}
		removed, err := w.sweepLetter(ctx, stream, subject, t)
		switch {
		case ClassOf(err) == Permanent:
			bad = append(bad, err)
		case err != nil:
			return n, err
		case removed:
			n++
		}
	}
	return n, errors.Join(bad...)
}

// sweepLetter removes the letter of a shard if nobody needs it.
func (w *Worker) sweepLetter(ctx context.Context, s jetstream.Stream, subject string, t ExtractTask) (removed bool, err error) {
	msg, err := s.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	if err != nil {
		return false, asOutage(fmt.Errorf("look for dead letter %s: %w", letterID(subject), err))
	}
	if done, err := w.needsNoLetter(ctx, t); err != nil || !done {
		return false, err
	}
	return true, (&Letters{js: w.js}).Remove(ctx, readLetter(msg))
}

// lettersShard reads pam.dlq.extract.<owner>.<import>.<shard>.
func lettersShard(subject string) (t ExtractTask, ok bool) {
	parts := strings.Split(subject, ".")
	if len(parts) != 6 {
		return t, false
	}
	t = ExtractTask{Owner: parts[3], Import: parts[4], Shard: parts[5]}
	return t, CheckOwner(t.Owner) == nil && checkHex("import", t.Import) == nil && checkHex("shard", t.Shard) == nil
}
