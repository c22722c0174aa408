package llm

import (
	"strings"

	"github.com/pamline/pamline/normalize"
)

// aliases are names that models give to attributes.
var aliases = map[string]string{
	"location": "residence", "home": "residence", "city": "residence", "lives_in": "residence", "occupation": "job", "profession": "job",
	"role": "job", "company": "employer", "workplace": "employer", "dislikes": "likes", "favourite": "favorite", "interest": "hobby",
	"hobbies": "hobby", "interests": "hobby", "languages": "language", "skills": "skill", "goals": "goal", "allergies": "allergy",
	"children": "child_count", "kids": "child_count", "birth_date": "birthday", "date_of_birth": "birthday", "relationship_status": "marital_status",
	"family_status": "marital_status", "hometown": "origin", "birthplace": "origin", "instructions": "instruction", "habits": "habit",
	"medical_condition": "condition", "health_condition": "condition", "pets": "pet", "major": "study", "university": "school",
}

// slotOf gives what of the person a memory tells; nil when the model named nothing that can be
// compared.
func slotOf(attribute, value string) *normalize.Slot {
	attribute = attributeOf(attribute)
	value = normalize.FoldValue(bare(value))
	if attribute == "" || value == "" {
		return nil
	}
	return &normalize.Slot{Attribute: attribute, Value: value, One: normalize.IsOneValued(attribute)}
}

// attributeOf gives an attribute by the name that the model has for it, "" when it is none.
func attributeOf(attribute string) string {
	attribute = strings.NewReplacer(" ", "_", "-", "_").Replace(attribute)
	if a, ok := aliases[attribute]; ok {
		attribute = a
	}
	if rest, ok := strings.CutPrefix(attribute, "favourite"); ok {
		attribute = "favorite" + rest
	}
	if rest, ok := strings.CutPrefix(attribute, "favorite_"); ok {
		attribute = "favorite." + rest
	}
	if !wellFormed(attribute) {
		return ""
	}
	return attribute
}

// wellFormed tells whether an attribute is one or two words of small letters, with a dot between
// them.
func wellFormed(attribute string) bool {
	head, tail, dotted := strings.Cut(attribute, ".")
	if head == "favorite" || head == "relative" || head == "uses" {
		if !dotted {
			return false
		}
	}
	return name(head) && (!dotted || name(tail))
}

func name(s string) bool {
	if s == "" || len(s) > 40 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && c != '_' && (!isDigit(c) || i == 0) {
			return false
		}
	}
	return true
}

// leading are the articles and possessives before an object, in small letters: "LA" is a city.
var leading = []string{
	"the ", "The ", "a ", "an ", "my ", "his ", "her ", "their ", "our ", "el ", "la ", "los ", "las ", "un ", "una ", "mi ", "mis ", "su ", "sus ",
	"le ", "les ", "une ", "des ", "du ", "mon ", "ma ", "mes ", "son ", "sa ", "ses ", "l'", "l’", "o ", "os ", "as ", "um ", "uma ", "meu ", "minha ",
	"der ", "die ", "das ", "den ", "dem ", "ein ", "eine ", "einen ", "einem ", "einer ", "mein ", "meine ", "meinen ", "il ", "lo ", "gli ", "i ", "uno ", "mio ", "mia ",
}

// bare takes one article or possessive off the beginning of an object.
func bare(value string) string {
	value = strings.TrimSpace(value)
	for _, l := range leading {
		if rest, ok := strings.CutPrefix(value, l); ok && strings.TrimSpace(rest) != "" {
			return strings.TrimSpace(rest)
		}
	}
	return value
}
