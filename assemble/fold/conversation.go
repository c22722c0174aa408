package fold

import "github.com/pamline/pamline/pamio"

// conversation merges everything but the messages.
func (m *merger) conversation(versions []version[*pamio.Conversation]) *pamio.Conversation {
	type doc = *pamio.Conversation
	created := bestTime(m, "/temporal/created_at", project(versions, func(d doc) stamp {
		return newStamp(d.Temporal.CreatedAt, d.RawMetadata)
	}))
	updated := text(m, "/temporal/updated_at", versions, func(d doc) string { return d.Temporal.UpdatedAt })
	if updated != "" && instant(updated) < instant(created.time) {
		// The two come from snapshots that contradict each other, and a document must not end
		// before it begins.
		m.lose("/temporal/updated_at", "", jsonString(updated))
		updated = ""
	}
	return &pamio.Conversation{
		ID: versions[0].value.ID,
		Provider: pamio.Provider{
			Name: text(m, "/provider/name", versions, func(d doc) string { return d.Provider.Name }),
			ConversationID: text(m, "/provider/conversation_id", versions,
				func(d doc) string { return d.Provider.ConversationID }),
			AccountID: text(m, "/provider/account_id", versions, func(d doc) string { return d.Provider.AccountID }),
			ExportFormatVersion: text(m, "/provider/export_format_version", versions,
				func(d doc) string { return d.Provider.ExportFormatVersion }),
		},
		Title:        textPointer(m, "/title", versions, func(d doc) *string { return d.Title }),
		Temporal:     pamio.Span{CreatedAt: created.time, UpdatedAt: updated},
		Participants: m.participants(versions),
		Model:        text(m, "/model", versions, func(d doc) string { return d.Model }),
		SystemInstruction: text(m, "/system_instruction", versions,
			func(d doc) string { return d.SystemInstruction }),
		IsArchived: flag(m, "/is_archived", versions, func(d doc) bool { return d.IsArchived }),
		Tags:       texts(m, "/tags", versions, func(d doc) []string { return d.Tags }),
		RawMetadata: m.metadata("/raw_metadata", created.source, headFollowers(len(versions)),
			project(versions, func(d doc) pamio.RawJSON { return d.RawMetadata })),
	}
}

func (m *merger) participants(versions []version[*pamio.Conversation]) []pamio.Participant {
	identity := func(p *pamio.Participant) string { return p.Role }
	lists := project(versions, func(d *pamio.Conversation) []pamio.Participant { return d.Participants })
	return unite(m, "/participants", lists, identity, func(at string, vs []version[*pamio.Participant]) pamio.Participant {
		return pamio.Participant{
			Role:       vs[0].value.Role,
			Name:       text(m, at+"/name", vs, func(p *pamio.Participant) string { return p.Name }),
			ProviderID: text(m, at+"/provider_id", vs, func(p *pamio.Participant) string { return p.ProviderID }),
		}
	})
}
