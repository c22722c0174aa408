package grok

import (
	"slices"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// thoughts gives the texts of the thought messages of a response, in order: the trace as a whole,
// one for each agent, and one for all steps.
func thoughts(response jsonscan.Node) [][]string {
	var out [][]string
	seen := map[string]bool{}
	add := func(texts ...string) {
		texts = slices.DeleteFunc(texts, func(t string) bool { return t == "" })
		if len(texts) == 0 || len(texts) == 1 && seen[texts[0]] {
			return
		}
		seen[texts[0]] = true
		out = append(out, texts)
	}
	add(response.Get("thinking_trace").Str())
	for a := range response.Get("agent_thinking_traces").Items() {
		add(a.Get("thinking_trace").Str())
	}
	var steps []string
	for s := range response.Get("steps").Items() {
		steps = append(steps, stepTexts(s)...)
	}
	add(steps...)
	return out
}

// stepTexts gives the texts of a step: tagged_text is a text, or texts by tag, whose order
// tag_order gives.
func stepTexts(step jsonscan.Node) []string {
	tagged := step.Get("tagged_text")
	switch tagged.Kind() {
	case jsonscan.String:
		return []string{tagged.Str()}
	case jsonscan.Array:
		var out []string
		for v := range tagged.Items() {
			out = append(out, v.Str())
		}
		return out
	}
	var out []string
	used := map[string]bool{}
	add := func(tag string, v jsonscan.Node) {
		if v.Kind() == jsonscan.String && !used[tag] {
			used[tag] = true
			out = append(out, v.Str())
		}
	}
	for tag := range step.Get("tag_order").Items() {
		add(tag.Str(), tagged.Get(tag.Str()))
	}
	for k, v := range tagged.Fields() {
		add(k.Str(), v)
	}
	return out
}
