package restate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parts splits what a sentence tells beside where the person lives: "lives in Graz with her husband
// Jan and her son Max" names a home, a husband and a son. A sentence that is not made so is its
// only part.
func (r *Reader) Parts(s Sentence) []Sentence {
	t := tableOf(s.Language)
	if t == nil || s.First == "" || !t.Spaced {
		return []Sentence{s}
	}
	r.t = t
	s.First = t.named(s.First)
	if all := r.facets(s.First); len(all) > 1 {
		var parts []Sentence
		for _, first := range all {
			parts = append(parts, r.Parts(r.again(s, first))...)
		}
		return parts
	}
	if before, after, ok := r.clauses(s.First); ok {
		return append(r.Parts(r.again(s, before)), r.Parts(r.again(s, after))...)
	}
	for _, with := range t.With {
		before, after, ok := strings.Cut(s.First, " "+with+" ")
		if !ok || t.Named == "" || !r.lives(before) {
			continue
		}
		mine, _, _ := strings.Cut(after, " ")
		if !r.isMine(mine) {
			continue
		}
		kin, ok := r.relatives(strings.TrimRight(after, ". "))
		if !ok {
			return []Sentence{r.again(s, before+"."), r.again(s, strings.TrimSpace(t.First+" "+t.Lives[0]+" "+with+" "+after))}
		}
		var parts []Sentence
		if len(strings.Fields(before)) > 2 { // more than that the person lives
			parts = append(parts, r.again(s, before+"."))
		}
		for _, k := range kin {
			parts = append(parts, r.again(s, k))
		}
		return parts
	}
	return []Sentence{s}
}

// clauses splits a sentence behind a comma where a verb of the same subject follows: "I am a nurse,
// and work in Graz".
func (r *Reader) clauses(first string) (before, after string, ok bool) {
	if r.t.First == "" {
		return "", "", false
	}
	for _, j := range r.t.Joins {
		before, after, ok := strings.Cut(first, ", "+j+" ")
		if !ok {
			continue
		}
		for w := range strings.FieldsSeq(after) {
			if slices.Contains(r.t.Adverbs, w) {
				continue
			}
			if rest, ok := strings.CutPrefix(after, w+" "); ok && slices.Contains(r.t.Together, w) {
				after = rest
				continue
			}
			if _, verb := r.thirdOf(w); !verb {
				break
			}
			return before + ".", r.t.First + " " + after, true
		}
	}
	return "", "", false
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
		if !comma || !slices.Contains(t.Kin, strings.ToLower(kin)) || !isName(name) || i == 0 || strings.EqualFold(words[i-1], t.Mine) || name != strings.TrimRight(words[i+1], ".,") {
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
		if slices.Contains(r.t.Lives, w) {
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
	for rest := list; rest != ""; {
		var item string
		item, rest = r.item(rest)
		mine, item, _ := strings.Cut(item, " ")
		if !r.isMine(mine) {
			return nil, false
		}
		kin, name, _ := strings.Cut(item, " ")
		kin, name = strings.Trim(kin, ","), strings.Trim(name, " ,")
		if !slices.Contains(t.Kin, strings.ToLower(kin)) {
			return nil, false
		}
		template := t.Has
		if name != "" {
			if !isName(name) {
				return nil, false
			}
			template = t.Named
		}
		sentences = append(sentences, strings.NewReplacer("{m}", capital(mine), "{k}", kin, "{x}", name).Replace(template))
	}
	return sentences, len(sentences) > 0
}

// isMine tells whether a word is a possessive of the first person.
func (r *Reader) isMine(word string) bool {
	if strings.EqualFold(word, r.t.Mine) {
		return true
	}
	for _, mine := range r.t.Possessives {
		if mine == word {
			return true
		}
	}
	return false
}

// item cuts the first of a list: it ends before the next possessive behind "and" or a comma.
func (r *Reader) item(list string) (item, rest string) {
	words := strings.Split(list, " ")
	for i := 1; i < len(words); i++ {
		if !r.isMine(words[i]) {
			continue
		}
		end := i
		if slices.Contains(r.t.Joins, words[end-1]) {
			end--
		}
		return strings.TrimRight(strings.Join(words[:end], " "), ","), strings.Join(words[i:], " ")
	}
	return list, ""
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
