package perplexity

import (
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

func plainAnswer(entry jsonscan.Node) (string, bool) {
	n := entry.Get("answer")
	return n.Str(), n.Kind() == jsonscan.String
}

// blockAnswer is the answer in the blocks of an entry: that of the block "ask_text", else of the
// first block that has one; where the application gave only the pieces as they came, these behind
// one another.
func blockAnswer(entry jsonscan.Node) (string, bool) {
	text, has := "", false
	for b := range entry.Get("blocks").Items() {
		answer := b.Get("markdown_block").Get("answer")
		if answer.Kind() != jsonscan.String || answer.Is("") {
			continue
		}
		if b.Get("intended_usage").Is("ask_text") {
			return answer.Str(), true
		}
		if !has {
			text, has = answer.Str(), true
		}
	}
	if has {
		return text, true
	}
	for b := range entry.Get("blocks").Items() {
		var joined strings.Builder
		for c := range b.Get("markdown_block").Get("chunks").Items() {
			joined.WriteString(c.Str())
		}
		if joined.Len() > 0 {
			return joined.String(), true
		}
	}
	return "", false
}

func sources(entry jsonscan.Node, add func(url, title, snippet jsonscan.Node)) {
	for s := range entry.Get("sources").Items() {
		add(s.Get("url"), s.Get("title"), s.Get("snippet"))
	}
}

func webResults(entry jsonscan.Node, add func(url, title, snippet jsonscan.Node)) {
	for b := range entry.Get("blocks").Items() {
		for r := range b.Get("web_result_block").Get("web_results").Items() {
			add(r.Get("url"), r.Get("name"), r.Get("snippet"))
		}
	}
}

// citations gives the pages of an entry, each once. What has no absolute web address stays where it
// is.
func (g generation) citations(entry jsonscan.Node) []pamio.Citation {
	if g.cited == nil {
		return nil
	}
	var out []pamio.Citation
	seen := map[string]bool{}
	g.cited(entry, func(url, title, snippet jsonscan.Node) {
		u := url.Str()
		if seen[u] || !strings.HasPrefix(u, "https://") && !strings.HasPrefix(u, "http://") || !pamio.IsAbsoluteURI(u) {
			return
		}
		seen[u] = true
		out = append(out, pamio.Citation{URL: u, Title: title.Str(), Snippet: snippet.Str()})
	})
	return out
}
