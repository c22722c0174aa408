package harvest

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// memoryWrites harvests what the assistant wrote into the provider's memory. A message is a write
// when it has a tool call named bio or is addressed to bio; the fact is the call's input or the
// message's text.
func (h *harvester) memoryWrites(m *pamio.Message, meta jsonscan.Node, when string) {
	if pending := meta.Get("metadata").Get("pending_memory_content"); pending.Kind() == jsonscan.String {
		h.fact(m, pending.Str(), "metadata/pending_memory_content", when, false)
	}
	pointer := textPointer(m, meta)
	written := false
	for _, call := range m.ToolCalls {
		if !isMemoryWrite(call) {
			continue
		}
		written = true
		text, ok := inputText(call.Input)
		if !ok {
			h.report.Records++
			h.report.Skip(SkipUnknown)
			continue
		}
		if text == "" {
			text = strings.Join(messageTexts(m), "\n")
		}
		h.fact(m, text, pointer, when, false)
	}
	if !written && meta.Get("recipient").Is("bio") {
		h.fact(m, strings.Join(messageTexts(m), "\n"), pointer, when, false)
	}
}

func isMemoryWrite(call pamio.ToolCall) bool { return call.Name == "bio" }

// textPointer is where the text of a message stands in the provider's element: one place, or what
// holds all of them.
func textPointer(m *pamio.Message, meta jsonscan.Node) string {
	if len(messageTexts(m)) > 1 {
		for path := range meta.Get("text_from").Items() {
			if !strings.HasPrefix(path.Str(), "/parts/") {
				return "content"
			}
		}
		return "content/parts"
	}
	for path := range meta.Get("text_from").Items() {
		return "content" + path.Str()
	}
	if meta.Get("content").Get("content_type").Is("code") {
		return "content/text"
	}
	return "content/parts/0"
}

// inputKeys are the members of a tool input that hold the fact, when the input is an object.
var inputKeys = []string{"content", "text", "memory", "fact", "input"}

// inputText is the text of a tool call's input: a JSON string, or one of the members of an object.
// It is not ok when the input is something else. No input is no text.
func inputText(input pamio.RawJSON) (text string, ok bool) {
	if len(input) == 0 {
		return "", true
	}
	d, err := jsonscan.Parse(input, 0)
	if err != nil {
		return "", false
	}
	root := d.Root()
	if root.Kind() == jsonscan.String {
		return root.Str(), true
	}
	for _, key := range inputKeys {
		if v := root.Get(key); v.Kind() == jsonscan.String {
			return v.Str(), true
		}
	}
	return "", false
}

// memorySnapshot harvests the list of all memories that a conversation was started with.
func (h *harvester) memorySnapshot(m *pamio.Message, meta jsonscan.Node, when string) {
	content := meta.Get("content")
	set := content.Get("model_set_context")
	if !content.Get("content_type").Is("model_editable_context") && set.Kind() != jsonscan.String {
		return
	}
	text := set.Str()
	if text == "" {
		text = strings.Join(messageTexts(m), "\n")
	}
	for _, item := range listItems(text) {
		before := len(h.found)
		h.fact(m, item.text, "content/model_set_context", when, true)
		for i := before; item.date != "" && i < len(h.found); i++ {
			h.found[i].Evidence[0].ObservedAt = item.date
		}
	}
}

// fact adds one remembered fact; whole tells that it stands in a list of all. Words that take a
// memory back are no memory.
func (h *harvester) fact(m *pamio.Message, text, pointer, when string, whole bool) {
	text = strings.TrimSpace(text)
	if isRetraction(text) {
		h.report.Records++
		h.report.Skip(SkipRetraction)
		return
	}
	h.add(m, kindOf, text, pointer, when, listMemories, whole)
}

func isRetraction(text string) bool {
	words := leadingWords(text)
	return len(words) > 0 && words[0] == "forget" || len(words) > 2 && words[0] == "user" && words[1] == "wants" && strings.Contains(strings.Join(words, " "), "to forget")
}

type listItem struct {
	text string
	date string // RFC 3339, "" when the item has none
}

var (
	datedItem    = regexp.MustCompile(`^(?:(\d{1,6})[.)]\s*)?\[(\d{4}-\d{2}-\d{2})\]\.?\s*(.*)$`)
	numberedItem = regexp.MustCompile(`^(\d{1,6})[.)]\s+(.*)$`)
)

// listItems reads the numbered, dated list "1. [2024-05-01]. fact". Lines that start no item belong
// to the one before. Numbers without a date count only in sequence, for a fact may have a list of
// its own. Text that is no list is one item; a heading before the list is none.
func listItems(text string) []listItem {
	var items []listItem
	last, listed := 0, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		if g := datedItem.FindStringSubmatch(trimmed); g != nil {
			if day, err := time.Parse(time.DateOnly, g[2]); err == nil {
				last, listed = number(g[1], last), true
				items = append(items, listItem{text: g[3], date: pamio.FormatTime(day)})
				continue
			}
		}
		if g := numberedItem.FindStringSubmatch(trimmed); g != nil && number(g[1], -1) == last+1 && (listed || len(items) == 0 || isHeading(items[0].text)) {
			last, listed = last+1, true
			items = append(items, listItem{text: g[2]})
			continue
		}
		if len(items) == 0 {
			if trimmed != "" {
				items = append(items, listItem{text: line})
			}
			continue
		}
		items[len(items)-1].text += "\n" + line
	}
	if listed && len(items) > 1 && isHeading(items[0].text) {
		items = items[1:]
	}
	return items
}

func number(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return otherwise
	}
	return n
}

func isHeading(text string) bool {
	text = strings.TrimSpace(text)
	return !strings.Contains(text, "\n") && (strings.HasPrefix(text, "#") || strings.HasSuffix(text, ":"))
}
