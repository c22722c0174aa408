package strip

import (
	"strings"

	"github.com/pamline/pamline/pamio"
)

// Conversation is a conversation without ids of the provider, names and raw metadata. asset gives
// the name in the bundle of a file that a ref names, "" for one that the bundle does not have.
func (s *Stripper) Conversation(c *pamio.Conversation, asset func(ref string) string) *pamio.Conversation {
	out := *c
	out.ID = s.pseudonym(conversations, c.ID)
	out.Provider = pamio.Provider{Name: c.Provider.Name, ExportFormatVersion: c.Provider.ExportFormatVersion}
	out.RawMetadata = nil
	out.Participants = nil
	for _, p := range c.Participants {
		out.Participants = append(out.Participants, pamio.Participant{Role: p.Role})
	}
	if m := c.Import; m != nil {
		out.Import = &pamio.ImportMetadata{Importer: m.Importer, ImporterVersion: m.ImporterVersion, ImportedAt: m.ImportedAt}
	}
	out.Messages = make([]pamio.Message, len(c.Messages))
	for i := range c.Messages {
		out.Messages[i] = s.message(c.ID, &c.Messages[i], asset)
	}
	return &out
}

func (s *Stripper) message(conversation string, m *pamio.Message, asset func(string) string) pamio.Message {
	out := *m
	out.ID, out.ProviderMessageID, out.RawMetadata = s.pseudonym(messages, conversation, m.ID), "", nil
	out.ParentID = s.pseudonym(messages, conversation, m.ParentID)
	out.ChildrenIDs = s.pseudonyms(messages, m.ChildrenIDs, conversation)
	if m.Content != nil && m.Content.Parts != nil {
		content := *m.Content
		content.Parts = append([]pamio.Part(nil), m.Content.Parts...)
		for i := range content.Parts {
			content.Parts[i].Ref = assetRef(content.Parts[i].Ref, asset)
		}
		out.Content = &content
	}
	out.Attachments, out.Citations, out.ToolCalls = nil, nil, nil
	for _, a := range m.Attachments {
		out.Attachments = append(out.Attachments, pamio.Attachment{
			Type: a.Type, MimeType: a.MimeType, SizeBytes: a.SizeBytes, Ref: assetRef(a.Ref, asset),
		})
	}
	for _, c := range m.Citations {
		if strings.HasPrefix(c.URL, "https://") || strings.HasPrefix(c.URL, "http://") { // others cite files of the person
			out.Citations = append(out.Citations, c)
		}
	}
	for _, t := range m.ToolCalls {
		t.ID = s.pseudonym(calls, conversation, t.ID)
		out.ToolCalls = append(out.ToolCalls, t)
	}
	return out
}

func assetRef(ref string, asset func(string) string) string {
	if ref == "" {
		return ""
	}
	return asset(ref)
}
