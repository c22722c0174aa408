package assemble

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// The plain resolver: all in memory, everything compared with everything, straight from the rules
// of the package doc. It shares no code with the real one but the hash, the ids, the topics and the
// folding of values.

// fact is what the plain resolver says of a memory; the zero value of a field is an absent one.
type fact struct {
	Status, Reason, SupersededBy, DuplicateOf      string
	Created, Updated, Reinforced, From, Until      string
	Current                                        float64
	Count                                          int
	Tags                                           string
	Private, Inferred                              bool
	Sensitive, SlotAttribute, SlotValue, EventTime string
	StatusBy                                       string // time of what changed it
	Embedding                                      bool
}

type plainSighting struct {
	c    normalize.Candidate
	e    normalize.Evidence
	at   stamp
	hand bool
	last stamp // of the same words at the same spot
}

func (s plainSighting) place() string {
	if s.e.Conversation != "" {
		return s.e.Conversation
	}
	return "member " + s.e.Member + " of " + s.c.Platform
}

func (s plainSighting) kind() string {
	extractor, _, _ := strings.Cut(s.c.Extractor, "/")
	if s.e.Pointer != "" {
		return fmt.Sprintf("record %t %s %s", s.hand, extractor, s.c.Platform)
	}
	return fmt.Sprintf("said %t %s %s", s.hand, extractor, s.c.Rule)
}

func (s plainSighting) spot() string {
	return fmt.Sprintf("%s %s %d %d %q %q", s.place(), s.e.Message, s.e.Start, s.e.End, s.e.Pointer, s.e.Quote)
}

type plainMemory struct {
	id, typ, content string
	seen, past       []plainSighting
	edits            []Edit // of this memory: replace means that it was replaced
	known            []plainSighting
	current          bool
	comp             *plainComponent
}

type plainComponent struct {
	rep           *plainMemory
	members       []*plainMemory
	first, latest stamp
	slot          normalize.Slot
	from, until   stamp
	started       stamp // when it took the place of another value
	event         bool
	negative      bool
	edit          *Edit
	removed       bool
	losesTo       []loss
	place         int
	followed      bool // of the loss that counts
	fact          fact
}

type loss struct {
	to     *plainComponent
	reason string
	at     stamp // of an ending, when it was said
	until  stamp // and when it came
	since  stamp // of another value, when it began
	// followed: it was told together with this one, each with its beginning
	followed bool
}

type plainResolver struct {
	memories  map[string]*plainMemory
	ids       []string
	lists     map[string]stamp
	relations map[[3]string]bool
	vectors   map[string][]float32
	newest    stamp
}

func (p *plainResolver) memory(c normalize.Candidate) *plainMemory {
	id := normalize.MemoryID(c.Type, c.CustomType, pamio.ContentHash(c.Content))
	if p.memories[id] == nil {
		p.memories[id] = &plainMemory{id: id, typ: c.Type + "/" + c.CustomType}
		p.ids = append(p.ids, id)
	}
	return p.memories[id]
}

func (p *plainResolver) relate(from, to, typ string) {
	if from != to {
		p.relations[[3]string{from, to, typ}] = true
	}
}

