package assemble

import (
	"cmp"
	"math"
	"strconv"

	"github.com/google/uuid"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// memory is the memory object (PAM §4).
func (g *gathering) memory(v *verdict) *pamio.Memory {
	c, e := &g.primary.candidate, &g.primary.evidence
	m := &pamio.Memory{
		ID: g.id, Type: c.Type, CustomType: c.CustomType, Status: v.status,
		Content: c.Content, ContentHash: pamio.ContentHash(c.Content), Tags: g.tags,
		Confidence: &pamio.Confidence{
			Initial: c.Confidence, Current: g.confidence(), DecayModel: c.Decay, LastReinforced: g.latest.time(),
		},
		Temporal: pamio.Temporal{CreatedAt: cmp.Or(g.created.time(), epoch)},
		Provenance: pamio.Provenance{
			Platform: c.Platform, PlatformUserID: e.AccountID, ExtractionMethod: c.Method, Extractor: c.Extractor,
		},
		Metadata: g.metadata(v),
	}
	changed := max(g.latest.known(), v.changed.known())
	if !g.adopted { // the adoption adds it
		changed = max(changed, v.access.Hand)
	}
	if changed := changed.time(); laterTime(changed, m.Temporal.CreatedAt) {
		m.Temporal.UpdatedAt = changed
	}
	m.Temporal.ValidFrom = v.from.time()
	if until := v.validUntil(g.created); !laterTime(m.Temporal.ValidFrom, until) {
		m.Temporal.ValidUntil = until
	}
	if v.supersededBy != uuid.Nil {
		m.Temporal.SupersededBy = v.supersededBy.String()
	}
	if g.primary.known {
		m.Provenance.ConversationRef, m.Provenance.MessageRef = e.Conversation, e.Message
	}
	for _, topic := range normalize.Topics(c.Type, v.slot.Attribute, v.sensitive) {
		m.Tags = insertSorted(m.Tags, topic, math.MaxInt)
	}
	if v.sensitive != "" {
		m.Access = &pamio.Access{Visibility: "private", Exportable: true}
		m.Tags = insertSorted(m.Tags, "sensitive", math.MaxInt)
	}
	if said := v.access.block(); said != nil {
		m.Access = said
	}
	return m
}

// validUntil is when a memory of that age stopped to hold. An end before the memory was first said
// is only known to have come before the end was said, unless the beginnings of both values were
// told with them.
func (v *verdict) validUntil(created when) string {
	switch {
	case v.until == "" || v.supersededBy != uuid.Nil && created == "":
		return ""
	case v.supersededBy == uuid.Nil || laterTime(v.until.time(), created.time()) || v.followed:
		return v.until.time()
	case v.reason == endedReason:
		return v.changed.time()
	}
	return ""
}

// metadata is the memory's metadata (PAM §10) in canonical form.
func (g *gathering) metadata(v *verdict) pamio.RawJSON {
	out := []byte{'{'}
	key := func(name string) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), name...), `":`...)
	}
	text := func(name, value string) {
		if value != "" {
			key(name)
			out = pamio.AppendString(out, value)
		}
	}
	if g.adopted { // for the adoption, which removes it again
		key(adoptedKey)
		out = strconv.AppendBool(out, !g.own)
		text(accessKey, v.access.Hand.time())
	}
	if g.created == "" {
		text("created_at_source", "none")
	}
	if v.duplicateOf != uuid.Nil {
		text("duplicate_of", v.duplicateOf.String())
	}
	g.appendEntities(key, &out)
	text("event_time", g.event)
	key("evidence")
	out = append(append(append(out, '['), g.evidence...), ']')
	if g.count > int64(g.listed) {
		key("evidence_count")
		out = strconv.AppendInt(out, g.count, 10)
	}
	if !g.explicit {
		key("inferred")
		out = append(out, "true"...)
	}
	text("language", g.language)
	if len(g.platform) > 1 {
		key("platforms")
		out = append(out, '[')
		for i, p := range g.platform {
			if i > 0 {
				out = append(out, ',')
			}
			out = pamio.AppendString(out, p)
		}
		out = append(out, ']')
	}
	text("rule", g.primary.candidate.Rule)
	text("sensitive", v.sensitive)
	if v.slot.Attribute != "" {
		key("slot")
		out = pamio.AppendString(append(out, `{"attribute":`...), v.slot.Attribute)
		out = append(pamio.AppendString(append(out, `,"value":`...), v.slot.Value), '}')
	}
	if v.by != "" {
		key("status_by")
		out = append(out, v.by...)
	}
	text("status_reason", v.reason)
	return append(out, '}')
}

// appendEntities appends whom the content names.
func (g *gathering) appendEntities(key func(string), out *[]byte) {
	all := g.primary.candidate.Entities
	if len(all) == 0 {
		return
	}
	key("entities")
	for i, e := range all {
		sep := byte(',')
		if i == 0 {
			sep = '['
		}
		*out = pamio.AppendString(append(append(*out, sep), `{"name":`...), e.Name)
		if e.Relation != "" {
			*out = pamio.AppendString(append(*out, `,"relation":`...), e.Relation)
		}
		*out = append(*out, '}')
	}
	*out = append(*out, ']')
}
