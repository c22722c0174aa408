package anythingllm

import (
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
	"github.com/pamline/pamline/providers/sqlite"
)

// thread reads the chats of a thread: {"workspace":{…},"thread":{…},"chats":[…]}.
func thread(b *lossless.Builder) bool {
	root := b.Root()
	chats := root.Get("chats")
	if chats.Kind() != jsonscan.Array {
		return false
	}
	room, own := root.Get("workspace"), root.Get("thread")
	b.Title(own.Get("name"))
	if b.Doc.Title == nil {
		b.Title(room.Get("name"))
	}
	b.Doc.SystemInstruction = room.Get("openAiPrompt").Str()
	var first jsonscan.Node
	i := 0
	for row := range chats.Items() {
		if row.Kind() != jsonscan.Object {
			b.Unknown("row_is_no_object")
			i++
			continue
		}
		if !first.Exists() {
			first = row
		}
		exchangeRow(b, i, row)
		i++
	}
	b.Doc.Provider.AccountID = importer.Lexeme(first.Get("user_id"))
	workspaceID := room.Get("slug").Str()
	if workspaceID == "" {
		workspaceID = importer.Lexeme(first.Get("workspaceId"))
	}
	switch number := importer.Lexeme(first.Get("thread_id")); {
	case own.Get("slug").Str() != "":
		b.IDIn(space, own.Get("slug").Str())
	case number != "":
		b.DerivedID(space, strings.Join([]string{"thread", workspaceID, number}, "\x00"))
	default:
		b.DerivedID(space, strings.Join([]string{"workspace", workspaceID, importer.Lexeme(first.Get("user_id")), importer.Lexeme(first.Get("api_session_id"))}, "\x00"))
	}
	return true
}

// exchangeRow reads a row of workspace_chats.
func exchangeRow(b *lossless.Builder, i int, row jsonscan.Node) {
	response := row.Get("response")
	answer := response
	if response.Kind() == jsonscan.Object && !response.Get(keyThought).Exists() {
		answer = response.Get("text")
	}
	o, m := exchangeOf(b, "/chats", i, row, row.Get("prompt"), answer, b.Time(row.Get("createdAt")))
	metrics := response.Get("metrics")
	m.Model = metrics.Get("model").Str()
	m.TokenCount = importer.Count(metrics.Get("completion_tokens"))
	for s := range response.Get("sources").Items() {
		url := s.Get("url").Str()
		if !web(url) {
			url = strings.TrimPrefix(s.Get("chunkSource").Str(), "link://")
		}
		if web(url) && len(m.Citations) < maxCitations && !cited(m.Citations, url) {
			m.Citations = append(m.Citations, pamio.Citation{URL: url, Title: s.Get("title").Str()})
		}
	}
	// What is attached belongs to the question, if there is one.
	to := m
	if all := o.Messages(); all[0].Role == normalize.RoleUser {
		to = all[0]
	}
	for f := range response.Get("attachments").Items() {
		if f.Kind() != jsonscan.Object {
			continue
		}
		a := pamio.Attachment{Type: "file", Name: f.Get("name").Str(), MimeType: f.Get("mime").Str()}
		if strings.HasPrefix(a.MimeType, "image/") {
			a.Type = "image"
		}
		to.Attachments = append(to.Attachments, a)
	}
}

// maxCitations bounds the sources of one answer that get a field; the others stay in raw_metadata.
const maxCitations = 500

func cited(all []pamio.Citation, url string) bool {
	for i := range all {
		if all[i].URL == url {
			return true
		}
	}
	return false
}

// workspace makes a record of a workspace: what it was told to do always, else that it is there.
func workspace(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	row := src.Root
	r := &importer.Record{
		Kind: importer.RecordProject, Provider: localapp.Provider, ID: row.Get("slug").Str(), Title: row.Get("name").Str(),
		Text: row.Get("openAiPrompt").Str(), CreatedAt: lossless.TimeText(row.Get("createdAt")), UpdatedAt: lossless.TimeText(row.Get("lastUpdatedAt")),
		Pointer: "/workspaces/" + normalize.EscapePointer(importer.Lexeme(row.Get("id"))), Raw: row.AppendCompact(nil),
	}
	if r.Text != "" {
		r.Kind = importer.RecordInstruction
	}
	return []importer.Item{{Record: r}}, nil
}

// passedTables are tables that are counted and not kept, with the reason.
var passedTables = map[string]struct{ code, reason string }{
	"users":                      {"credentials", "accounts and passwords are never read"},
	"api_keys":                   {"credentials", "keys are never read"},
	"browser_extension_api_keys": {"credentials", "keys are never read"},
	"recovery_codes":             {"credentials", "codes are never read"},
	"password_reset_tokens":      {"credentials", "tokens are never read"},
	"temporary_auth_tokens":      {"credentials", "tokens are never read"},
	"invites":                    {"credentials", "invitations are never read"},
	"system_settings":            {"settings", "the settings of the server belong to whoever runs it and may hold keys"},
	"embed_chats":                {"embed_chat", "chats of the visitors of a web page, not of the person"},
	"event_logs":                 {"event_log", "the log of the server"},
}

// passed counts the rows of a table that is not kept.
func passed(u importer.Unit) ([]importer.Item, error) {
	table, count, err := sqlite.PassedTable(u)
	if err != nil {
		return nil, err
	}
	why, known := passedTables[table]
	if !known {
		why.code, why.reason = "other_table", "a table of the app without chats"
	}
	return importer.Skipped(why.code, why.reason, count), nil
}