// resolvePlainly gives the facts by memory id, and the relations.
func resolvePlainly(s *storage) (map[string]fact, map[[3]string]string) {
	p := &plainResolver{memories: map[string]*plainMemory{}, lists: map[string]stamp{}, relations: map[[3]string]bool{}}
	var retractions []plainSighting
	forbidden := map[string]bool{}
	for _, c := range s.candidates {
		for _, e := range c.Evidence {
			if c.Act == normalize.ActForbid {
				forbidden[e.Conversation] = true
			}
		}
	}
	for i, list := range [][]normalize.Candidate{s.candidates, s.past} {
		for _, c := range list {
			for _, e := range c.Evidence {
				at := stampOf(e.ObservedAt, false)
				if i == 0 && e.Listing != "" && c.Act != normalize.ActRetract {
					if l := stampOf(e.ListedAt, false); p.lists[e.Listing].before(l) {
						p.lists[e.Listing] = l
					}
				}
				if c.Act == normalize.ActForbid || c.Act == "" && forbidden[e.Conversation] {
					continue
				}
				switch {
				case i == 0 && c.Act == normalize.ActRetract:
					if at.t != "" {
						retractions = append(retractions, plainSighting{c: c, e: e, at: at})
					}
				case c.Act != "":
				case i == 0:
					m := p.memory(c)
					m.seen = append(m.seen, plainSighting{c: c, e: e, at: evidenceTime(&e)})
				default:
					m := p.memory(c)
					m.past = append(m.past, plainSighting{c: c, e: e, at: evidenceTime(&e)})
				}
			}
		}
	}
	for _, e := range s.edits {
		if e.Action == EditAdd || e.Action == EditReplace {
			c := normalize.Candidate{Type: e.Type, Content: e.Content, Confidence: 1, Platform: "manual", Method: "manual"}
			m := p.memory(c)
			m.seen = append(m.seen, plainSighting{c: c, e: normalize.Evidence{ObservedAt: e.At}, at: stampOf(e.At, true), hand: true})
			m.edits = append(m.edits, Edit{At: e.At, ID: e.ID, Action: EditAdd})
			if e.Memory == m.id {
				continue
			}
		}
		if e.Action != EditAdd {
			if m := p.memories[e.Memory]; m != nil {
				m.edits = append(m.edits, e)
			}
		}
	}
	// Edits of memories that only later edits add.
	for _, e := range s.edits {
		if m := p.memories[e.Memory]; m != nil && e.Action != EditAdd && !slices.Contains(m.edits, e) {
			if e.Action == EditReplace && p.memory(normalize.Candidate{Type: e.Type, Content: e.Content}) == m {
				continue
			}
			m.edits = append(m.edits, e)
		}
	}
	slices.Sort(p.ids)
	p.pickVectors(s.vectors)
	comps := p.components()
	for _, d := range s.snapshots {
		p.sawTime(stampOf(d.CreatedAt, false))
		p.sawTime(stampOf(d.UpdatedAt, false))
	}
	for _, id := range p.ids {
		for _, s := range distinct(p.memories[id].seen) {
			p.sawTime(s.at)
			p.sawTime(s.last)
		}
	}
	p.slots(comps)
	p.endings(comps)
	for _, c := range comps {
		p.judge(c, retractions)
	}
	return p.report(comps)
}

// laterEdit tells whether a was made after b.
func laterEdit(a, b *Edit) bool {
	x, y := stampOf(a.At, true), stampOf(b.At, true)
	if x != y {
		return y.before(x)
	}
	if a.ID != b.ID {
		return a.ID > b.ID
	}
	return a.Action == EditAdd && b.Action != EditAdd
}

func (m *plainMemory) lastEdit() *Edit {
	var last *Edit
	for i := range m.edits {
		if last == nil || laterEdit(&m.edits[i], last) {
			last = &m.edits[i]
		}
	}
	return last
}

func affirms(e *Edit) bool { return e != nil && (e.Action == EditAdd || e.Action == EditConfirm) }

// span is the first and the last time that something says so.
func (m *plainMemory) span() (first, last stamp) {
	see := func(at stamp) {
		if at.t != "" && (first.t == "" || at.earlier(first)) {
			first = at
		}
		if last.before(at) {
			last = at
		}
	}
	for _, s := range m.known {
		see(s.at)
		see(s.last)
	}
	for i := range m.edits {
		if affirms(&m.edits[i]) {
			see(stampOf(m.edits[i].At, true))
		}
	}
	return first, last
}

// inOrder sorts sightings by time, unknown ones last, then by place and spot.
func inOrder(list []plainSighting) {
	key := func(s plainSighting) string {
		t := s.at.t
		if t == "" {
			t = "\xFF"
		}
		front := s.e.Conversation + "\x00\x01\x00\x01"
		if s.e.Conversation == "" {
			front = "\x00\x01" + s.e.Member + "\x00\x01" + s.c.Platform
		}
		return t + front + fmt.Sprintf("%s %08d %08d", s.e.Message, s.e.Start, s.e.End)
	}
	sort.SliceStable(list, func(i, j int) bool { return key(list[i]) < key(list[j]) })
}

// distinct keeps, of what was said in the same words at the same spot, the earliest.
func distinct(list []plainSighting) []plainSighting {
	inOrder(list)
	seen := map[string]int{}
	var out []plainSighting
	for _, s := range list {
		c := s.c
		c.Evidence = nil
		said, err := json.Marshal([]any{c, s.e.AccountID, s.e.Listing != "", s.hand, s.spot(), s.e.AsOf})
		if err != nil {
			panic(err)
		}
		if at, ok := seen[string(said)]; !ok {
			seen[string(said)] = len(out)
			out = append(out, s)
		} else if s.at.t != "" && !s.hand {
			out[at].last = s.at
		}
	}
	return out
}
