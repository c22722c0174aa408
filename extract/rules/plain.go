package rules

import (
	"strings"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// Statements reads a text that is the person's own throughout, in the first person: a sentence of a
// record, for example. No part of it is set aside as quoted or pasted, and it counts as talk about
// the person's life. language is that of the text; "" means the one that its words tell, observedAt
// when it was written, "" for an unknown time. The evidence of the candidates has spans of the text
// (code points) and no conversation.
func (x *Extractor) Statements(text, language, observedAt string) []normalize.Candidate {
	b := x.open()
	r := newReader(b, &pamio.Conversation{})
	r.m.work = &r.work
	r.setting = setting{talk: true, personal: true}
	r.msg = &extract.Turn{ID: "text", Text: text, Own: true, ObservedAt: observedAt}
	l := b.number(language)
	if l < 0 {
		l = r.language(r.tongues.score(&r.scan, text, 0, len(text), r.own), 0, len(text))
	}
	if l < 0 {
		return nil
	}
	r.passage(r.table(l), 0, len(text))
	r.thin()
	for i := range r.out {
		e := &r.out[i].Evidence[0]
		e.Conversation, e.Message = "", ""
	}
	return r.out
}

// Language gives the language of a text by the words that the tables know it by, "" for none of
// theirs.
func (x *Extractor) Language(text string) string {
	b := x.open()
	var s scanner
	sums := make([]int, len(b.languages))
	words := b.tongues.score(&s, text, 0, len(text), sums)
	if l := pick(sums, sums, words); l >= 0 {
		return b.languages[l].name
	}
	return ""
}

// FirstPerson gives the first person of a verb in the third, as the table of the language has them.
func (x *Extractor) FirstPerson(language, verb string) (string, bool) {
	b := x.open()
	if l := b.number(language); l >= 0 {
		first, ok := b.table(l).firstOf[verb]
		return first, ok
	}
	return "", false
}

// ThirdPerson gives the third person of a verb in the first.
func (x *Extractor) ThirdPerson(language, verb string) (string, bool) {
	b := x.open()
	if l := b.number(language); l >= 0 {
		third, ok := b.table(l).thirdOf[verb]
		return third, ok
	}
	return "", false
}

// persons keeps the verbs of a table in both persons.
func (t *table) persons(src *source) error {
	t.thirdOf, t.firstOf, t.toldOf = map[string]string{}, map[string]string{}, map[string]string{}
	tell := func(said, told string) {
		ending, isEnding := strings.CutPrefix(said, "-")
		if said, told = normalize.FoldValue(ending), normalize.FoldValue(told); isEnding {
			said = "-" + said
		}
		if told != "" && told != said { // a list of infinitives alone tells nothing
			t.toldOf[said] = told
		}
	}
	for said, told := range src.Tells {
		tell(said, told)
	}
	add := func(first, third string) {
		if _, taken := t.thirdOf[first]; !taken {
			t.thirdOf[first] = third
		}
		if _, taken := t.firstOf[third]; !taken {
			t.firstOf[third] = first
		}
	}
	for _, first := range sortedKeys(src.Verbs) {
		add(first, src.Verbs[first])
	}
	if src.Lexicon == nil {
		return nil
	}
	classes, err := src.Lexicon.persons()
	if err != nil {
		return err
	}
	for _, p := range classes {
		add(p.said, p.canonical)
	}
	named, err := src.Lexicon.named()
	if err != nil {
		return err
	}
	for _, p := range named {
		tell(p.said, p.canonical)
	}
	leaveOutRegular(t.toldOf)
	return nil
}

// leaveOutRegular drops the words whose form their ending tells.
func leaveOutRegular(forms map[string]string) {
	for _, w := range sortedKeys(forms) {
		form := forms[w]
		delete(forms, w)
		if w[0] == '-' || inflectWord(forms, w) != form {
			forms[w] = form
		}
	}
}
