package llm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/extract"
)

// thoughtTags are the tags between which models think aloud.
var thoughtTags = []string{"think", "thinking", "thought", "reasoning", "scratchpad"}

// dropThoughts removes what a model thought before its answer. open tells that the thoughts have no
// end.
func dropThoughts(text string) (rest string, open bool) {
	for _, tag := range thoughtTags {
		begin, end := "<"+tag+">", "</"+tag+">"
		if i := strings.LastIndex(text, end); i >= 0 {
			text = text[i+len(end):] // some templates swallow the opening tag
		}
		if strings.HasPrefix(strings.TrimSpace(text), begin) {
			return "", true
		}
	}
	return text, false
}

// beginsAnswer tells whether a text has more than thoughts: the beginning of an object or a list.
func beginsAnswer(text string) bool {
	rest, open := dropThoughts(text)
	return !open && strings.ContainsAny(rest, "{[")
}

var errThoughts = errors.New("the model thinks until its answer has no room")

// endThoughts records a question that the model only thought about. Its halves are not asked:
// thoughts are as long about half of a question. When nothing was answered yet, it is an error that
// tells what to set.
func (a *asker) endThoughts(sum extract.Usage) (recorded, error) {
	if _, _, proved := a.x.ladder.get(); proved {
		return recorded{State: stateFailed, Reason: FailThoughts, Usage: sum}, nil
	}
	return recorded{Usage: sum}, &extract.AskError{
		Err: fmt.Errorf("ask model: %w", errThoughts), Permanent: true,
		Hint: fmt.Sprintf("Thoughts count as a part of the answer, which may have %d tokens. Raise llm.max_output (and llm.context, if it is set), or shorten the "+
			"thoughts: llm.reasoning_effort none or low, or with vLLM and llama.cpp llm.extra_body {\"chat_template_kwargs\":{\"enable_thinking\":false}}.", a.x.o.MaxOutput),
	}
}
