package gate

import (
	"unicode/utf8"

	"github.com/pamline/pamline/extract/lexicon"
	"github.com/pamline/pamline/normalize"
)

// What a statement from talk is at least and at most, in code points.
const (
	shortest      = 3
	longest       = 600
	longestQuote  = 4000
	instruction   = "instruction"
	methodRecords = "api_export"
)

// Check tells why a candidate must not become a memory, "" for one that may. What was found in talk
// (rules, a model) needs a quote of a message, and neither its content nor its quotes may be
// anything that the package comment lists. What a provider kept needs the place of its record, and
// is kept as it is but for secrets, orders and hidden text: who harvests it has screened it before.
func Check(c *normalize.Candidate) string {
	if c.Act == normalize.ActListing {
		if len(c.Evidence) == 0 || c.Evidence[0].Listing == "" {
			return NoEvidence
		}
		return ""
	}
	talk := fromTalk(c)
	for _, reason := range []func() string{
		func() string { return sized(c, talk) },
		func() string { return evidenced(c, talk) },
		func() string { return screened(c, talk) },
	} {
		if r := reason(); r != "" {
			return r
		}
	}
	if !talk || c.Act == normalize.ActRetract {
		return ""
	}
	if c.Type == instruction {
		return instructs(c)
	}
	return lasts(c)
}

// fromTalk tells whether a candidate was found in what was said, and not in what a provider or a
// person keeps.
func fromTalk(c *normalize.Candidate) bool {
	if c.Method == methodRecords {
		return false
	}
	for i := range c.Evidence {
		if c.Evidence[i].Pointer != "" || c.Evidence[i].Member != "" {
			return false
		}
	}
	return true
}

func sized(c *normalize.Candidate, talk bool) string {
	if badCharacters(c.Content) {
		return Characters
	}
	n := utf8.RuneCountInString(c.Content)
	if n == 0 || talk && (n < shortest || n > longest) {
		return Length
	}
	for i := range c.Evidence {
		if talk && utf8.RuneCountInString(c.Evidence[i].Quote) > longestQuote {
			return Length
		}
	}
	return ""
}

func evidenced(c *normalize.Candidate, talk bool) string {
	if len(c.Evidence) == 0 {
		return NoEvidence
	}
	for i := range c.Evidence {
		e := &c.Evidence[i]
		switch {
		case talk && (e.Message == "" || e.Quote == "" || e.End <= e.Start || e.End-e.Start != utf8.RuneCountInString(e.Quote)):
			return NoEvidence
		case !talk && e.Pointer == "" && e.Message == "" && e.Member == "":
			return NoEvidence
		}
	}
	return ""
}

func screened(c *normalize.Candidate, talk bool) string {
	if r := Reason(c.Content); r != "" {
		return r
	}
	if c.Slot != nil && c.Slot.Value != "" {
		if r := Reason(c.Slot.Value); r != "" {
			return r
		}
	}
	if !talk {
		return ""
	}
	for i := range c.Evidence {
		if r := Reason(c.Evidence[i].Quote); r != "" {
			return r
		}
	}
	return ""
}

// lasts looks for what is over tomorrow: in the content alone, as a quote may say more than the
// candidate does.
func lasts(c *normalize.Candidate) string {
	if topics(c.Content)[topicMomentary] {
		return Momentary
	}
	for i := range c.Evidence {
		if topics(c.Evidence[i].Quote)[topicPlanted] {
			return Injection
		}
	}
	return ""
}

// topics are those of a text of a person's talk.
func topics(text string) map[string]bool {
	var found map[string]bool // most texts have none
	talk := tables().talk
	talk.each(plainText(text), func(p phrase, words *lexicon.Scan, from, _ int) bool {
		if p.topic != topicUnsafe || !talk.denied(words, from) {
			if found == nil {
				found = map[string]bool{}
			}
			found[p.topic] = true
		}
		return true
	})
	return found
}
