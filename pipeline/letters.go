package pipeline

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Letters are the dead letters of a broker, and the store that their units belong to.
type Letters struct {
	Deps
	js jetstream.JetStream
}

// NewLetters looks into a broker's dead letters. Of the dependencies it takes the store, the importers, the extractors, the id
// source, the limits and the inbox.
func NewLetters(d Deps, js jetstream.JetStream) *Letters {
	d.Store = state.ClassedStore{Store: d.Store}
	return &Letters{Deps: d, js: js}
}

// Letters are the dead letters of this pipeline.
func (l *Local) Letters() *Letters { return NewLetters(l.deps, l.js) }

// Letters are the dead letters of the cluster.
func (r *Remote) Letters(d Deps) *Letters { return NewLetters(d, r.js) }

// Letter is a dead letter as it lies in the stream.
type Letter struct {
	// ID is short and made of the letter's subject: the same unit has the same.
	ID string `json:"id"`
	DeadLetter
	// Seq is its place in the stream.
	Seq     uint64 `json:"seq"`
	subject string
}

// idLength is the number of hex digits of a letter's id.
const idLength = 12

// ErrNoLetter is returned when there is no dead letter of an id.
var ErrNoLetter = errors.New("there is no dead letter of that id")

// ErrLetterID is returned for what cannot be the beginning of an id, and for a stage or an owner that nobody can be.
var ErrLetterID = errors.New("look for dead letters")

// LetterFilter chooses letters; "" and 0 are any.
type LetterFilter struct {
	Owner string `json:"owner,omitempty"`
	Stage string `json:"stage,omitempty"`
	// ID is the beginning of one, at least four digits.
	ID string `json:"id,omitempty"`
	// After and UpTo are places in the stream.
	After uint64 `json:"after,omitempty"`
	UpTo  uint64 `json:"up_to,omitempty"`
}

// Check tells what is wrong with a filter: ErrLetterID.
func (f LetterFilter) Check() error {
	_, err := f.subjects()
	return err
}

// subjects that the filter leaves, as NATS has them.
func (f LetterFilter) subjects() (string, error) {
	stage, owner := "*", "*"
	if f.Owner != "" {
		if err := state.CheckOwner(f.Owner); err != nil {
			return "", fmt.Errorf("%w: %w", ErrLetterID, err)
		}
		owner = f.Owner
	}
	switch f.Stage {
	case "":
	case telemetry.StageEvents, telemetry.StageTake, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble:
		stage = f.Stage
	default:
		return "", fmt.Errorf("%w: there is no stage %q: say %s, %s, %s, %s or %s", ErrLetterID, f.Stage, telemetry.StageEvents, telemetry.StageTake, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble)
	}
	if f.ID != "" && (len(f.ID) < 4 || strings.Trim(f.ID, "0123456789abcdef") != "") {
		return "", fmt.Errorf("%w: %q is no id of one: copy it from `pamline dlq list`; four digits are enough", ErrLetterID, f.ID)
	}
	return "pam.dlq." + stage + "." + owner + ".>", nil
}

// List gives the letters that a filter chooses and that are there when it begins, the oldest first, one at a time. One that
// cannot be read is among them, with the reason why in place of its own.
func (l *Letters) List(ctx context.Context, f LetterFilter) iter.Seq2[Letter, error] {
	return func(yield func(Letter, error) bool) {
		filter, err := f.subjects()
		if err != nil {
			yield(Letter{}, err)
			return
		}
		stream, err := l.js.Stream(ctx, StreamDLQ)
		if err != nil {
			yield(Letter{}, asOutage(fmt.Errorf("open dead letters: %w", err)))
			return
		}
		if f.UpTo == 0 {
			f.UpTo = stream.CachedInfo().State.LastSeq
		}
		for seq := f.After + 1; seq <= f.UpTo; {
			m, err := stream.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(filter))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return
			}
			if err != nil {
				yield(Letter{}, asOutage(fmt.Errorf("read dead letters: %w", err)))
				return
			}
			if seq = m.Sequence + 1; m.Sequence > f.UpTo || !strings.HasPrefix(letterID(m.Subject), f.ID) {
				continue
			}
			if !yield(readLetter(m), nil) {
				return
			}
		}
	}
}

// One gives the letter that an id begins; ErrNoLetter when there is none.
func (l *Letters) One(ctx context.Context, f LetterFilter) (Letter, error) {
	var found []Letter
	for one, err := range l.List(ctx, f) {
		if err != nil {
			return one, err
		}
		if found = append(found, one); len(found) > 1 {
			return Letter{}, fmt.Errorf("look for dead letter %s: more than one begins like that: give more digits", f.ID)
		}
	}
	if len(found) == 0 {
		return Letter{}, fmt.Errorf("look for dead letter %s: %w", f.ID, ErrNoLetter)
	}
	return found[0], nil
}

// Remove takes a letter away, unless a newer one has taken its place.
func (l *Letters) Remove(ctx context.Context, one Letter) error {
	stream, err := l.js.Stream(ctx, StreamDLQ)
	if err != nil {
		return asOutage(fmt.Errorf("open dead letters: %w", err))
	}
	if err = stream.DeleteMsg(ctx, one.Seq); err == nil {
		return nil
	}
	if _, gone := stream.GetMsg(ctx, one.Seq); errors.Is(gone, jetstream.ErrMsgNotFound) {
		return nil // somebody else removed it
	}
	return asOutage(fmt.Errorf("remove dead letter %s: %w", one.ID, err))
}

// removeLetter removes the letter of a subject, if there is one.
func removeLetter(ctx context.Context, js jetstream.JetStream, subject string) error {
	stream, err := js.Stream(ctx, StreamDLQ)
	if err != nil {
		return asOutage(fmt.Errorf("open dead letters: %w", err))
	}
	msg, err := stream.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	if err != nil {
		return asOutage(fmt.Errorf("look for dead letter %s: %w", letterID(subject), err))
	}
	return (&Letters{js: js}).Remove(ctx, readLetter(msg))
}

func letterID(subject string) string { return state.Digest(subject)[:idLength] }

// readLetter gives what a message of the stream says. Where the letter belongs is told by its subject, by which it was
// found: a body that says otherwise is not believed.
func readLetter(m *jetstream.RawStreamMsg) Letter {
	one := Letter{ID: letterID(m.Subject), Seq: m.Sequence, subject: m.Subject}
	var why string
	switch err := json.Unmarshal(m.Data, &one.DeadLetter); {
	case err != nil:
		why = err.Error()
	case one.V != state.MessageVersion:
		why = fmt.Sprintf("its version %d is not %d", one.V, state.MessageVersion)
	case one.subject != letterSubject(one.Stage, one.Subject, one.body()):
		why = "it says something else than its subject"
	default:
		return one
	}
	parts := strings.Split(m.Subject+"...", ".")
	one.DeadLetter = DeadLetter{Stage: parts[2], Class: fault.Permanent, Reason: "this letter cannot be read: " + why,
		Hint: "it was written by another version of pamline, or by hand"}
	if state.CheckOwner(parts[3]) == nil {
		one.Owner = parts[3]
	}
	return one
}

// body of the message that was given up.
func (d DeadLetter) body() []byte {
	var raw string
	if json.Unmarshal(d.Task, &raw) == nil {
		if b, err := hex.DecodeString(raw); err == nil {
			return b
		}
	}
	return d.Task
}
