package gemini

import (
	"slices"

	"github.com/pamline/pamline/providers/lossless"
)

// rowSchema maps the form that wrap.go gives the rows of a conversation:
//
//	{"rows": [row…], "events": [row…]}
//
// where the title of a row is {"verb": "Prompted ", "prompt": "…"}. What is not named here is kept
// with the prompt's message under "source", the events with the conversation.
var rowSchema = &lossless.Schema{
	Conversation:  rowSchema202611.Conversation,
	Message:       slices.Concat(rowSchema202611.Message, interactionRules),
	MessageFields: append(slices.Clone(rowSchema202611.MessageFields), "userInteractions"),
}

// interactionRules map the texts of interactions, in both forms that an entry of the list has.
var interactionRules = []lossless.Rule{
	{Path: "/userInteractions/*/userInteraction/request", Slot: lossless.Text},
	{Path: "/userInteractions/*/userInteraction/response", Slot: lossless.Text},
	{Path: "/userInteractions/*/request", Slot: lossless.Text},
	{Path: "/userInteractions/*/response", Slot: lossless.Text},
}

// schema is the mapping of rows of this version.
func (i Importer) schema() *lossless.Schema {
	if i.old {
		return rowSchema202611
	}
	return rowSchema
}

// rowSchema202611 is the mapping of 2026.11.
var rowSchema202611 = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/rows", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/time", Slot: lossless.Created, Form: lossless.ISO},
		{Path: "/title", Slot: lossless.Text},
		{Path: "/title/prompt", Slot: lossless.Text},
		{Path: "/subtitles/*/name", Slot: lossless.CiteTitle},
		{Path: "/subtitles/*/url", Slot: lossless.CiteURL},
		{Path: "/attachedFiles/*", Slot: lossless.AttachID},
	},
	MessageFields: []string{
		"header", "titleUrl", "products", "activityControls", "safeHtmlItem", "description", "subtitles", "details", "attachedFiles", "imageFile",
		"audioFiles", "locationInfos",
	},
}

// cellSchema is that of a page: its cells are kept as they are beside the messages, see noteCell.
var cellSchema = &lossless.Schema{
	Conversation: []lossless.Rule{{Path: "/rows", Slot: lossless.MessageList}},
}

// Keys of raw_metadata for readers.
const (
	noteCell      = "gemini_cell"      // of a message: the cell of the page, whole, as HTML
	noteEvents    = "events"           // of a conversation: cells of its events
	noteProduct   = "product"          // of a conversation: the header of its rows
	noteIDs       = "conversation_ids" // of a conversation: those that its row names, when there are several
	notePrefix    = "prefix_unknown"   // of a prompt: its title starts with no verb that is known, and is the prompt as a whole
	noteNoAnswer  = "answer_missing"   // of a prompt: the export has no answer to it
	noteItems     = "safe_html_items"  // of an answer: how many pieces of HTML it was joined of
	noteGem       = "gem"              // of a prompt: the Gem that answered
	noteZone      = "time_zone"        // of a prompt: the zone as the page has it
	noteZoneDoubt = "time_zone_doubt"  // of a prompt: missing, unknown or ambiguous
	noteVerb      = "verb"             // of a prompt of a page: what its title starts with
	timeFromCell  = "activity_cell"    // created_at_source: the text of a cell, which has seconds and the name of a zone
)
