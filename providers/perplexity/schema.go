package perplexity

import (
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// The names of the generations in documents; they never change.
const (
	official  = "official"
	extension = "extension"
	api       = "api"
	workbook  = "gdpr-xlsx"
)

// generation is how one generation writes a thread.
type generation struct {
	list   string // the key of its entries
	id     string // of an entry
	query  string
	time   string
	model  string
	schema *lossless.Schema
	answer func(entry jsonscan.Node) (text string, has bool)
	cited  func(entry jsonscan.Node, add func(url, title, snippet jsonscan.Node))
}

var generations = map[string]generation{
	official: {
		list: "entries", id: "entry_uuid", query: "query", time: "created_at", answer: plainAnswer,
		schema: &lossless.Schema{
			Conversation: []lossless.Rule{
				{Path: "/context_uuid", Slot: lossless.ConversationID},
				{Path: "/context_title", Slot: lossless.Title},
				{Path: "/created_at", Slot: lossless.Created, Form: lossless.ISO},
				{Path: "/updated_at", Slot: lossless.Updated, Form: lossless.ISO},
				{Path: "/entries", Slot: lossless.MessageList},
			},
			Message: []lossless.Rule{
				{Path: "/entry_uuid", Slot: lossless.ID, Form: entryID},
				{Path: "/query", Slot: lossless.Text},
				{Path: "/answer", Slot: lossless.Text},
				{Path: "/created_at", Slot: lossless.Created, Form: lossless.ISO},
			},
			Fields:        []string{"mode", "collection_uuid"},
			MessageFields: []string{"engine_mode", "label", "query_status"},
		},
	},
	extension: {
		list: "conversations", id: "uuid", query: "query", time: "timestamp", model: "model", answer: plainAnswer, cited: sources,
		schema: &lossless.Schema{
			Conversation: []lossless.Rule{
				{Path: "/metadata/thread_id", Slot: lossless.ConversationID},
				{Path: "/metadata/thread_title", Slot: lossless.Title},
				{Path: "/metadata/thread_created_at", Slot: lossless.Created, Form: lossless.ISO},
				{Path: "/metadata/thread_updated_at", Slot: lossless.Updated, Form: lossless.ISO},
				{Path: "/conversations", Slot: lossless.MessageList},
			},
			Message: []lossless.Rule{
				{Path: "/uuid", Slot: lossless.ID, Form: entryID},
				{Path: "/query", Slot: lossless.Text},
				{Path: "/answer", Slot: lossless.Text},
				{Path: "/model", Slot: lossless.Model},
				{Path: "/timestamp", Slot: lossless.Created, Form: lossless.ISO},
				{Path: "/sources/*/url", Slot: lossless.CiteURL},
				{Path: "/sources/*/title", Slot: lossless.CiteTitle},
				{Path: "/sources/*/snippet", Slot: lossless.CiteSnippet},
			},
			Fields:        []string{"metadata"},
			MessageFields: []string{"mode", "related_queries", "sources"},
		},
	},
	api: {
		list: "entries", id: "uuid", query: "query_str", time: "entry_created_datetime", model: "display_model", answer: blockAnswer, cited: webResults,
		schema: &lossless.Schema{
			Conversation: []lossless.Rule{
				{Path: "/thread_metadata/thread_title", Slot: lossless.Title},
				{Path: "/entries", Slot: lossless.MessageList},
			},
			Message: []lossless.Rule{
				{Path: "/uuid", Slot: lossless.ID, Form: entryID},
				{Path: "/query_str", Slot: lossless.Text},
				{Path: "/blocks/*/markdown_block/answer", Slot: lossless.Text},
				{Path: "/display_model", Slot: lossless.Model},
				{Path: "/entry_created_datetime", Slot: lossless.Created, Form: withoutZone},
				{Path: "/blocks/*/web_result_block/web_results/*/url", Slot: lossless.CiteURL},
				{Path: "/blocks/*/web_result_block/web_results/*/name", Slot: lossless.CiteTitle},
				{Path: "/blocks/*/web_result_block/web_results/*/snippet", Slot: lossless.CiteSnippet},
			},
			// The application adds keys to entries all the time; only those of the thread are
			// counted.
			Fields: []string{"status", "thread_metadata", "background_entries", "has_next_page", "next_cursor"},
		},
	},
}

// rows is the schema of a row of a workbook, which is a list of one entry. Its documents are not
// restored; it divides what is kept.
var rows = &lossless.Schema{
	Conversation: []lossless.Rule{{Path: "", Slot: lossless.MessageList}},
	Message: []lossless.Rule{
		{Path: "/UUID", Slot: lossless.ID, Form: entryID},
		{Path: "/TITLE", Slot: lossless.Text},
		{Path: "/OUTPUT_STR/answer", Slot: lossless.Text},
	},
	MessageFields: []string{"OUTPUT_STR", "CREATED", "UPDATED"},
}

// entryID is the id of an entry in that of its messages.
var entryID = lossless.Form{Write: func(dst []byte, id string) ([]byte, bool) {
	s, ok := strings.CutSuffix(id, answerEnd)
	if !ok {
		s = strings.TrimSuffix(id, queryEnd)
	}
	return pamio.AppendString(dst, s), true
}}

// withoutZone is a time in UTC that does not say so, with a fraction of six digits or none.
var withoutZone = lossless.Form{
	Write: func(dst []byte, value string) ([]byte, bool) {
		if _, ok := normalize.ParseInstant(value); !ok {
			return dst, false
		}
		return pamio.AppendString(dst, strings.TrimSuffix(value, "Z")), true
	},
	Read: lossless.ISO.Read,
}
