package stagetest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// NewNotes gives an importer of a format of its own, of the members in a folder: notes.json is an
// array of talks and records, and the members below files/ are its assets. A talk names files by
// their member names.
func NewNotes(name, folder string) providers.Importer {
	return &cut.Format{
		Provider: name, Release: name + "-importer/2026.01", File: "notes.json",
		ClaimMembers: func(_ context.Context, members []archive.Member, _ providers.Peeker, _ providers.Limits) (providers.Claim, error) {
			return claimNotes(folder, members), nil
		},
		SplitMember: func(ctx context.Context, u providers.Unit, yield func(providers.Unit, error) bool) bool {
			return cut.Elements(ctx, u, cut.Options{}, yield)
		},
		DecodeUnit: func(u providers.Unit) ([]providers.Item, error) { return decodeNote(name, u) },
		BesideUnit: func(providers.Unit) (string, bool) { return "", true },
		RestoreElement: func(dst []byte, doc *pamio.Conversation) ([]byte, error) {
			return append(dst, `{"id":"`+doc.Provider.ConversationID+`"}`...), nil
		},
	}
}

// NotesRegistry knows two importers of notes: of the root, and of the folder other.
func NotesRegistry() *providers.Registry {
	return providers.NewRegistry(NewNotes("notes", ""), NewNotes("others", "other/"))
}

type note struct {
	ID     string   `json:"id"`
	Text   string   `json:"text"`
	Files  []string `json:"files"`
	Inside []string `json:"inside"` // bytes of files inside the unit
	Odd    int      `json:"odd"`
	Record *struct{ Kind, Title, Text string }
}

func claimNotes(folder string, members []archive.Member) (c providers.Claim) {
	byName := map[string]archive.Member{}
	for _, m := range members {
		name, ok := strings.CutPrefix(m.Name, folder)
		switch {
		case !ok:
		case name == "notes.json":
			c.Members = append(c.Members, providers.ClaimedMember{Member: m, Role: "notes"})
		case strings.HasPrefix(name, "files/"):
			byName[name] = m
			c.Members = append(c.Members, providers.ClaimedMember{Member: m, Role: importer.RoleAsset})
		}
	}
	c.Context = byName
	return c
}

func decodeNote(name string, u providers.Unit) ([]providers.Item, error) {
	var one note
	if err := json.Unmarshal(u.Raw, &one); err != nil {
		return nil, err
	}
	if r := one.Record; r != nil {
		pointer := "/0/record"
		if r.Kind == importer.RecordInstruction {
			pointer = "" // as of a member that is one as a whole
		}
		return []providers.Item{{Record: &providers.Record{
			Kind: r.Kind, Provider: name, Pointer: pointer, Title: r.Title, Text: r.Text, UpdatedAt: "2025-05-05T05:05:05Z", AccountID: "acc",
			Raw: pamio.RawJSON(slices.Clone(u.Raw)),
		}}}, nil
	}
	s := &providers.Snapshot{Order: "2025-01-01T00:00:00.000000Z", Newest: "2025-01-01T00:00:00.000000Z", Anomalies: map[string]int{}, Joined: len(one.Files) > 0}
	m := pamio.Message{ID: "m", Role: "user", CreatedAt: "2025-01-01T00:00:00Z", Content: &pamio.Content{Type: "multipart", Parts: []pamio.Part{{Type: "text", Text: &one.Text}}}}
	byName := u.Context.(map[string]archive.Member)
	for _, f := range one.Files {
		ref := "elsewhere:" + f
		if member, ok := byName[f]; ok {
			ref = importer.MemberRef(member)
		} else if strings.HasPrefix(f, "files/") {
			ref = importer.MemberRef(archive.Member{Index: 9999})
		}
		m.Attachments = append(m.Attachments, pamio.Attachment{Type: "file", Name: f, Ref: ref})
		m.Content.Parts = append(m.Content.Parts, pamio.Part{Type: "file", Ref: ref})
	}
	for _, text := range one.Inside {
		a, mime := importer.NewAsset([]byte(text))
		s.Assets = append(s.Assets, a)
		m.Attachments = append(m.Attachments, pamio.Attachment{Type: "file", MimeType: mime, Ref: a.Ref})
	}
	if one.Odd > 0 {
		s.Anomalies[importer.AnomalyUnknownVariant] = one.Odd
	}
	s.Doc = &pamio.Conversation{
		ID: uuid.NewSHA1(uuid.NameSpaceURL, []byte(name+one.ID)).String(), Provider: pamio.Provider{Name: name, ConversationID: one.ID},
		Temporal: pamio.Span{CreatedAt: "2025-01-01T00:00:00Z"}, Messages: []pamio.Message{m},
	}
	return []providers.Item{{Conversation: s}}, nil
}
