package textgen

import "github.com/pamline/pamline/providers/lossless"

// Forms that are told apart, as provider.export_format_version has them.
const (
	formatMetadata = "internal-metadata" // with times, models, versions and tools beside the pairs
	formatInternal = "internal"          // pairs alone
	formatData     = "data"              // 2023: other names
)

// A pair is a list of two texts, so "*" is both of them. The versions of a turn that are not
// selected stand in "metadata".
var schemas = lossless.Schemas{
	formatMetadata: newSchema("/internal", lossless.Rule{Path: "/metadata", Slot: lossless.MessageMap}),
	formatInternal: newSchema("/internal"),
	formatData:     newSchema("/data"),
}

func newSchema(pairs string, more ...lossless.Rule) *lossless.Schema {
	return &lossless.Schema{
		Conversation: append([]lossless.Rule{{Path: pairs, Slot: lossless.MessageList}}, more...),
		Message: []lossless.Rule{
			{Path: "/*", Slot: lossless.Text},
			{Path: "/versions/*/content", Slot: lossless.Text},
		},
		Fields: []string{"internal", "visible", "metadata", "data", "data_visible"},
		MessageFields: []string{
			"timestamp", "attachments", "model_name", "versions", "current_version_index", "tool_sequence",
		},
	}
}
