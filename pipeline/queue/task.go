package queue

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
)

// Task is one piece of work as a message.
type Task struct {
	// Subject is pam.<kind>.<lane>.<name…>, see the package comment.
	Subject string
	// Body is opaque to the queue. It may be empty.
	Body []byte
	// Origin says who sent the task.
	Origin Origin
	// Attempt counts from 1; 0 means 1. [RetryAfter] raises it.
	Attempt int
}

// Origin says who sent a task. An origin that is missing or unknown counts as FromPass.
type Origin string

const (
	FromAsk     Origin = "ask"     // a request for new work
	FromHandler Origin = "handler" // the handler of a task before this one
	FromPass    Origin = "pass"    // a maintenance pass that looks for lost tasks
	FromRetry   Origin = "retry"   // a delayed copy that has come back to its lane
)

const (
	headerAttempt = "Pamline-Attempt"
	headerOrigin  = "Pamline-Origin"
	// headerDelay is the delay of a delayed copy, as Go writes durations.
	headerDelay = "Pamline-Delay"
	// headerLane is the lane that a delayed copy returns to.
	headerLane = "Pamline-Lane"
)

// laneDelayed takes the place of the lane in the subject of a delayed copy.
const laneDelayed = "wait"

// The positions of tokens in a subject.
const (
	tokenKind  = 1
	tokenLane  = 2
	tokenOwner = 3
	minTokens  = 4
)

// Tokens are the parts of the task's subject.
func (t Task) Tokens() []string { return strings.Split(t.Subject, ".") }

// Kind is the token that selects the stream.
func (t Task) Kind() string { return tokenAt(t.Subject, tokenKind) }

// Lane is the lane or partition.
func (t Task) Lane() string { return tokenAt(t.Subject, tokenLane) }

func tokenAt(subject string, i int) string {
	tokens := strings.SplitN(subject, ".", i+2)
	if len(tokens) <= i {
		return ""
	}
	return tokens[i]
}

// withLane returns a subject with another lane.
func withLane(subject, lane string) string {
	tokens := strings.SplitN(subject, ".", minTokens)
	if len(tokens) < minTokens {
		return subject
	}
	tokens[tokenLane] = lane
	return strings.Join(tokens, ".")
}

// subjectForm has at least four tokens and no wildcards.
var subjectForm = regexp.MustCompile(`^[^\s.*>]+(\.[^\s.*>]+){3,}$`)

// check refuses a subject that no consumer of tasks would deliver.
func (t Task) check() error {
	if !subjectForm.MatchString(t.Subject) || t.Lane() == laneDelayed {
		return fmt.Errorf("check task: %q is not <prefix>.<kind>.<lane>.<name…> with a lane other than %s", t.Subject, laneDelayed)
	}
	return nil
}

// message returns the task as a message for a subject, which is its own or that of a delayed copy.
func (t Task) message(subject string) *nats.Msg {
	msg := nats.NewMsg(subject)
	msg.Data = t.Body
	if t.Attempt > 1 {
		msg.Header.Set(headerAttempt, strconv.Itoa(t.Attempt))
	}
	if t.Origin != "" {
		msg.Header.Set(headerOrigin, string(t.Origin))
	}
	return msg
}

// readTask returns the task of a message. Headers that cannot be read count as missing.
func readTask(subject string, header nats.Header, body []byte) Task {
	t := Task{Subject: subject, Body: body, Origin: Origin(header.Get(headerOrigin)), Attempt: 1}
	if n, err := strconv.Atoi(header.Get(headerAttempt)); err == nil && n > 1 {
		t.Attempt = n
	}
	switch t.Origin {
	case FromAsk, FromHandler, FromRetry:
	default:
		t.Origin = FromPass
	}
	return t
}
