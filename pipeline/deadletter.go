package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// DeadLetter is a unit that was given up. It names its message, which carries references only. There is one letter for a
// unit: when it is given up again, the newer takes the place of the older.
type DeadLetter struct {
	V     int    `json:"v"`
	Stage string `json:"stage"`
	// Owner, Drop, Import and Shard say where the unit belongs, as far as its message told.
	Owner  string `json:"owner,omitempty"`
	Drop   string `json:"drop,omitempty"`
	Import string `json:"import,omitempty"`
	Shard  string `json:"shard,omitempty"`
	// Subject is that of the message.
	Subject  string      `json:"subject"`
	Class    fault.Class `json:"class"`
	Attempts int         `json:"attempts"`
	// Reason is what logs may hold; the receipt says more.
	Reason string          `json:"reason"`
	Hint   string          `json:"hint,omitempty"`
	At     string          `json:"at"` // by the clock of the worker that gave it up
	Task   json.RawMessage `json:"task"`
}

// letterSubject is pam.dlq.<stage>.<owner>.<what names the unit>: the owner always stands at the same place, so that what is
// asked for one owner cannot give another's, and the lane or partition does not count, so that there is one letter a unit.
func letterSubject(stage, subject string, body []byte) string {
	u := telemetry.UnitOf(body)
	unit := ""
	switch {
	case u.Owner == "":
	case stage == telemetry.StageIngest:
		unit = u.Drop
	case stage == telemetry.StageAssemble:
		unit = u.Import
	case stage == telemetry.StageExtract && u.Import != "" && u.Shard != "":
		unit = u.Import + "." + u.Shard
	case stage == telemetry.StageTake:
		if id := subject[strings.LastIndexByte(subject, '.')+1:]; state.CheckHex("unit", id) == nil {
			unit = id
		}
	}
	if unit == "" {
		if same, err := compact(json.RawMessage(body)); err == nil {
			body = same // as it stands in the letter
		}
		sum := sha256.Sum256(append([]byte(subject+"\n"), body...))
		return "pam.dlq." + stage + "." + state.Nobody + "." + hex.EncodeToString(sum[:16])
	}
	return "pam.dlq." + stage + "." + u.Owner + "." + unit
}

// bury leaves the stage's own trace, stores a dead letter, and then ends the unit; only then may the message be terminated. Whoever
// is killed in between has the unit fail once more, for until the letter is stored nothing says that the unit has ended. An object
// that cannot be used may keep it from doing the one or the other; no attempt would change that, and the letter is stored all the same.
func (w *Worker) bury(ctx context.Context, st stage, msg jetstream.Msg, cause error, attempts int) error {
	err := st.giveUp(ctx, msg.Data(), cause)
	switch {
	case errors.Is(err, errDoneElsewhere):
		err = nil
	case w.unusable(st, err):
		err = w.writeLetter(ctx, st, msg, cause, attempts)
	}
	if err == nil && st.end != nil {
		if err = st.end(ctx, msg.Data(), cause); w.unusable(st, err) {
			err = nil
		}
	}
	if err != nil {
		return err
	}
	return w.forgetAttempts(ctx, st.name, msg)
}

// unusable tells whether giving a unit up went well, or as well as it can, and then says what is in its way.
func (w *Worker) unusable(st stage, err error) bool {
	if fault.Of(err) == fault.Permanent {
		w.Log.Error("an object of the store cannot be used; the unit is given up without it", zap.String("stage", st.name), zap.String("error", fault.Loggable(err)))
		return true
	}
	return err == nil
}

func (w *Worker) writeLetter(ctx context.Context, st stage, msg jetstream.Msg, cause error, attempts int) error {
	u := telemetry.UnitOf(msg.Data())
	letter := DeadLetter{
		V: state.MessageVersion, Stage: st.name, Owner: u.Owner, Drop: u.Drop, Import: u.Import, Shard: u.Shard,
		Subject: msg.Subject(), Class: fault.Of(cause), Attempts: attempts,
		Reason: fault.Loggable(cause), At: w.Now().UTC().Format(time.RFC3339), Task: msg.Data(),
	}
	if !json.Valid(msg.Data()) || !bytes.HasPrefix(bytes.TrimSpace(msg.Data()), []byte("{")) {
		letter.Task, _ = json.Marshal(hex.EncodeToString(msg.Data()))
	}
	var f *fault.Fault
	if errors.As(cause, &f) {
		letter.Hint = f.Hint
	}
	body, err := compact(letter)
	if err != nil {
		return fmt.Errorf("encode dead letter: %w", err)
	}
	if err := send(ctx, w.js, letterSubject(st.name, msg.Subject(), msg.Data()), body); err != nil {
		return err
	}
	w.Metrics.DeadLetter(st.name, letter.Class)
	return nil
}

// compact is JSON without spaces. json.Marshal would make six bytes of each "<", and a letter has no room for that.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// attemptsKey is where the attempts of a message's unit are counted: in storage, under the unit's own identity, so that a
// redelivery after a drain, an outage or a restart of NATS is no attempt, a restart of the worker forgets none, and neither
// does a change of the lane. No owner starts with "_".
func attemptsKey(stage string, msg jetstream.Msg) string {
	return "work/_attempts/" + stage + "/" + attemptsID(msg.Subject(), msg.Data()) + ".json"
}

func attemptsID(subject string, body []byte) string {
	parts := strings.Split(subject, ".")
	if len(parts) > 2 {
		parts[2] = "" // the lane
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) == nil && fields["lane"] != nil {
		delete(fields, "lane")
		if same, err := json.Marshal(fields); err == nil {
			body = same
		}
	}
	sum := sha256.Sum256(append([]byte(strings.Join(parts, ".")+"\n"), body...))
	return hex.EncodeToString(sum[:16])
}

func (w *Worker) countAttempt(ctx context.Context, stage string, msg jetstream.Msg) (int, error) {
	key := attemptsKey(stage, msg)
	var n int
	tag, err := state.ReadJSON(ctx, w.Store, key, &n)
	switch {
	case fault.Of(err) == fault.Permanent:
		n = 0 // a count that cannot be read is none, and is written anew
	case err != nil && !errors.Is(err, blob.ErrNotExist):
		return 0, err
	}
	n++
	return n, state.SwapJSON(ctx, w.Store, key, tag, n)
}

// attemptsBefore is for a letter only: what cannot be read is told as none.
func (w *Worker) attemptsBefore(ctx context.Context, stage string, msg jetstream.Msg) (n int) {
	if _, err := state.ReadJSON(ctx, w.Store, attemptsKey(stage, msg), &n); err != nil {
		return 0
	}
	return n
}

func (w *Worker) forgetAttempts(ctx context.Context, stage string, msg jetstream.Msg) error {
	key := attemptsKey(stage, msg)
	return errors.Join(w.Store.Delete(ctx, key), w.Store.Delete(ctx, markedKey(key)))
}
