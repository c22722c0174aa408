package lossless

import "github.com/pamline/pamline/normalize"

// times gives every message and the conversation a time: its own, else that of another message of
// its object, of the nearest message above it, of one below it, else of the conversation, else
// Fallback, else none.
func (b *Builder) times(order []*Object) {
	byID := map[string]*Message{}
	var all []*Message
	for _, o := range order {
		main := o.main()
		for _, m := range o.messages {
			byID[m.ID] = m
			all = append(all, m)
			if m.Time != normalize.Epoch {
				b.Seen(m.Time)
			}
		}
		for _, m := range o.messages {
			if m.Time == normalize.Epoch && main.Time != normalize.Epoch && main.TimeFrom == "" {
				m.Time, m.TimeFrom = main.Time, fromTurn
			}
		}
	}
	oldest := normalize.Epoch
	for _, m := range all {
		if m.Time != normalize.Epoch && (oldest == normalize.Epoch || m.Time.Compare(oldest) < 0) {
			oldest = m.Time
		}
	}
	above := func(i int) *Message {
		if p := byID[all[i].ParentID]; p != nil {
			return p
		}
		if all[i].ParentID == "" && i > 0 && len(all[i].ChildrenIDs) == 0 && all[i-1].ParentID == "" && len(all[i-1].ChildrenIDs) == 0 {
			return all[i-1] // no links: the message before
		}
		return nil
	}
	for i, m := range all {
		if p := above(i); m.Time == normalize.Epoch && p != nil && p.Time != normalize.Epoch {
			m.Time, m.TimeFrom = p.Time, fromAncestor
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		if p := above(i); all[i].Time != normalize.Epoch && p != nil && p.Time == normalize.Epoch {
			p.Time, p.TimeFrom = all[i].Time, fromDescendant
		}
	}

	created, from := b.Created, ""
	switch {
	case created != normalize.Epoch:
		b.Seen(created)
	case oldest != normalize.Epoch:
		created, from = oldest, fromMessages
	case b.Updated != normalize.Epoch:
		created, from = b.Updated, fromUpdate
	case b.Fallback != normalize.Epoch:
		created, from = b.Fallback, b.FallbackFrom
	default:
		from = fromNone
	}
	b.Doc.Temporal.CreatedAt = created.String()
	if from != "" {
		b.Note(keyTimeFrom, from)
	}
	if b.Updated != normalize.Epoch {
		b.Seen(b.Updated)
		if b.Updated.Compare(created) >= 0 {
			b.Doc.Temporal.UpdatedAt = b.Updated.String()
		} else {
			b.Anomalies["update_before_create"]++
		}
	}
	for _, m := range all {
		if m.Time == normalize.Epoch {
			m.Time, m.TimeFrom = created, fromConversation
			if from == fromNone {
				m.TimeFrom = fromNone
			}
		}
		m.CreatedAt = m.Time.String()
		if m.TimeFrom != "" && m.TimeFrom != fromTurn {
			m.Note(keyTimeFrom, m.TimeFrom)
		}
	}
}
