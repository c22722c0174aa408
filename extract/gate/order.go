package gate

import (
	"strings"

	"github.com/pamline/pamline/extract/lexicon"
)

// roleMarks are what separates the roles of a talk in the formats that models are trained on. A
// person's statement has none.
var roleMarks = []string{
	"<|im_start|>", "<|im_end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|endoftext|>", "<|end|>", "<|eot_id|>", "<|start_header_id|>", "<|begin_of_text|>", "<|channel|>", "<start_of_turn>", "<end_of_turn>",
	"[inst]", "[/inst]", "<<sys>>", "<</sys>>", "[system]", "[/system]", "<system>", "</system>", "<system_prompt>", "</system_prompt>", "<instructions>", "</instructions>", "<assistant>", "</assistant>",
	"<tool_call>", "<function_calls>", "<tool_result>", "<function_results>",
}

// roleLines are roles as they stand at the beginning of a line, followed by a colon.
var roleLines = map[string]bool{"assistant": true, "system prompt": true, "system message": true, "system instruction": true, "system instructions": true, "developer message": true, "ai assistant": true}

// ordered tells what kind of order to an assistant is in a text, "" for none, and which values
// stand behind their names: both are known by words, which are read once. The text is plain
// (plainText).
func ordered(text string) (order string, found []value) {
	if kind := rolePlayed(text); kind != "" {
		return kind, nil
	}
	if imageSends(text) {
		return "image-request", nil
	}
	b := tables().text
	b.each(text, func(p phrase, words *lexicon.Scan, from, to int) bool {
		switch l := labels[p.topic]; {
		case l != nil:
			if v, ok := findLabelledValue(text, l, words, from, to); ok {
				found = append(found, v)
			}
		case p.topic == topicInject, !b.denied(words, from):
			order = p.topic
		}
		return order == ""
	})
	return order, found
}

func rolePlayed(text string) string {
	for i := 0; i < len(text); i++ {
		if text[i] != '<' && text[i] != '[' {
			continue
		}
		for _, mark := range roleMarks {
			if mark[0] == text[i] && prefixFold(text[i:], mark) {
				return "role"
			}
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) > 256 {
			line = line[:256]
		}
		head, rest, ok := strings.Cut(line, ":")
		if !ok || len(head) > 40 {
			continue
		}
		bare := strings.TrimLeft(head, " \t\r>")
		title := strings.TrimLeft(bare, "#")
		role := strings.ToLower(strings.Trim(title, "*_ \t"))
		if roleLines[role] && strings.TrimSpace(rest) != "" {
			return "role"
		}
		if role == "system" && speaksToAssistant(rest) {
			return "role"
		}
		if len(bare)-len(title) >= 2 && (role == "system" || role == "instruction" || role == "assistant" || role == "human" || role == "user" || role == "response") {
			return "role"
		}
	}
	return ""
}

// spokenTo are the words that begin what a system tells an assistant, and hardly what a person
// tells of a computer ("System: Windows 11").
var spokenTo = words("you your ignore disregard forget always never respond answer reply obey override do dont from new act pretend")

func speaksToAssistant(text string) bool {
	var buf [64]byte
	_, _, folded, ok := nextWord(text, 0, buf[:0])
	return ok && spokenTo[string(folded)]
}

// imageSends tells whether a Markdown image would send something to where it is loaded from: it has
// a query, or a place for one.
func imageSends(text string) bool {
	for i := 0; ; {
		n := strings.Index(text[i:], "](")
		if n < 0 {
			return false
		}
		at := i + n
		i = at + 2
		open := strings.LastIndexByte(text[max(0, at-200):at], '[')
		if open < 0 {
			continue
		}
		open += max(0, at-200)
		if open == 0 || text[open-1] != '!' {
			continue
		}
		target := text[i:min(len(text), i+300)]
		if end := strings.IndexByte(target, ')'); end >= 0 {
			target = target[:end]
		}
		if strings.Contains(target, "://") && strings.ContainsAny(target, "?{") {
			return true
		}
	}
}
