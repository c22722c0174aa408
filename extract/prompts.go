package extract

import (
	"bytes"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

var promptsMark = []byte("prompts_only")

// PromptsOnly tells whether a conversation is a list of prompts and no talk: its importer says so
// (the note prompts_only), or every answer is a picture without a word. A prompt like "a cat,
// watercolor" says nothing about the person.
func PromptsOnly(doc *pamio.Conversation) bool {
	if bytes.Contains(doc.RawMetadata, promptsMark) {
		if d, err := jsonscan.Parse(doc.RawMetadata, 0); err == nil && d.Root().Get("prompts_only").True() {
			return true
		}
	}
	pictures := false
	for i := range doc.Messages {
		m := &doc.Messages[i]
		if m.Role == "user" || m.Role == "system" {
			continue
		}
		if m.PlainText() != "" {
			return false
		}
		pictures = pictures || hasPicture(m)
	}
	return pictures
}

// hasPicture tells whether a message has an image among its parts or attachments.
func hasPicture(m *pamio.Message) bool {
	if m.Content != nil {
		for i := range m.Content.Parts {
			if m.Content.Parts[i].Type == "image" {
				return true
			}
		}
	}
	for i := range m.Attachments {
		if m.Attachments[i].Type == "image" {
			return true
		}
	}
	return false
}
