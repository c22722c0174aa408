package harvest

import (
	"cmp"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
)

// Lists in conversations of ChatGPT: of each there is one for an account.
const (
	listMemories = "memory"
	listAboutMe  = "about-me"
	listAnswers  = "how-to-answer"
)

// wholeAccounts are the providers whose exports hold everything of an account, so that what a later
// export has no more is gone. Folders of programs on a machine may be a part of what there is.
var wholeAccounts = map[string]bool{
	"chatgpt": true, "claude": true, "gemini": true, "copilot": true, "grok": true, "perplexity": true, "mistral": true, "deepseek": true, "qwen": true,
}

// listedKinds are the kinds of records that memories are made of.
var listedKinds = map[string]bool{
	extract.RecordMemory: true, extract.RecordProfile: true, extract.RecordInstruction: true, extract.RecordProject: true, extract.RecordAssistant: true,
}

// listing names a list of a provider.
func listing(provider, account, list string) string {
	return provider + "/" + cmp.Or(account, "-") + "/" + list
}

// recordListing names the list that a record stands in; "" when its provider gives none as a whole.
func recordListing(r *extract.Record) string {
	if !wholeAccounts[r.Provider] {
		return ""
	}
	return listing(r.Provider, r.AccountID, r.Kind)
}

// listed says that a list was seen, of a record that has no memory in it.
func listed(r *extract.Record) (c normalize.Candidate, ok bool) {
	name := recordListing(r)
	if name == "" || !listedKinds[r.Kind] {
		return c, false
	}
	return normalize.Candidate{
		Act: normalize.ActListing, Platform: r.Provider, Method: method(r), Extractor: Version,
		Evidence: []normalize.Evidence{{Pointer: r.Pointer, AccountID: r.AccountID, Listing: name}},
	}, true
}
