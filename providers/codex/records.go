package codex

import (
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// instructions makes a record of the instructions that a session began with.
func (l *log) instructions() []importer.Item {
	text := l.head.Get("instructions")
	if text.Kind() != jsonscan.String || strings.TrimSpace(text.Str()) == "" {
		return nil
	}
	r := &importer.Record{
		Kind: importer.RecordInstruction, Provider: provider, Pointer: l.headAt + "/instructions", Text: text.Str(), Raw: text.AppendCompact(nil),
	}
	if t, ok := lossless.ReadTime(l.head.Get("timestamp")); ok && t != normalize.Epoch {
		r.CreatedAt = t.String()
	}
	return []importer.Item{{Record: r}}
}
