package restate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parts splits what a sentence tells beside where the person lives: "lives in Graz with her husband Jan and her son Max" names a home, a
// husband and a son. A sentence that is not made so is its only part.
func (r *Reader) Parts(s Sentence) []Sentence {
	t := tableOf(s.Language)
	if t == nil || s.First == "" || !t.Spaced {
		return []Sentence{s}
	}
	r.t = t
	s.First = t.named(s.First)
	for _, with := range t.With {
		before, after, ok := strings.Cut(s.First, " "+with+" "+strings.ToLower(t.Mine)+" ")
		if !ok || !r.lives(before) {
			continue
		}
		kin, ok := r.relatives(strings.ToLower(t.Mine) + " " + strings.TrimRight(after, ". "))
		if !ok {
			continue
		}
		parts := []Sentence{r.again(s, before+".")}
		for _, k := range kin {
			parts = append(parts, r.again(s, k))
		}
		return parts
	}
	return []Sentence{s}
}

// named reads the name behind a relative as one: "a son, Max" is "a son named Max".
func (t *table) named(first string) string {
	if t.NameJoin == "" {
		return first
	}
	words := strings.Split(first, " ")
	for i := 0; i+1 < len(words); i++ {
		kin, comma := strings.CutSuffix(words[i], ",")
		name, _ := bareWord(words[i+1])
		if !comma || !contains(t.Kin, strings.ToLower(kin)) || !isName(name) || i == 0 || strings.EqualFold(words[i-1], t.Mine) || name != strings.TrimRight(words[i+1], ".,") {
			continue
		}
		words[i] = kin + " " + t.NameJoin
	}
	return strings.Join(words, " ")
}

// lives tells whether a sentence in the first person says where the person lives.
func (r *Reader) lives(first string) bool {
	words := strings.Fields(strings.ToLower(first))
	for _, w := range words[:min(len(words), 4)] {
		if contains(r.t.Lives, w) {
			return true
		}
	}
	return false
}

// again makes a sentence of one in the first person.
func (r *Reader) again(s Sentence, first string) Sentence {
	part := Sentence{Said: s.Said, Language: s.Language, First: first, Third: first}
	var own Sentence
	if r.own(&own, first) {
		part.Third = own.Third
	}
	part.Third = Finish(part.Third)
	return part
}

// relatives reads a list of relatives, each with or without a name; it is not ok for anything else.
func (r *Reader) relatives(list string) (sentences []string, ok bool) {
	t := r.t
	mine := strings.ToLower(t.Mine) + " "
	for rest := list; rest != ""; {
		if rest, ok = strings.CutPrefix(rest, mine); !ok {
			return nil, false
		}
		var item string
		item, rest = r.item(rest, mine)
		kin, name, _ := strings.Cut(item, " ")
		kin, name = strings.Trim(kin, ","), strings.Trim(name, " ,")
		if !contains(t.Kin, strings.ToLower(kin)) {
			return nil, false
		}
		template := t.Has
		if name != "" {
			if !isName(name) {
				return nil, false
			}
			template = t.Named
		}
		sentences = append(sentences, strings.NewReplacer("{k}", kin, "{x}", name).Replace(template))
	}
	return sentences, len(sentences) > 0
}

// item cuts the first of a list: it ends before the next "and my" or ", my".
func (r *Reader) item(list, mine string) (item, rest string) {
	at := len(list)
	behind := len(list)
	for _, j := range r.t.Joins {
		for _, sep := range []string{", " + j + " ", " " + j + " ", ", "} {
			if i := strings.Index(list, sep+mine); i >= 0 && i < at {
				at, behind = i, i+len(sep)
			}
		}
	}
	return list[:at], list[behind:]
}

// isName tells whether a text is a name of one to three words.
func isName(s string) bool {
	words := strings.Fields(s)
	for _, w := range words {
		if c, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(c) || strings.ContainsAny(w, ",;:()") {
			return false
		}
	}
	return len(words) > 0 && len(words) <= 3
}
