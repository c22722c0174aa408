package pamio

import "github.com/pamline/pamline/pamio/jsonscan"

// Conversations are the conversations that a memory names as where it was said: that of its
// provenance, and those of the evidence in its metadata. One may stand there twice.
func (m *Memory) Conversations() (ids []string) {
	if m.Provenance.ConversationRef != "" {
		ids = append(ids, m.Provenance.ConversationRef)
	}
	if m.Metadata == nil {
		return ids
	}
	d, err := jsonscan.Parse(m.Metadata, 0)
	if err != nil {
		return ids
	}
	for ev := range d.Root().Get("evidence").Items() {
		if id := ev.Get("conversation").Str(); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}
