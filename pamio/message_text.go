package pamio

import "strings"

// PlainText is the text of a message: its one text, or those of its parts with a line feed between
// them. Spans of evidence count the code points of this text.
func (m *Message) PlainText() string {
	c := m.Content
	if c == nil {
		return ""
	}
	if c.Text != nil {
		return *c.Text
	}
	var texts []string
	for i := range c.Parts {
		if t := c.Parts[i].Text; t != nil {
			texts = append(texts, *t)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return strings.Join(texts, "\n")
}
