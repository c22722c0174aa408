package providers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

const emptyMember = "empty; it belongs to no provider"

// lookalikes are formats of other programs that hold conversations and are no export of a provider, by the keys that only
// they have. The first row that fits names the refusal.
var lookalikes = []struct {
	keys   []string
	reason string
}{
	{[]string{"polylogue_capture_kind"}, "browser capture envelope of polylogue, not an OpenAI export: ask the provider for the export of your data and drop that"},
	{[]string{"chat", "user_id"}, "Open WebUI export, not a ChatGPT one: it has chat.history, not mapping"},
	{[]string{"chat", "archived"}, "Open WebUI export, not a ChatGPT one: it has chat.history, not mapping"},
	{[]string{"conversationId", "messages"}, "LibreChat export, not one of the provider"},
	{[]string{"conversationId", "endpoint"}, "LibreChat export, not one of the provider"},
	{[]string{"chat_messages", "uuid"}, "Claude conversations; there is no importer for them in this version"},
	{[]string{"uuid", "prompt_template"}, "Claude project; there is no importer for it in this version"},
	{[]string{"conversations_memory"}, "Claude memories; there is no importer for them in this version"},
	{[]string{"conversation", "responses"}, "Grok export; there is no importer for it in this version"},
	{[]string{"safeHtmlItem"}, "Gemini activity; there is no importer for it in this version"},
	{[]string{"schema", "memories"}, "a PAM memory store, which is what pamline makes; use `pamline validate` or `pamline merge`"},
}

// describe says what an unclaimed member looks like. It names keys and kinds only, never content.
func describe(ctx context.Context, m archive.Member, peek importer.Peeker) (string, error) {
	prefix, err := peek(ctx, m)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "unreadable: " + err.Error(), nil
	}
	s := importer.Sniff(prefix)
	if s.Empty {
		return emptyMember, nil
	}
	all := append([]map[string]byte{s.Root}, s.Objects...)
	for _, l := range lookalikes {
		for _, keys := range all {
			if has(keys, l.keys) {
				return l.reason, nil
			}
		}
	}
	switch {
	case s.Top == '<':
		return "markup without a known export in it", nil
	case s.Top == '[' && len(s.Objects) == 0:
		return "a JSON list without objects", nil
	case s.Top == 0:
		return fmt.Sprintf("not JSON and not markup (%s)", size(m.Size)), nil
	}
	keys := s.Keys()
	slices.Sort(keys)
	shown := keys[:min(len(keys), 8)]
	for i, k := range shown {
		if len(k) > 40 || strings.ContainsFunc(k, func(r rune) bool { return r != '_' && r != '-' && (r < '0' || r > 'z') }) {
			shown[i] = "…"
		}
	}
	kind := "a JSON object"
	if s.Top == '[' || len(s.Objects) > 0 {
		kind = "JSON objects"
	}
	return kind + " with unknown keys (" + strings.Join(shown, ", ") + ")", nil
}

func has(keys map[string]byte, want []string) bool {
	for _, k := range want {
		if _, ok := keys[k]; !ok {
			return false
		}
	}
	return true
}

func size(n int64) string {
	if n < 0 {
		return "size unknown"
	}
	return fmt.Sprintf("%d bytes", n)
}
