package inspect

import "github.com/pamline/pamline/pamio"

// ConversationSummary is what one conversation file holds, at a glance.
type ConversationSummary struct {
	ID         string  `json:"id"`
	Platform   string  `json:"platform"`
	ProviderID string  `json:"provider_conversation_id,omitempty"`
	Format     string  `json:"export_format_version,omitempty"`
	Title      *string `json:"title"`
	Created    string  `json:"created_at,omitempty"`
	Updated    string  `json:"updated_at,omitempty"`
	Messages   int     `json:"messages"`
	// Roles, Models and Parts count messages by role and model, and pieces of content by type.
	Roles  Tally `json:"roles"`
	Models Tally `json:"models"`
	Parts  Tally `json:"parts"`
	// Branches counts messages with several answers or edits below them.
	Branches    int `json:"branches"`
	Thoughts    int `json:"thoughts"`
	Attachments int `json:"attachments"`
	Citations   int `json:"citations"`
	ToolCalls   int `json:"tool_calls"`
	// Source says where it was read from.
	Source *pamio.ImportMetadata `json:"import_metadata,omitempty"`
}

// SummarizeConversation looks at one conversation.
func SummarizeConversation(c *pamio.Conversation) *ConversationSummary {
	s := &ConversationSummary{
		ID: c.ID, Platform: c.Provider.Name, ProviderID: c.Provider.ConversationID, Format: c.Provider.ExportFormatVersion,
		Title: c.Title, Updated: c.Temporal.UpdatedAt, Messages: len(c.Messages),
		Roles: Tally{}, Models: Tally{}, Parts: Tally{}, Source: c.Import,
	}
	if c.Temporal.CreatedAt != unknownTime {
		s.Created = c.Temporal.CreatedAt
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		s.Roles.add(m.Role, 1)
		if m.Model != "" {
			s.Models.add(m.Model, 1)
		}
		if m.IsThought {
			s.Thoughts++
		}
		if len(m.ChildrenIDs) > 1 {
			s.Branches++
		}
		s.Attachments += len(m.Attachments)
		s.Citations += len(m.Citations)
		s.ToolCalls += len(m.ToolCalls)
		if m.Content == nil {
			continue
		}
		if m.Content.Type == "text" {
			s.Parts.add("text", 1)
		}
		for _, p := range m.Content.Parts {
			s.Parts.add(p.Type, 1)
		}
	}
	return s
}
