package harvest

import (
	"strings"
	"unicode"
)

// decay is how the confidence of a kind fades (PAM §8): who somebody is and how they want answers
// does not.
var decay = map[string]string{
	"identity": "none", "instruction": "none",
	"context": "time_exponential", "goal": "time_exponential", "project": "time_exponential", "preference": "time_exponential",
	"fact": "time_linear", "relationship": "time_linear", "environment": "time_linear", "skill": "time_linear",
}

// kindRule gives a kind to facts by their first words. Words are in lower case, "user" stands for
// "the user" too, and adverbs are gone. A phrase that ends in "'s" or "has a" is followed by one of
// the nouns.
type kindRule struct {
	kind    string
	phrases []string
	nouns   []string
}

// kindRules are tried in order; what fits none is a fact. Only English is known: memories that
// providers write are.
var kindRules = []kindRule{
	{kind: "instruction", phrases: []string{
		"always", "never", "when answering", "when responding", "when writing", "when asked", "don't", "do not", "avoid",
		"from now on", "user wants chatgpt to", "user wants assistant to", "user wants me to", "user would like chatgpt to",
		"user would like me to", "user prefers chatgpt to", "user prefers that chatgpt", "user prefers me to", "user asked chatgpt to",
		"user has asked chatgpt to", "user asked me to", "user has asked me to", "user asked that", "user has asked that", "user has asked to",
		"user requested that", "user has requested that", "user wants responses", "user wants answers", "user wants replies",
		"user expects chatgpt to", "user does not want chatgpt to", "user doesn't want chatgpt to", "user does not want me to",
	}},
	{kind: "identity", phrases: []string{
		"user is called", "user is named", "user goes by", "user prefers to be called", "user wants to be called",
		"user likes to be called", "user lives in", "user is from", "user was born", "user is based in", "user resides in",
		"user identifies as", "user grew up in",
	}},
	{kind: "identity", phrases: []string{"user's"}, nouns: []string{
		"name", "first name", "last name", "full name", "nickname", "preferred name", "username", "age", "birthday", "date of birth", "pronouns", "nationality",
		"hometown", "gender", "location", "native language", "mother tongue",
	}},
	{kind: "relationship", phrases: []string{"user is married", "user is dating", "user is engaged to", "user is divorced", "user is in a relationship"}},
	{kind: "relationship", phrases: []string{
		"user's", "user has a", "user has an", "user has one", "user has two", "user has three", "user has four", "my",
	}, nouns: []string{
		"wife", "husband", "spouse", "partner", "girlfriend", "boyfriend", "fiancé", "fiancée", "fiance", "fiancee", "ex-wife", "ex-husband",
		"son", "sons", "daughter", "daughters", "child", "children", "kid", "kids", "baby", "mother", "father", "mom", "mum", "dad",
		"parents", "brother", "brothers", "sister", "sisters", "sibling", "siblings", "twin", "twins", "grandmother", "grandfather",
		"aunt", "uncle", "cousin", "niece", "nephew", "family", "friend", "friends", "best friend", "boss", "manager", "colleague",
		"coworker", "co-worker", "roommate", "neighbor", "neighbour", "dog", "dogs", "cat", "cats", "pet", "pets",
	}},
	{kind: "preference", phrases: []string{"user's"}, nouns: []string{"favorite", "favourite", "favorites", "favourites", "preferred"}},
	{kind: "preference", phrases: []string{
		"user prefers", "user likes", "user loves", "user enjoys", "user hates", "user dislikes", "user doesn't like", "user does not like",
		"user doesn't enjoy", "user does not enjoy", "user is a fan of", "user is interested in", "user is fond of", "user finds", "prefers", "likes", "loves", "enjoys", "hates", "dislikes",
	}},
	{kind: "project", phrases: []string{
		"user is working on", "user is building", "user is developing", "user is writing", "user is creating", "user is making",
		"user is designing", "user's project", "user's thesis", "user's startup", "is working on", "is building", "is developing",
	}},
	{kind: "goal", phrases: []string{
		"user wants", "user plans", "user is planning", "user hopes", "user aims", "user intends", "user would like", "user is trying to",
		"user's goal", "user is aiming", "user is hoping", "user is learning", "user is preparing", "user is saving", "user is looking to",
		"wants to", "plans to", "is planning",
	}},
	{kind: "environment", phrases: []string{"user uses", "user is using", "user runs on", "user's setup", "user's computer", "user's laptop", "user's phone", "uses", "is using"}},
	{kind: "skill", phrases: []string{
		"user speaks", "user knows", "user can", "user plays", "user is fluent in", "user is proficient in", "user is skilled in",
		"user has experience", "user is experienced", "user is familiar with", "user is good at",
	}},
}

// adverbs say nothing about the kind.
var adverbs = map[string]bool{
	"also": true, "really": true, "currently": true, "generally": true, "usually": true, "often": true, "typically": true,
	"primarily": true, "mainly": true, "strongly": true, "still": true, "mostly": true, "specifically": true, "particularly": true,
}

// kindOf is the type of a remembered fact (PAM §5), by its first words.
func kindOf(text string) string {
	words := leadingWords(text)
	for _, r := range kindRules {
		for _, p := range r.phrases {
			rest, ok := cutPhrase(words, p)
			if !ok {
				continue
			}
			if r.nouns == nil {
				return r.kind
			}
			for _, n := range r.nouns {
				if _, ok := cutPhrase(rest, n); ok {
					return r.kind
				}
			}
		}
	}
	return "fact"
}

const maxLeadingWords = 10

// leadingWords are the first words, in lower case, without adverbs and surrounding punctuation;
// curly apostrophes are straight.
func leadingWords(text string) []string {
	var words []string
	for w := range strings.FieldsSeq(text) {
		w = strings.ReplaceAll(strings.ToLower(w), "’", "'")
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' })
		if w == "" || adverbs[w] || len(words) == 0 && w == "the" {
			continue
		}
		if words = append(words, w); len(words) == maxLeadingWords {
			break
		}
	}
	return words
}

// cutPhrase takes the words of a phrase from the front.
func cutPhrase(words []string, phrase string) ([]string, bool) {
	for p := range strings.SplitSeq(phrase, " ") {
		if len(words) == 0 || words[0] != p {
			return nil, false
		}
		words = words[1:]
	}
	return words, true
}
