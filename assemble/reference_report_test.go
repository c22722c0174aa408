package assemble

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
)

// report describes each memory, and dates the relations.
func (p *plainResolver) report(comps []*plainComponent) (map[string]fact, map[[3]string]string) {
	facts, latest := map[string]fact{}, map[string]string{}
	for _, c := range comps {
		for _, m := range c.members {
			f := fact{Status: "archived", Reason: "duplicate", DuplicateOf: c.rep.id}
			of := []*plainMemory{m}
			first, last := m.span()
			if m == c.rep {
				f, of, first, last = c.fact, c.members, c.first, c.latest
				f.SlotAttribute, f.SlotValue = c.slot.Attribute, c.slot.Value
			} else {
				slot := m.slot()
				f.SlotAttribute, f.SlotValue = slot.Attribute, slot.Value
				f.Updated = last.String()
			}
			for _, o := range append([]*plainMemory{m}, c.members...) {
				for _, s := range o.known {
					f.Sensitive = cmp.Or(f.Sensitive, s.c.Sensitive)
				}
			}
			describe(&f, m, of)
			f.Created, f.Reinforced = cmp.Or(first.String(), epoch), last.String()
			if f.Updated == first.String() {
				f.Updated = ""
			}
			if m != c.rep {
				for _, s := range m.known {
					if from := stampOf(s.c.ValidFrom, false); from.t != "" && (f.From == "" || from.before(stampOf(f.From, false))) {
						f.From = from.String()
					}
					if until := stampOf(s.c.ValidUntil, false); stampOf(f.Until, false).before(until) {
						f.Until = until.String()
					}
				}
			}
			if f.SupersededBy != "" && (first.t == "" || !first.real().before(stampOf(f.Until, false)) && f.Reason != "ended" && !(m == c.rep && c.followed)) {
				f.Until = ""
			}
			if f.From != "" && f.Until != "" && stampOf(f.Until, false).before(stampOf(f.From, false)) {
				f.Until = ""
			}
			f.Embedding = p.vectors[m.id] != nil
			facts[m.id], latest[m.id] = f, cmp.Or(last.String(), epoch)
		}
	}
	dated := map[[3]string]string{}
	for r := range p.relations {
		dated[r] = latest[r[0]]
	}
	return facts, dated
}

// plainConfidence is that of several memories which say the same.
func plainConfidence(of []*plainMemory) float64 {
	best := map[string]float64{}
	doubt, affirmed := 1.0, false
	for _, m := range of {
		for _, s := range m.known {
			best[s.kind()] = max(best[s.kind()], s.c.Confidence)
		}
		for i := range m.edits {
			affirmed = affirmed || affirms(&m.edits[i])
		}
	}
	for _, b := range best {
		doubt *= 1 - b
	}
	if affirmed {
		doubt = 0
	}
	return math.Round(min(1-doubt, .99)*1e4) / 1e4
}

func describe(f *fact, m *plainMemory, of []*plainMemory) {
	spots, tags := map[string]bool{}, map[string]bool{}
	var all []plainSighting
	for _, o := range of {
		all = append(all, o.known...)
	}
	inOrder(all)
	for _, s := range all {
		spots[s.spot()+s.at.t] = true
		for _, t := range s.c.Tags {
			tags[t] = true
		}
	}
	f.Current = plainConfidence(of)
	if f.Status == "active" && f.Current < .5 {
		f.Status, f.Reason = "archived", "unsure"
	}
	f.Count = len(spots)
	f.Inferred = true
	for _, s := range m.known {
		f.Inferred = f.Inferred && s.c.Inferred
		f.EventTime = cmp.Or(f.EventTime, s.c.EventTime)
	}
	typ, _, _ := strings.Cut(m.typ, "/")
	for _, topic := range normalize.Topics(typ, f.SlotAttribute, f.Sensitive) {
		tags[topic] = true
	}
	if f.Private = f.Sensitive != ""; f.Private {
		tags["sensitive"] = true
	}
	var list []string
	for t := range tags {
		list = append(list, t)
	}
	slices.Sort(list)
	f.Tags = strings.Join(list, " ")
}
