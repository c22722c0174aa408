package assemble

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// What a memory lists is bounded, whatever the number of conversations that say the same. The order
// of the evidence decides what is listed, so it is the earliest; metadata.evidence_count says how
// much there is.
const (
	maxEvidence = 20
	maxTags     = 64
)

// maxConfidence is the most that agreement can make of a confidence.
const maxConfidence = 0.99

// gathering is a memory while its evidence comes in, in order of time: its own, and that of the
// duplicates that it stands for. What it says itself comes from its own.
type gathering struct {
	id       string
	past     bool    // there is no own evidence but what was replaced
	doubt    float64 // product of 1-p over the kinds of evidence
	kind     []byte  // being weighed: the same one may come from several memories
	best     float64
	primary  *sighting // what the memory is written from
	created  when
	latest   when
	language string
	event    string
	explicit bool   // the person said it in so many words, somewhere
	adopted  bool   // an element of another PAM store states it
	own      bool   // something else states it, too
	evidence []byte // canonical objects, comma-joined
	last     []byte // the place, spot and time of the last of them, listed or not
	count    int64
	listed   int
	tags     []string
	platform []string
	buf      []byte
}

// weigh takes evidence of a kind. Equal kinds come one after the other.
func (g *gathering) weigh(kind []byte, p float64) {
	if !bytes.Equal(g.kind, kind) {
		g.doubt *= 1 - g.best
		g.kind, g.best = append(g.kind[:0], kind...), 0
	}
	g.best = max(g.best, p)
}

// change takes an edit: saying by hand that it holds leaves no doubt.
func (g *gathering) change(e *lastEdit) {
	if e.affirms() {
		g.doubt = 0
		g.created, g.latest = first(g.created, e.at), max(g.latest, e.at)
	}
}

// see takes the next sighting.
func (g *gathering) see(s *sighting) {
	from, to := s.observed()
	g.created, g.latest = first(g.created, from), max(g.latest, to)
	c := &s.candidate
	if s.memory == g.id {
		if g.primary == nil || !g.primary.placed() && s.placed() {
			g.primary = s
		}
		g.language, g.event = cmp.Or(g.language, c.Language), cmp.Or(g.event, c.EventTime)
		g.explicit = g.explicit || !c.Inferred
		g.adopted, g.own = g.adopted || c.Rule == adoptedRule, g.own || c.Rule != adoptedRule
	}
	for _, t := range c.Tags {
		g.tags = insertSorted(g.tags, t, maxTags)
	}
	g.platform = insertSorted(g.platform, c.Platform, math.MaxInt)
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

// placed tells whether a memory may refer to this evidence: its conversation is in the index, or it
// is a record that has none.
func (s *sighting) placed() bool { return s.known || s.evidence.Conversation == "" }

// insertSorted puts a value into a sorted set that keeps its first most elements.
func insertSorted(set []string, v string, most int) []string {
	i, found := slices.BinarySearch(set, v)
	if found {
		return set
	}
	set = slices.Insert(set, i, v)
	return set[:min(len(set), most)]
}

// confidence grows with each kind of evidence that supports the memory: 1-Π(1-p), to four decimals.
func (g *gathering) confidence() float64 {
	// The conversion keeps the compiler from fusing, which would give other last digits on other
	// machines.
	return confidenceOf(float64(g.doubt * (1 - g.best)))
}
