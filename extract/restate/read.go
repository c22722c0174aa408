package restate

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tongue tells what the rule tables know of a language.
type Tongue interface {
	// Language is the language of a text, "" for an unknown one.
	Language(text string) string
	// FirstPerson gives the first person of a verb in the third, ThirdPerson the other way round.
	FirstPerson(language, verb string) (string, bool)
	ThirdPerson(language, verb string) (string, bool)
}

// Reader reads the sentences of one record in order: a pronoun stands for whom the sentence before
// was about.
type Reader struct {
	Tongue Tongue
	// Names are names of the person, the longest first.
	Names []string
	// about tells that the sentence before was about the person; others, that it named somebody
	// else, too.
	about, others bool
	// pronoun is the one that stands for the person, as far as a possessive told it: "he" from "his
	// wife".
	pronoun string
	// mine is the possessive of the sentence in the first person.
	mine string
	t    *table
}

// Begin starts a new paragraph: a pronoun at its beginning stands for the person.
func (r *Reader) Begin() { r.about, r.others = true, false }

// Read reads a sentence. The second result is false for a sentence that is not about the person,
// whose Third is the sentence itself.
func (r *Reader) Read(said string) (Sentence, bool) {
	s := Sentence{Said: said}
	said = strings.ReplaceAll(strings.TrimSpace(said), "’", "'")
	for _, t := range r.candidates(said) {
		r.t = t
		if r.own(&s, said) || r.oblique(&s, said) || r.labeled(&s, said) || r.other(&s, said) {
			s.Language = t.Language
			s.Third = Finish(s.Third)
			r.note(said)
			return s, true
		}
	}
	r.about = false
	s.Third = Finish(said)
	s.Language = r.Tongue.Language(said)
	return s, false
}

// note remembers whom a sentence about the person spoke of.
func (r *Reader) note(said string) {
	r.about, r.others = true, false
	for w := range strings.FieldsSeq(strings.ToLower(said)) {
		w, _ = bareWord(w)
		r.others = r.others || slices.Contains(r.t.Kin, strings.TrimSuffix(w, "'s"))
		if p, ok := r.t.PronounOf[w]; ok && (r.pronoun == "" || r.pronoun == plural) {
			r.pronoun = p
		}
	}
}

// plural is the pronoun of one person and of several: another one tells more.
const plural = "they"

// refers tells whether a pronoun at the beginning of a sentence stands for the person.
func (r *Reader) refers(pronoun string) bool {
	if !r.about || r.pronoun != "" && pronoun != r.pronoun {
		return false
	}
	return !r.others || pronoun == r.pronoun
}

// candidates are the tables to read a sentence with, that of its language first. A provider may
// name the person in English whatever the language of the rest.
func (r *Reader) candidates(said string) []*table {
	language := cmp.Or(r.Tongue.Language(said), "en")
	var list []*table
	if t := tableOf(language); t != nil {
		list = append(list, t)
	}
	for _, t := range tables() {
		if t.Language != language && (language != "en" || r.Tongue.Language(said) == "") {
			list = append(list, t)
		}
	}
	return list
}

// oblique reads a sentence that names the person in another case than the subject's: "у
// пользователя аллергия".
func (r *Reader) oblique(s *Sentence, said string) bool {
	for begin, first := range r.t.Oblique {
		if rest, ok := r.cut(said, begin); ok {
			s.First = first + rest
			s.Third = s.First
			return true
		}
	}
	return false
}

// other reads a sentence that speaks of the person from outside.
func (r *Reader) other(s *Sentence, said string) bool {
	lead, body := r.lead(said)
	r.mine = r.t.Mine
	rest, owner, ok := r.subject(body)
	if !ok {
		return false
	}
	t := r.t
	rest = strings.TrimSpace(r.aside(rest))
	if owner {
		s.First, s.Third = join(t, r.mine, rest), join(t, t.Theirs, rest)
		if r.mine != t.Mine && t.Theirs == t.Mine { // a form that agrees with its noun: it stays
			s.Third = body
		}
	} else {
		s.First, s.Third = join(t, t.First, r.toFirst(rest, true)), r.neutral(rest)
	}
	if lead != "" {
		s.First, s.Third = behind(s.First, lead), behind(s.Third, lead)
	}
	return true
}

