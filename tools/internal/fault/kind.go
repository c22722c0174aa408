package fault

import (
	"net/http"
	"time"
)

// Kind is what goes wrong with a request.
type Kind string

// The kinds. After every one but Delay, Before and After the connection is gone or the answer is an
// error of S3.
const (
	InternalError Kind = "500"            // answered without asking the server
	Unavailable   Kind = "503"            // the same
	SlowDown      Kind = "slow down"      // S3's own word for too many requests
	Delay         Kind = "delay"          // forwarded after Hold
	CutRequest    Kind = "cut request"    // half of the request's body reaches the server, then both connections are reset
	CutAnswer     Kind = "cut answer"     // half of the answer's body reaches the client, then a reset
	LostAnswer    Kind = "lost answer"    // the request is carried out; the client gets a reset instead of the answer
	HalfOpen      Kind = "half open"      // nothing is forwarded or answered for Hold, then a reset
	StalledAnswer Kind = "stalled answer" // half of the answer's body, then nothing for Hold, then a reset
	Before        Kind = "before"         // Then runs before the request is forwarded
	After         Kind = "after"          // Then runs when the request has been carried out, before the client hears of it
)

// Kinds are all that need nothing of the caller.
var Kinds = []Kind{InternalError, Unavailable, SlowDown, Delay, CutRequest, CutAnswer, LostAnswer, HalfOpen, StalledAnswer}

// Fault is what shall happen to the next requests that it can happen to.
type Fault struct {
	Kind  Kind
	Times int           // to how many requests
	Hold  time.Duration // of Delay, HalfOpen and StalledAnswer
	Then  func()        // of Before and After
	// Of, when set, says to which requests it may happen.
	Of func(r *http.Request) bool
}

// fits tells whether it can happen to a request: an answer is lost of a write, a body is cut where
// there is one.
func (f Fault) fits(r *http.Request) bool {
	if f.Of != nil && !f.Of(r) {
		return false
	}
	switch f.Kind {
	case CutRequest:
		return r.ContentLength > 1
	case LostAnswer:
		return r.Method != http.MethodGet && r.Method != http.MethodHead
	case CutAnswer, StalledAnswer:
		return r.Method == http.MethodGet
	default:
		return true
	}
}

// answers are those that the proxy gives itself.
var answers = map[Kind]struct {
	status int
	code   string
}{
	InternalError: {http.StatusInternalServerError, "InternalError"},
	Unavailable:   {http.StatusServiceUnavailable, "ServiceUnavailable"},
	SlowDown:      {http.StatusServiceUnavailable, "SlowDown"},
}
