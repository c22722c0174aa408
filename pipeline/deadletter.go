package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
)

// DeadLetter is a unit that was given up. It names its message, which carries references only.
type DeadLetter struct {
	V        int             `json:"v"`
	Stage    string          `json:"stage"`
	Subject  string          `json:"subject"`
	Class    Class           `json:"class"`
	Attempts int             `json:"attempts"`
	Reason   string          `json:"reason"`
	Hint     string          `json:"hint,omitempty"`
	At       string          `json:"at"`
	Task     json.RawMessage `json:"task"`
}

// bury leaves the stage's own trace, then stores a dead letter; only then may the message be terminated.
func (w *Worker) bury(ctx context.Context, st stage, msg jetstream.Msg, cause error, attempts int) error {
	if err := st.giveUp(ctx, msg.Data(), cause); err != nil {
		return err
	}
	letter := DeadLetter{
		V: MessageVersion, Stage: st.name, Subject: msg.Subject(), Class: ClassOf(cause), Attempts: attempts,
		Reason: Loggable(cause), At: w.Now().UTC().Format(time.RFC3339), Task: msg.Data(),
	}
	if !json.Valid(msg.Data()) {
		letter.Task, _ = json.Marshal(hex.EncodeToString(msg.Data()))
	}
	var f *Fault
	if errors.As(cause, &f) {
		letter.Hint = f.Hint
	}
	body, err := json.Marshal(letter)
	if err != nil {
		return fmt.Errorf("encode dead letter: %w", err)
	}
	subject := "pam.dlq." + strings.TrimPrefix(msg.Subject(), "pam.")
	if err := send(ctx, w.js, subject, body); err != nil {
		return err
	}
	w.Metrics.deadLetter(st.name, letter.Class)
	return w.forgetAttempts(ctx, st.name, msg)
}

// Attempts are counted in storage under the message's own identity, so that a redelivery after a drain, an outage or a
// restart of NATS is no attempt and a restart of the worker forgets none. No owner starts with "_".
func attemptsKey(stage string, msg jetstream.Msg) string {
	sum := sha256.Sum256(append([]byte(msg.Subject()+"\n"), msg.Data()...))
	return "work/_attempts/" + stage + "/" + hex.EncodeToString(sum[:16]) + ".json"
}

func (w *Worker) countAttempt(ctx context.Context, stage string, msg jetstream.Msg) (int, error) {
	key := attemptsKey(stage, msg)
	var n int
	tag, err := readJSON(ctx, w.Store, key, &n)
	if err != nil && !errors.Is(err, blob.ErrNotExist) {
		return 0, err
	}
	n++
	return n, swapJSON(ctx, w.Store, key, tag, n)
}

func (w *Worker) forgetAttempts(ctx context.Context, stage string, msg jetstream.Msg) error {
	return w.Store.Delete(ctx, attemptsKey(stage, msg))
}
