// Package huggingchat reads the export of HuggingChat and of other servers with its program,
// chat-ui: conversations.json, a list of conversations; assistants.json, a list of the assistants
// that the person made; and the files of messages beside them, file-<conversation>-<id>.<ending>.
//
// One form is known ("chat-ui"). Newer conversations are trees: a message names its ancestors and
// children. Older ones are lists.
package huggingchat

import (
	"context"
	"iter"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const (
	app     = "huggingchat"
	version = "huggingchat-importer/2026.11"
	format  = "chat-ui"
)

type huggingchat struct{}

// New makes the importer.
func New() importer.Importer { return huggingchat{} }

func (huggingchat) Name() string        { return app }
func (huggingchat) Version() string     { return version }
func (huggingchat) RestoreFile() string { return "conversations.json" }

// Split gives a unit for each conversation and each assistant.
func (huggingchat) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return cut.Members(ctx, c, limits, func(u importer.Unit, yield func(importer.Unit, error) bool) bool {
		recognise := isConversation
		if u.Role == roleAssistants {
			recognise = isAssistant
		}
		return cut.Elements(ctx, u, cut.Options{Recognise: func(prefix []byte) bool { return recognise(importer.Sniff(prefix)) }}, yield)
	})
}

func (huggingchat) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return schema.Restore(dst, doc)
}
