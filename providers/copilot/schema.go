package copilot

import "github.com/pamline/pamline/providers/lossless"

// schema keeps the rows: a CSV row cannot be rebuilt from the fields of a message, so it stays
// whole.
var schema = &lossless.Schema{
	Conversation:  []lossless.Rule{{Path: "/rows", Slot: lossless.MessageList}},
	Fields:        []string{"header", "dates", "rows"},
	MessageFields: []string{"row", "encoding", "bytes"},
}
