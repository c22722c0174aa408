package stagetest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
)

// Notes is an importer of a format of its own: notes.json is an array of talks and records, and the
// members below files/ are its assets. A talk names files by their member names.
type Notes struct {
	As string // name of the importer
	At string // folder of its members
}

// NotesRegistry knows two importers of Notes: of the root, and of the folder other.
func NotesRegistry() *providers.Registry {
	return providers.NewRegistry(Notes{As: "notes"}, Notes{As: "others", At: "other/"})
}

type note struct {
	ID     string   `json:"id"`
	Text   string   `json:"text"`
	Files  []string `json:"files"`
	Inside []string `json:"inside"` // bytes of files inside the unit
	Odd    int      `json:"odd"`
	Record *struct{ Kind, Title, Text string }
}

func (n Notes) Name() string        { return n.As }
func (n Notes) Version() string     { return n.As + "-importer/2026.01" }
func (n Notes) RestoreFile() string { return "notes.json" }

func (n Notes) Claim(_ context.Context, members []archive.Member, _ providers.Peeker, _ providers.Limits) (c providers.Claim, _ error) {
	byName := map[string]archive.Member{}
	for _, m := range members {
		name, ok := strings.CutPrefix(m.Name, n.At)
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
	return c, nil
}

func (n Notes) Split(ctx context.Context, c providers.Claim, limits providers.Limits) iter.Seq2[providers.Unit, error] {
	return func(yield func(providers.Unit, error) bool) {
		for _, m := range c.Members {
			if m.Role == importer.RoleAsset {
				continue
			}
			r, err := m.Member.Open(ctx)
			if err != nil {
				yield(providers.Unit{}, err)
				return
			}
			text, err := io.ReadAll(r)
			if err = errors.Join(err, r.Close()); err != nil {
				yield(providers.Unit{}, err)
				return
			}
			var list []json.RawMessage
			if err := json.Unmarshal(text, &list); err != nil {
				yield(providers.Unit{}, err)
				return
			}
			for i, raw := range list {
				if !yield(providers.Unit{Member: m.Member, Role: m.Role, Index: i, Raw: raw, Context: c.Context, Limits: limits}, nil) {
					return
				}
			}
		}
	}
}

func (n Notes) Decode(u providers.Unit) ([]providers.Item, error) {
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
			Kind: r.Kind, Provider: n.As, Pointer: pointer, Title: r.Title, Text: r.Text, UpdatedAt: "2025-05-05T05:05:05Z", AccountID: "acc",
			Raw: pamio.RawJSON(slices.Clone(u.Raw)),
		}}}, nil
	}
	s := &providers.Snapshot{Order: "2025-01-01T00:00:00.000000Z", Newest: "2025-01-01T00:00:00.000000Z", Anomalies: map[string]int{}}
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
		ID: uuid.NewSHA1(uuid.NameSpaceURL, []byte(n.As+one.ID)).String(), Provider: pamio.Provider{Name: n.As, ConversationID: one.ID},
		Temporal: pamio.Span{CreatedAt: "2025-01-01T00:00:00Z"}, Messages: []pamio.Message{m},
	}
	return []providers.Item{{Conversation: s}}, nil
}

func (n Notes) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return append(dst, `{"id":"`+doc.Provider.ConversationID+`"}`...), nil
}
