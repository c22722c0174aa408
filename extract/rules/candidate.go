package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/extract/gate"
	"github.com/pamline/pamline/normalize"
)

// maxStatements is how many statements of one message are kept; the others are counted.
const maxStatements = 64

// rememberConfidence is that of what the person asked to be remembered.
const rememberConfidence = 0.95

// statement makes candidates of a match.
func (r *reader) statement(t *table, f *found) {
	fam := &t.families[t.patterns[f.pattern].family]
	confidence, strong := fam.Confidence, fam.Strong
	if fam.Chats != 0 {
		confidence = r.settled(t, f, fam)
	}
	if r.draft {
		confidence = draftConfidence(confidence)
	}
	act := ""
	if fam.Inner {
		act = fam.Act // "forget that I live in Rome" takes back what its clause states
		if in, ok := r.inner(t, fam, f); ok {
			in.start = f.start
			f, fam = &in, &t.families[t.patterns[in.pattern].family]
			confidence, strong = max(fam.Confidence, rememberConfidence), true
		} else if act == "" && !r.ofPerson(t, f) {
			r.report.Skip("other")
			return
		}
	}
	r.keepOrder(t, f, fam)
	if code := r.guard(t, f, fam, strong); code != "" {
		r.report.Skip(code)
		return
	}
	r.keepLessening(t, f, fam)
	fill := filler{t: t, text: r.msg.Text, tokens: r.m.tokens, f: f, moments: r.tellable(t, f, fam)}
	fill.byOthers = r.isByOthers(t, f, fam)
	evidence := r.evidence(f)
	faint := !strong && act == "" && !fam.Mention && (fam.Faint || r.faint(t, f, fam))
	for i := range fam.says {
		s := &fam.says[i]
		c := normalize.Candidate{
			Act: cmp.Or(act, s.Act), Type: s.Type, Content: fill.content(s.content), Confidence: confidence, Decay: s.Decay, Language: t.language,
			Platform: r.doc.Provider.Name, Method: "explicit_user_input", Extractor: version, Rule: fam.Name,
			Negative: s.Negative, Sensitive: s.Sensitive, Evidence: []normalize.Evidence{evidence},
		}
		if s.Slot != nil {
			c.Slot = &normalize.Slot{Attribute: fill.attribute(s.attribute), Value: fill.value(s.value), One: s.Slot.One}
		}
		if c.Act == normalize.ActRetract {
			c.Ends = narrowerEndings(c.Slot)
		}
		r.dateStatement(t, f, fam, &c)
		r.finishSlot(t, f, fam, &c)
		r.nameMate(t, f, &c)
		n := len(r.out)
		r.keep(c, fam.Mention, r.m.tokens[f.end-1].end)
		if len(r.out) > n {
			r.weak, r.ment = append(r.weak, faint && s.Act == ""), append(r.ment, fam.Mention)
		}
	}
}

// narrowerEndings are the endings of what says the same as a slot in more words: who no longer
// smokes does not smoke a pack a day either.
func narrowerEndings(s *normalize.Slot) []normalize.Ending {
	if s == nil || s.Value == "" || s.One || !slices.Contains(groups["@any"], s.Attribute) {
		return nil
	}
	attributes := []string{s.Attribute}
	if slices.Contains(groups["@does"], s.Attribute) {
		attributes = groups["@does"]
	}
	ends := make([]normalize.Ending, len(attributes))
	for i, a := range attributes {
		ends[i] = normalize.Ending{Attribute: a, Name: s.Value}
	}
	return ends
}

// ofPerson tells whether a match has a word of the first person: "note that the meeting is on
// Monday" is about a task.
func (r *reader) ofPerson(t *table, f *found) bool {
	for i := f.start; i < f.end; i++ {
		if n := t.span(r.m.tokens[:f.end], i, t.turn); n > 0 {
			return true
		}
		if _, first := t.thirdOf[strings.ToLower(r.msg.Text[r.m.tokens[i].start:r.m.tokens[i].end])]; first && !t.premodifies {
			return true // languages that need no pronoun
		}
	}
	return t.classes[t.turn].words == 0 // a language whose table does not tell
}

// maxWords is how many words a memory has at most: what is longer is a story.
const maxWords = 25

// activeConfidence is that from which a memory is active without further evidence.
const activeConfidence = 0.5

// byTheWay is the confidence below which a family says nothing outside of a chat, even in a message
// that is there to say it.
const byTheWay = 0.4

// seldom is the confidence below which a family needs a word for what lasts also in a chat.
const seldom = 0.3

// settled is the confidence of a match of a family that is worth less in conversations about tasks.
// In a talk it is between the two that were measured. Outside of a chat, what would not be active
// among tasks counts only where the message is there to say it.
func (r *reader) settled(t *table, f *found, fam *compiledFamily) float64 {
	s, chats := &r.setting, fam.Chats
	if fam.Mention && r.isDistant(t, f) {
		chats = min(chats, distantChats)
	}
	switch {
	case s.talk && (chats >= activeConfidence || s.chat && !r.asksForHelp(t) && (chats >= seldom || r.isTyped(t, f) || r.frequent(t, f)) || chats >= byTheWay && r.tellsIt(f)):
		return (fam.Confidence + chats) / 2
	case chats < byTheWay || chats >= activeConfidence:
	case r.saysNow(t) || r.keepsUp(t, f, fam):
		return activeConfidence
	}
	return chats
}

// distantChats is what it is worth among tasks that the person has an uncle or a best friend who is
// not named: nearly everybody has one.
const distantChats = 0.45

