package assemble

import (
	"cmp"
	"fmt"

	"github.com/google/uuid"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// The statuses of a memory (PAM §7).
const (
	active     = "active"
	superseded = "superseded"
	deprecated = "deprecated"
	retracted  = "retracted"
	archived   = "archived"
)

// Why a memory has the status that it has, beside those of a newer component.
const (
	duplicateReason = "duplicate"
	retractedReason = "retracted"
	vanishedReason  = "vanished"
	noEvidence      = "no-evidence"
	unsureReason    = "unsure"
	overReason      = "over"
)

// verdict is what was decided about a memory.
type verdict struct {
	status, reason string
	by             string // canonical JSON of what changed the status
	supersededBy   uuid.UUID
	duplicateOf    uuid.UUID
	from, until    when // what bounds the time in which it holds
	followed       bool // by a value that was told together with it, each with its beginning
	changed        when // what changed its status is of that time
	slot           normalize.Slot
	sensitive      string // of what a component says, each of its memories says it
	access         access // of what is said of a component, the most restrictive
}

func (v *verdict) pack(dst []byte) []byte {
	for _, s := range [...]string{v.status, v.reason, v.by, string(v.from), string(v.until), string(v.changed), v.slot.Attribute, v.slot.Value, v.sensitive} {
		dst = packString(dst, s)
	}
	dst = append(v.access.pack(dst), flag(v.followed))
	return append(append(dst, v.supersededBy[:]...), v.duplicateOf[:]...)
}

func (u *unpacker) verdict() verdict {
	v := verdict{status: u.string(), reason: u.string(), by: u.string(), from: when(u.string()), until: when(u.string()), changed: when(u.string())}
	v.slot.Attribute, v.slot.Value, v.sensitive = u.string(), u.string(), u.string()
	u.access(&v.access)
	v.followed = u.flag()
	v.supersededBy, v.duplicateOf = u.uuid(), u.uuid()
	return v
}

// judge decides about a component. What the person did by hand comes first, then whether there is
// evidence at all, then what the person said, then what is newer.
func judge(c *facts, f *findings, newest when) (v verdict, err error) {
	v.slot, v.sensitive, v.from, v.until = c.slot, c.sensitive, c.from, c.until
	v.access = c.access
	if v.from == "" && f.started != nil {
		u := unpacker{left: f.started}
		if v.from = when(u.string()); u.err != nil {
			return v, u.err
		}
	}
	if c.removed() {
		v.reason, v.changed, v.by = editReason, c.edit.at, editJSON(&c.edit)
		switch c.edit.action {
		case EditRetract:
			v.status = retracted
		case EditArchive:
			v.status = archived
		case EditReplace:
			u := unpacker{left: f.replaced}
			v.status, v.until, v.supersededBy = superseded, c.edit.at, u.uuid()
			return v, u.err
		}
		return v, nil
	}
	switch {
	case !c.current:
		v.status, v.reason = archived, noEvidence
	case f.retracted != nil:
		u := unpacker{left: f.retracted}
		v.status, v.reason, v.changed = retracted, retractedReason, observed(u.string())
		v.by = u.string()
		if until := when(u.string()); until != "" {
			v.until = until
		}
		return v, u.err
	case f.superseded != nil:
		u := unpacker{left: f.superseded}
		v.status, v.until, v.changed = superseded, when(u.string()), when(u.string())
		v.reason, v.followed = u.string(), u.flag()
		v.supersededBy = u.uuid()
		return v, u.err
	case c.vanished():
		v.status, v.reason, v.changed = deprecated, vanishedReason, c.listed
	case c.until != "" && c.until <= newest && !c.past():
		v.status, v.reason, v.changed = archived, overReason, c.until
	default:
		v.status = active
	}
	return v, nil
}

// sure is the confidence from which a memory is active. What is less sure is kept, archived, until
// evidence of another kind agrees.
const sure = 0.5

// unsure puts a memory away that is more likely wrong than right.
func (v *verdict) unsure(confidence float64) {
	if v.status == active && confidence < sure {
		v.status, v.reason = archived, unsureReason
	}
}

// editJSON names an edit, canonical.
func editJSON(e *lastEdit) string {
	out := pamio.AppendString([]byte(`{"action":`), e.action)
	out = pamio.AppendString(append(out, `,"edit":`...), e.id)
	out = pamio.AppendString(append(out, `,"observed_at":`...), e.at.time())
	return string(append(out, '}'))
}

// duplicate is the verdict on a memory that another stands for. It stays archived when that one is
// taken back: PAM §7.1 has no way from archived to retracted.
func (v *verdict) duplicate(m *facts, representative uuid.UUID) verdict {
	return verdict{
		status: archived, reason: duplicateReason, duplicateOf: representative,
		slot: m.slot, sensitive: cmp.Or(m.sensitive, v.sensitive), access: v.access, from: m.from, until: m.until,
	}
}

// decide gives each memory its verdict.
func (r *resolution) decide() error {
	r.verdicts = r.sorter()
	found := newFinder(r.findings)
	defer found.stop()
	var value []byte
	var judged uuid.UUID
	var v verdict
	var m, c facts
	err := joinByID(r.components.Sorted(), r.ranked.Sorted(), func(_, member, whole []byte) error {
		a, b := unpacker{left: member}, unpacker{left: whole}
		a.facts(&m)
		b.facts(&c)
		if a.err != nil || b.err != nil {
			return errRecord
		}
		if c.id != judged {
			judged = c.id
			about, err := found.about(c.id)
			if err != nil {
				return err
			}
			if v, err = judge(&c, &about, r.newest); err != nil {
				return err
			}
			if v.reason == endedReason {
				if err := r.relate(v.supersededBy, c.id, supersedes); err != nil {
					return err
				}
			}
		}
		one := v
		if m.id != c.id {
			one = v.duplicate(&m, c.id)
			if err := r.relate(m.id, c.id, supports); err != nil {
				return err
			}
		}
		value = one.pack(value[:0])
		return r.verdicts.Add(m.id[:], value)
	})
	if err != nil {
		return fmt.Errorf("decide about memories: %w", err)
	}
	for _, s := range [...]*extsort.Sorter{r.findings, r.ranked, r.components} {
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}
