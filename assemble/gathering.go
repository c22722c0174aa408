package assemble

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/pamline/pamline/pamio"
)

// What a memory lists is bounded, whatever the number of conversations that say the same. The order of the evidence
// decides what is listed, so it is the earliest; metadata.evidence_count says how much there is.
const (
	maxEvidence = 20
	maxTags     = 64
)

// maxConfidence is the most that repetition can make of a confidence.
const maxConfidence = 0.99

// gathering is a memory while its evidence comes in, in order of time.
type gathering struct {
	id       string
	doubt    float64   // product of 1-p over the places
	primary  *sighting // what the memory is written from
	created  string
	latest   string
	language string
	evidence []byte // canonical objects, comma-joined
	last     []byte // the place, spot and time of the last of them, listed or not
	count    int64
	listed   int
	tags     []string
	platform []string
	buf      []byte
}

// see takes the next sighting.
func (g *gathering) see(s *sighting) {
	if g.primary == nil {
		g.primary, g.created = s, s.evidence.ObservedAt
	} else if !g.primary.placed() && s.placed() {
		g.primary = s
	}
	if laterTime(s.evidence.ObservedAt, g.latest) {
		g.latest = s.evidence.ObservedAt
	}
	g.language = cmp.Or(g.language, s.candidate.Language)
	for _, t := range s.candidate.Tags {
		g.tags = insert(g.tags, t, maxTags)
	}
	g.platform = insert(g.platform, s.candidate.Platform, math.MaxInt)
	g.buf = append(s.spot(s.place(g.buf[:0])), s.evidence.ObservedAt...)
	if string(g.buf) == string(g.last) {
		return // two extractors found the same words, or two archives have the same record
	}
	g.last = append(g.last[:0], g.buf...)
	g.count++
	if g.listed < maxEvidence {
		if g.listed > 0 {
			g.evidence = append(g.evidence, ',')
		}
		g.evidence = appendEvidence(g.evidence, &s.evidence)
		g.listed++
	}
}

// placed tells whether a memory may refer to this evidence: its conversation is in the index, or it is a record that has
// none.
func (s *sighting) placed() bool { return s.known || s.evidence.Conversation == "" }

// insert puts a value into a sorted set that keeps its first most elements.
func insert(set []string, v string, most int) []string {
	i, found := slices.BinarySearch(set, v)
	if found {
		return set
	}
	set = slices.Insert(set, i, v)
	return set[:min(len(set), most)]
}

// memory is the memory object (PAM §4).
func (g *gathering) memory() *pamio.Memory {
	c, e := &g.primary.candidate, &g.primary.evidence
	m := &pamio.Memory{
		ID: g.id, Type: c.Type, CustomType: c.CustomType, Status: "active",
		Content: c.Content, ContentHash: pamio.ContentHash(c.Content), Tags: g.tags,
		Confidence: &pamio.Confidence{
			Initial: c.Confidence, Current: g.confidence(), DecayModel: c.Decay, LastReinforced: g.latest,
		},
		Temporal: pamio.Temporal{CreatedAt: cmp.Or(g.created, epoch)},
		Provenance: pamio.Provenance{
			Platform: c.Platform, PlatformUserID: e.AccountID, ExtractionMethod: c.Method, Extractor: c.Extractor,
		},
		Metadata: g.metadata(),
	}
	if laterTime(g.latest, g.created) {
		m.Temporal.UpdatedAt = g.latest
	}
	if g.primary.known {
		m.Provenance.ConversationRef, m.Provenance.MessageRef = e.Conversation, e.Message
	}
	return m
}

// confidence grows with each independent place that supports the memory: 1-Π(1-p), to four decimals.
func (g *gathering) confidence() float64 {
	return math.Round(min(1-g.doubt, maxConfidence)*1e4) / 1e4
}

// metadata is the memory's metadata (PAM §10) in canonical form.
func (g *gathering) metadata() pamio.RawJSON {
	out := []byte{'{'}
	if g.created == "" {
		out = append(out, `"created_at_source":"none",`...)
	}
	out = append(append(append(out, `"evidence":[`...), g.evidence...), ']')
	if g.count > int64(g.listed) {
		out = strconv.AppendInt(append(out, `,"evidence_count":`...), g.count, 10)
	}
	if g.language != "" {
		out = pamio.AppendString(append(out, `,"language":`...), g.language)
	}
	if len(g.platform) > 1 {
		out = append(out, `,"platforms":[`...)
		for i, p := range g.platform {
			if i > 0 {
				out = append(out, ',')
			}
			out = pamio.AppendString(out, p)
		}
		out = append(out, ']')
	}
	return append(out, '}')
}
