package llm

import (
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/extract/gate"
	"github.com/pamline/pamline/normalize"
)

const (
	maxPeople   = 8  // of one memory
	maxRelation = 40 // bytes
	maxName     = 80 // characters
)

// entitiesOf gives the people and animals that a content names, as far as the person named them.
func entitiesOf(people []person, content, said string) []normalize.Entity {
	var all []normalize.Entity
	for _, p := range people[:min(len(people), maxPeople)] {
		name := strings.Join(strings.Fields(disarmed(p.name)), " ")
		relation := strings.ToLower(strings.TrimSpace(p.relation))
		switch {
		case name == "" || utf8.RuneCountInString(name) > maxName || !wasSaid(name, content) || !wasSaid(name, said):
			continue
		case len(relation) > maxRelation || gate.Reason(relation) != "" || strings.IndexFunc(relation, notInRelation) >= 0:
			relation = ""
		}
		all = append(all, normalize.Entity{Name: name, Relation: relation})
	}
	return all
}

// notInRelation tells of characters that no English word for a relation has.
func notInRelation(r rune) bool { return (r < 'a' || r > 'z') && r != ' ' && r != '-' && r != '\'' }