// isDistant tells whether a match is of a relative who hardly lives with the person, and has no
// name.
func (r *reader) isDistant(t *table, f *found) bool {
	if slices.ContainsFunc(f.captures[:], func(k captured) bool { return k.set && !k.entry }) {
		return false
	}
	distant, ok := t.named["distant"]
	for i := f.start; ok && i < f.end; i++ {
		if n := t.span(r.m.tokens[:f.end], i, distant); n > 0 {
			return true
		}
	}
	return false
}

// asksForHelp tells whether the sentence asks, or gives an order.
func (r *reader) asksForHelp(t *table) bool {
	tokens := r.m.tokens
	i := t.run(tokens, 0, t.fillers)
	if i >= len(tokens) || tokens[len(tokens)-1].kind == query || t.is(&tokens[i], t.completes) {
		return true
	}
	n := t.span(tokens, i, t.tasks)
	return n > 0
}

// saysNow tells whether a word of the sentence says that something takes the place of what was.
func (r *reader) saysNow(t *table) bool {
	if t.change == nil {
		return false
	}
	for i := range r.m.tokens {
		if n := t.span(r.m.tokens, i, t.change.now); n > 0 {
			return true
		}
	}
	return false
}

// tellsIt tells whether a message is there to say what a match says, and does not mention it by the
// way: the match is more than a third of it.
func (r *reader) tellsIt(f *found) bool {
	return 3*(r.m.tokens[f.end-1].end-r.m.tokens[f.start].start) > len(r.msg.Text)
}

// draftConfidence is the confidence of a statement in the person's own draft: some drafts are
// written for others, so it comes nearer to a half.
func draftConfidence(confidence float64) float64 { return confidence - max(confidence-0.5, 0)*0.6 }

// inner matches the clause that a family like "remember that" has as its last capture.
func (r *reader) inner(t *table, fam *compiledFamily, f *found) (found, bool) {
	for i, name := range t.captures {
		if name == "x" && f.captures[i].set {
			_, ok := r.clause(t, f.captures[i].start, carriesNone)
			in := &r.m.best
			return *in, ok && !t.families[t.patterns[in.pattern].family].Inner
		}
	}
	return found{}, false
}

// namesPet gives a name that follows on an animal, without a word for whose it is, to the animal:
// the name of a person does not stand there.
func (r *reader) namesPet(c *normalize.Candidate) bool {
	if c.Act != "" || c.Slot == nil || c.Slot.Attribute != "name" || len(r.weak) == 0 || len(r.out) == 0 {
		return false
	}
	pet := &r.out[len(r.out)-1]
	if pet.Slot == nil || pet.Slot.Attribute != "pet" || pet.Act != "" || !r.bareNames() {
		return false
	}
	pet.Entities = []normalize.Entity{{Name: c.Slot.Value, Relation: pet.Slot.Value}}
	return true
}

// bareNames tells whether the language leaves out whose name it is that is told.
func (r *reader) bareNames() bool { return r.m.t.script }

// keep takes a candidate whose words end at a byte of the message, unless it is there or the gate
// holds it back.
func (r *reader) keep(c normalize.Candidate, mention bool, end int) {
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	if r.namesPet(&c) {
		return
	}
	key := c.Act + "\x00" + c.Type + "\x00" + c.Content
	if c.Content == "" {
		key += fmt.Sprint(c.Ends)
	}
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	if c.Act == "" && len(strings.Fields(c.Content)) > maxWords {
		r.report.Skip("long")
		return
	}
	if mention {
		if r.mentioned[key] {
			return
		}
		if r.mentioned == nil {
			r.mentioned = map[string]bool{}
		}
		r.mentioned[key] = true
	}
	r.kept++
	var reason string
	if c.Content != "" || c.Act == "" {
		reason = gate.Check(&c)
	} else if reason = gate.Reason(c.Evidence[0].Quote); reason == gate.Injection && c.Act == normalize.ActRetract && c.Rule == forgetRule {
		reason = "" // "forget everything I told you about Anna" orders what it may
	}
	if rest := r.rest(end); reason == "" && rest != "" {
		whole := c
		whole.Content = strings.TrimSuffix(c.Content, ".") + rest
		if reason = gate.Reason(c.Evidence[0].Quote + rest); reason == "" && c.Type == "instruction" {
			reason = gate.Check(&whole)
		}
	}
	if reason != "" {
		r.report.Reject(reason, &c)
		return
	}
	r.out = append(r.out, c)
}

// rest is what is written right behind a place, up to the next white space, when it is more than
// punctuation: an address, a token or a password that words were taken from the beginning of. The
// gate is to see it whole.
func (r *reader) rest(end int) string {
	rest := r.msg.Text[end:]
	if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
		rest = rest[:i]
	}
	if strings.IndexFunc(rest, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) < 0 {
		return ""
	}
	return rest
}

// evidence is where a match was said.
func (r *reader) evidence(f *found) normalize.Evidence {
	start, end := r.m.tokens[f.start].start, r.m.tokens[f.end-1].end
	if start < r.at { // a statement inside another one
		r.at, r.rune = 0, 0
	}
	r.rune += utf8.RuneCountInString(r.msg.Text[r.at:start])
	r.at = start
	quote := r.msg.Text[start:end]
	return normalize.Evidence{Conversation: r.doc.ID, Message: r.msg.ID, Start: r.rune, End: r.rune + utf8.RuneCountInString(quote), Quote: quote,
		ObservedAt: r.msg.ObservedAt, AccountID: r.doc.Provider.AccountID}
}
