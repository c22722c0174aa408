package state

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/pamline/pamline/blob"
)

// MessageVersion is the schema of the messages; a worker refuses one it does not know.
const MessageVersion = 1

// Lanes keep one large archive from standing before everyone's small ones.
const (
	LaneSmall = "small"
	LaneBulk  = "bulk"
)

// Request asks for a drop to be imported. It is the body of drop and ingest messages, and the record in
// work/<owner>/requests/ from which a lost message is made again.
type Request struct {
	V     int    `json:"v"`
	Owner string `json:"owner"`
	// Ask is the request's name: an id ([Deps].NewID) made anew whenever somebody asks, be it for the same. "" is a request of
	// the form that older versions know: two for one drop are then told apart by their words alone, and one may be lost when it
	// is recorded while another ends.
	Ask string `json:"ask,omitempty"`
	// Drop is the SHA-256 that names the drop; its record is inbox/<owner>/<drop>/drop.json.
	Drop string `json:"drop"`
	// Importer pins one importer, by version or name; empty: the newest of each, chosen by content.
	Importer string `json:"importer,omitempty"`
	// Extractors are names; empty: the default set.
	Extractors []string `json:"extractors,omitempty"`
	Lane       string   `json:"lane"`

	// Over are the keys of the requests for the same whose place this one took ([askLike]).
	Over []string `json:"-"`
}

// CheckVersion refuses the messages of another version.
func CheckVersion(v int) error {
	if v != MessageVersion {
		return fmt.Errorf("check message: version %d is not %d: run workers of one version", v, MessageVersion)
	}
	return nil
}

// CheckLane refuses a lane that does not exist.
func CheckLane(lane string) error {
	if lane != LaneSmall && lane != LaneBulk {
		return fmt.Errorf("check message: unknown lane %q", lane)
	}
	return nil
}

// FirstError is the first of the errors that is one.
func FirstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Check tells what is wrong with a request.
func (r Request) Check() error {
	bad := error(nil)
	if r.Ask != "" && !askForm.MatchString(r.Ask) {
		bad = fmt.Errorf("check message: %q is not the name of a request", r.Ask)
	}
	return FirstError(CheckVersion(r.V), CheckOwner(r.Owner), CheckHex("drop", r.Drop), CheckLane(r.Lane), bad)
}

// Subject is that of the request's message to ingest.
func (r Request) Subject() string { return "pam.ingest." + r.Lane + "." + r.Owner + "." + r.Drop }

// DropSubject is that of the log of drops.
func (r Request) DropSubject() string { return "pam.drop." + r.Owner + "." + r.Drop }

// Name names a request.
func (r Request) Name() string { return cmp.Or(r.Ask, r.Words()) }

// Words names what a request wants: of two requests for a drop, whether they want the same.
func (r Request) Words() string {
	return Digest("pamline-ask/1\n" + r.Owner + "\n" + r.Drop + "\n" + r.Importer + "\n" + strings.Join(r.Extractors, ",") + "\n")[:32]
}

// Record writes the record of a request.
func (r Request) Record(ctx context.Context, s blob.Store) error {
	return PutJSON(ctx, s, AskKey(r.Owner, r.Drop, r.Ask), r)
}
