package assemble

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// Edit is one change that the person made to the store by hand. Later edits win over earlier ones;
// of two of one time, the one with the greater ID.
type Edit struct {
	// At is when, RFC 3339 with an offset.
	At string `json:"at"`
	// Memory is the id of the memory that is changed; "" for EditAdd.
	Memory string `json:"memory,omitempty"`
	// Action is one of the Edit… constants.
	Action string `json:"action"`
	// Type, CustomType and Content are those of the memory that EditAdd and EditReplace make.
	Type       string `json:"type,omitempty"`
	CustomType string `json:"custom_type,omitempty"`
	Content    string `json:"content,omitempty"`
	// Sensitive is the kind of a sensitive content, "" for none.
	Sensitive string `json:"sensitive,omitempty"`
	// ID is the edit's own: an edit that comes twice has one.
	ID string `json:"id"`
	// Access is what an edit says of access, nil for nothing: all that EditAccess says, or that of
	// the memory that EditAdd and EditReplace make.
	Access *AccessEdit `json:"access,omitempty"`
	// Undoes is the ID of the edit that EditUndo takes back.
	Undoes string `json:"undoes,omitempty"`
}

// What an edit can do.
const (
	// EditRetract says that a memory holds no more. Evidence that is newer brings it back.
	EditRetract = "retract"
	// EditArchive puts a memory away. Only another edit brings it back.
	EditArchive = "archive"
	// EditConfirm says that a memory holds: it counts as if it had been said at that time, and
	// brings back what was taken away earlier.
	EditConfirm = "confirm"
	// EditAdd makes a memory.
	EditAdd = "add"
	// EditReplace makes a memory that takes the place of another.
	EditReplace = "replace"
	// EditAccess says who may see a memory, and leaves its status alone.
	EditAccess = "access"
	// EditUndo takes back another edit, as if it had never been made. An undo is not undone: the
	// edit is made again instead.
	EditUndo = "undo"
	// EditErased stands in the place of an edit that was erased. It changes nothing.
	EditErased = "erased"
)

// manual is the platform and the method of what was added by hand.
const manual = "manual"

// lastEdit is the last that was done to a memory by hand.
type lastEdit struct {
	action string // "" for nothing
	at     when
	id     string
	by     uuid.UUID // EditReplace: the new memory
}

// after tells whether e was made after o. Of one edit that both makes a memory and takes away its
// like, the making counts.
func (e *lastEdit) after(o *lastEdit) bool {
	switch {
	case e.at != o.at:
		return e.at > o.at
	case e.id != o.id:
		return e.id > o.id
	}
	return e.action == EditAdd && o.action != EditAdd || e.action < o.action && o.action != EditAdd
}

// affirms tells whether a memory was said to hold.
func (e *lastEdit) affirms() bool { return e.action == EditConfirm || e.action == EditAdd }

// holdsAgainst tells whether the edit takes the memory away, seen that its last evidence is of that
// time.
func (e *lastEdit) holdsAgainst(latest when) bool {
	switch e.action {
	case EditArchive:
		return true
	case EditRetract, EditReplace:
		return latest <= e.at
	}
	return false
}

func (e *lastEdit) pack(dst []byte) []byte {
	dst = packString(packString(packString(dst, e.action), string(e.at)), e.id)
	return append(dst, e.by[:]...)
}

func (u *unpacker) edit(e *lastEdit) {
	u.again(&e.action)
	u.again((*string)(&e.at))
	u.again(&e.id)
	e.by = u.uuid()
}

// takeEdits turns edits into records of the memories that they change, and what they add into
// sightings.
func (in *intake) takeEdits(ctx context.Context, source Input) error {
	undone, err := undoneEdits(ctx, source)
	if err != nil {
		return fmt.Errorf("read edits: %w", err)
	}
	for e, err := range source.Edits(ctx) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("read edits: %w", err)
		}
		if e.Action == EditUndo || undone[e.ID] {
			continue
		}
		e.Memory = in.adoption.resolved(e.Memory)
		if reason := refuseEdit(&e); reason != "" {
			in.stats.drop(reason)
			continue
		}
		if err := in.edit(&e); err != nil {
			return fmt.Errorf("sort edits: %w", err)
		}
	}
	return nil
}

// undoneEdits are the IDs of the edits that were taken back.
func undoneEdits(ctx context.Context, source Input) (map[string]bool, error) {
	undone := map[string]bool{}
	for e, err := range source.Edits(ctx) {
		if err != nil {
			return nil, err
		}
		if e.Action == EditUndo && e.Undoes != "" {
			undone[e.Undoes] = true
		}
	}
	return undone, nil
}

func refuseEdit(e *Edit) string {
	if t, err := pamio.ParseTime(e.At); err != nil {
		return "edit-time"
	} else if e.At = pamio.FormatTime(t); e.At == epoch {
		return "edit-time"
	}
	if e.Access.Check() != nil || e.Action == EditAccess && e.Access == nil {
		return "edit-access"
	}
	switch e.Action {
	case EditAdd, EditReplace:
		c := e.candidate()
		if reason := refuse(&c); reason != "" {
			return "edit-" + reason
		}
	case EditRetract, EditArchive, EditConfirm, EditAccess:
	default:
		return "edit-action"
	}
	if e.Action != EditAdd && !isID(e.Memory) {
		return "edit-memory"
	}
	return ""
}

// candidate is the memory that an edit makes.
func (e *Edit) candidate() normalize.Candidate {
	return normalize.Candidate{
		Type: e.Type, CustomType: e.CustomType, Content: e.Content, Confidence: 1, Platform: manual, Method: manual,
		Sensitive: e.Sensitive, Evidence: []normalize.Evidence{{ObservedAt: e.At}},
	}
}

func (in *intake) edit(e *Edit) error {
	last := lastEdit{action: e.Action, at: byHand(e.At), id: e.ID}
	memory := e.Memory
	if e.Action == EditAccess {
		return addAccess(in.evidence, memory, e)
	}
	if e.Action == EditAdd || e.Action == EditReplace {
		c := e.candidate()
		added := normalize.MemoryIDOf(c.Type, c.CustomType, c.Content)
		last.by = uuid.MustParse(added)
		if err := in.see(sighting{memory: added, candidate: c, evidence: c.Evidence[0], hand: true}); err != nil {
			return err
		}
		if e.Access != nil {
			if err := addAccess(in.evidence, added, e); err != nil {
				return err
			}
		}
		add := lastEdit{action: EditAdd, at: last.at, id: last.id}
		if err := addEdit(in.evidence, added, &add); err != nil || e.Action == EditAdd || added == memory {
			return err
		}
	}
	return addEdit(in.evidence, memory, &last)
}

// addEdit files an edit with its memory, in order of time.
func addEdit(evidence *extsort.Sorter, memory string, e *lastEdit) error {
	key := append(tupleString(nil, memory), editRecord)
	return evidence.Add(e.at.ascending(key), e.pack(nil))
}
