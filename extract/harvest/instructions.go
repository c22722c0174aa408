package harvest

import (
	"strings"

	"github.com/pamline/pamline/extract/restate"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// instruction describes one of the two fields of ChatGPT's custom instructions.
type instruction struct {
	kind func(string) string
	// clean is the key under metadata.user_context_message_data: the person's words and nothing
	// else.
	clean string
	// wrapped is the key under content, whose text has an explanation for the model around it.
	wrapped string
	// list is the list that the field is, of one item.
	list string
	// mark is a part of that explanation, in lower case.
	mark string
}

var instructions = []instruction{
	{kind: kindOf, clean: "about_user_message", wrapped: "user_profile", list: listAboutMe, mark: "about themselves"},
	{kind: instructionOnly, clean: "about_model_message", wrapped: "user_instructions", list: listAnswers, mark: "how they would like you to respond"},
}

// customInstructions harvests what the person wrote about themselves and about how to answer. The
// clean form is preferred; the wrapped one is read from the residual, or from the message's text
// when the importer moved it there.
func (h *harvester) customInstructions(m *pamio.Message, meta jsonscan.Node, when string) {
	data := meta.Get("metadata").Get("user_context_message_data")
	content := meta.Get("content")
	wrapped := content.Get("content_type").Is("user_editable_context") || content.Get("user_profile").Exists() || content.Get("user_instructions").Exists()
	if data.Kind() != jsonscan.Object && !wrapped {
		return
	}
	var moved []string
	if wrapped {
		moved = movedTexts(m, meta, content)
	}
	for i, f := range instructions {
		if text := strings.TrimSpace(data.Get(f.clean).Str()); text != "" {
			h.add(m, f.kind, text, "metadata/user_context_message_data/"+f.clean, when, f.list, true)
			continue
		}
		if !wrapped {
			if data.Get(f.clean).Kind() == jsonscan.String {
				h.add(m, f.kind, "", "", when, f.list, true)
			}
			continue
		}
		text := content.Get(f.wrapped).Str()
		if text == "" && i < len(moved) {
			text = moved[i]
		}
		if text = unwrap(text); text != "" || content.Get(f.wrapped).Kind() == jsonscan.String {
			h.add(m, f.kind, text, "content/"+f.wrapped, when, f.list, true)
		}
	}
}

// movedTexts gives the texts of a message whose content was made from custom instructions, in the
// order of instructions; "" where one is missing. Which is which is told by the importer's list of
// places, else by there being one for each, else by the explanation around a text, else by which of
// the two is still in the residual.
func movedTexts(m *pamio.Message, meta, content jsonscan.Node) []string {
	texts := make([]string, len(instructions))
	found := messageTexts(m)
	if from := meta.Get("text_from"); from.Kind() == jsonscan.Array && from.Len() == len(found) {
		k := 0
		for path := range from.Items() {
			for i, f := range instructions {
				if path.Is("/" + f.wrapped) {
					texts[i] = found[k]
				}
			}
			k++
		}
		return texts
	}
	if len(found) == len(texts) {
		return found
	}
	for _, t := range found {
		i := explained(t)
		if i < 0 && content.Get(instructions[0].wrapped).Exists() {
			i = 1
		}
		texts[max(i, 0)] = t
	}
	return texts
}

func explained(text string) int {
	low := strings.ToLower(text)
	if !strings.HasPrefix(low, "the user provided") {
		return -1
	}
	for i, f := range instructions {
		if strings.Contains(low, f.mark) {
			return i
		}
	}
	return -1
}

// unwrap takes the explanation for the model away: what the person wrote stands between the first
// and the last fence.
func unwrap(text string) string {
	text = strings.TrimSpace(text)
	const fence = "```"
	if explained(text) < 0 {
		return text
	}
	first, last := strings.Index(text, fence), strings.LastIndex(text, fence)
	if first < 0 {
		return text
	}
	if last == first { // cut off
		return strings.TrimSpace(text[first+len(fence):])
	}
	return strings.TrimSpace(text[first+len(fence) : last])
}

// messageTexts are the texts of a message, one a part.
func messageTexts(m *pamio.Message) []string {
	if m.Content == nil {
		return nil
	}
	var texts []string
	if m.Content.Text != nil {
		texts = append(texts, *m.Content.Text)
	}
	for _, p := range m.Content.Parts {
		if p.Text != nil {
			texts = append(texts, *p.Text)
		}
	}
	return texts
}

// instructionKind is the type of what the person wants of answers.
const instructionKind = "instruction"

func instructionOnly(string) string { return instructionKind }

// maxInstruction is how many words a sentence of instructions has at most to stand by itself.
const maxInstruction = 25

// answers makes candidates of what the person told about how to answer: one for each sentence where
// each can be understood without the others, else one for all of it.
func (f *facts) answers(text string, base normalize.Candidate) {
	var all []string
	for _, s := range statements(text) {
		all = append(all, sentencesOf(s.text)...)
	}
	if !separable(all) {
		all = []string{text}
	}
	for _, said := range all {
		c := base
		c.Content = said
		if !screen(&c, f.report) {
			continue
		}
		c.Evidence = append([]normalize.Evidence(nil), c.Evidence...)
		c.Evidence[0].Quote = c.Content
		c.Language = tables.Language(c.Content)
		for _, o := range candidatesOfType(tables.Statements(c.Content, c.Language, c.Evidence[0].ObservedAt), instructionKind) {
			if c.Slot == nil {
				c.Slot, c.Rule = o.Slot, o.Rule
			}
		}
		f.keep(c, instructionKind, restate.Finish(c.Content))
	}
}

// separable tells whether each of the sentences says something by itself.
func separable(sentences []string) bool {
	if len(sentences) < 2 {
		return false
	}
	for _, s := range sentences {
		words := leadingWords(s)
		if n := len(strings.Fields(s)); n > maxInstruction || n < 2 || len(words) == 0 || leaning[words[0]] || strings.HasSuffix(s, ":") {
			return false
		}
	}
	return true
}

// leaning are words that a sentence begins with when it goes on with the one before.
var leaning = map[string]bool{
	"this": true, "that": true, "these": true, "those": true, "it": true, "they": true, "then": true, "otherwise": true, "for": true, "such": true, "instead": true, "however": true,
	"else": true, "so": true, "because": true, "dies": true, "das": true, "dann": true, "sonst": true, "cela": true, "ensuite": true, "sinon": true, "esto": true, "luego": true,
}