// lead takes an adverbial from the front of a sentence: "In 2023, Anna moved" is "Anna moved in
// 2023".
func (r *Reader) lead(said string) (lead, body string) {
	if !r.t.Spaced {
		return "", said
	}
	before, after, ok := strings.Cut(said, ", ")
	if !ok || len(strings.Fields(before)) > 6 {
		return "", said
	}
	if _, _, ok := r.subject(said); ok {
		return "", said
	}
	if _, _, ok := r.subject(after); !ok {
		return "", said
	}
	first, n := utf8.DecodeRuneInString(before)
	return string(unicode.ToLower(first)) + before[n:], after
}

// subject cuts the words for the person from the front of a sentence. owner tells that they are a
// genitive: "User's".
func (r *Reader) subject(s string) (rest string, owner, ok bool) {
	t := r.t
	for _, g := range t.Genitives {
		if rest, ok := r.cut(s, g); ok {
			return rest, true, true
		}
	}
	for _, n := range t.Subjects {
		if rest, ok := r.cut(s, n); ok && !r.joins(rest) {
			return rest, false, true
		}
	}
	for _, n := range r.Names {
		if rest, ok := strings.CutPrefix(s, n+"'s "); ok {
			return rest, true, true
		}
		if rest, ok := strings.CutPrefix(s, n+" "); ok && !r.joins(rest) {
			return rest, false, true
		}
	}
	for _, p := range t.Pronouns {
		if rest, ok := r.cut(s, p); ok && r.refers(p) {
			return rest, false, true
		}
	}
	if first, rest, _ := strings.Cut(s, " "); r.refers(t.PronounOf[strings.ToLower(first)]) {
		if mine, ok := t.Possessives[strings.ToLower(first)]; ok {
			r.mine = capital(mine)
			return rest, true, true
		}
	}
	if first, _, ok := strings.Cut(s, " "); ok && r.isThird(first) {
		return s, false, true
	}
	return "", false, false
}

// joins tells whether a text begins with a word that joins somebody else: "and their husband".
func (r *Reader) joins(rest string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return slices.Contains(r.t.Joins, strings.ToLower(first))
}

// IsOpen tells whether a sentence begins with a pronoun that stands for somebody unknown.
func (r *Reader) IsOpen(said string) bool {
	first, _, _ := strings.Cut(said, " ")
	for _, t := range r.candidates(said) {
		if t.Spaced && (slices.Contains(t.Pronouns, strings.ToLower(first)) || t.PronounOf[strings.ToLower(first)] != "") {
			return true
		}
	}
	return false
}

// isThird tells whether a word that a sentence begins with is a verb of the third person: "Keeps
// hens".
func (r *Reader) isThird(word string) bool {
	word = strings.ToLower(word)
	if slices.Contains(r.t.Adverbs, word) {
		return false
	}
	if first, ok := r.t.Verbs[word]; ok {
		return first != word
	}
	first, ok := r.Tongue.FirstPerson(r.t.Language, word)
	return ok && first != word
}

// cut cuts a phrase from the front, whatever the case, at a word's end.
func (r *Reader) cut(s, phrase string) (rest string, ok bool) {
	if len(s) < len(phrase) || !strings.EqualFold(s[:len(phrase)], phrase) {
		return "", false
	}
	rest = s[len(phrase):]
	if !r.t.Spaced {
		return rest, true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return rest, rest != "" && (unicode.IsSpace(next) || r.t.Am != "" && r.isAside(rest))
}

// join puts a word before a text.
func join(t *table, word, rest string) string {
	if word == "" {
		return rest
	}
	if !t.Spaced || strings.HasSuffix(word, "'") {
		return word + rest
	}
	return word + " " + rest
}

// behind puts an adverbial at the end of a sentence.
func behind(s, lead string) string {
	return strings.TrimRight(s, ". ") + " " + lead + "."
}

// capital gives a word its capital.
func capital(w string) string {
	c, n := utf8.DecodeRuneInString(w)
	return string(unicode.ToUpper(c)) + w[n:]
}

// Finish gives a text the capital and the full stop of a memory.
func Finish(s string) string {
	s = strings.TrimSpace(s)
	r, n := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[n:]
	last, _ := utf8.DecodeLastRuneInString(s)
	if strings.ContainsRune(".!?…。！？؟\"”)`*", last) {
		return s
	}
	return strings.TrimRight(s, " ,;:") + "."
}
