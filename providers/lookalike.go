package providers

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

const emptyMember = "empty; it belongs to no provider"

// anywhere is where an element may stand: at the root, in a list, in lines, or in the list of an object.
var anywhere = []string{"", "[].", "conversations[].", "data[].", "messages[].", "entries[]."}

// lookalikes are files that hold conversations, or belong to the vendor of an assistant, and are no export that an importer
// reads. The first row all of whose paths are there, behind one and the same prefix, names the refusal. Rows that say more
// come before those that say less.
var lookalikes = []struct {
	paths  []string
	reason string
}{
	{[]string{"polylogue_capture_kind"}, "browser capture envelope of polylogue, not an OpenAI export: ask the provider for the export of your data and drop that"},
	{[]string{"schema\"", "memories["}, "a PAM memory store, which is what pamline makes; use `pamline validate` or `pamline merge`"},
	{[]string{"schema\"", "messages[", "provider{"}, "a PAM conversation, which is what pamline makes; use `pamline validate`"},
	{[]string{"chat{", "user_id"}, "a list of Open WebUI chats without their messages: export the chats themselves and drop that file"},
	{[]string{"balance_map"}, "the billing file of a Grok export, without its conversations: drop the whole archive"},
	{[]string{"platform\"", "turns["}, "a browser dump by an extension (OpenRouter or the like), not an export of the provider"},
	{[]string{"chat_session_id", "messages["}, "a chat of Onyx; there is no importer for it"},
	{[]string{"histories.histories["}, "a Character.AI dump by an extension; there is no importer for it"},
	{[]string{"turn_key", "candidates["}, "turns of Character.AI; there is no importer for them"},
	{[]string{"guild{", "channel{", "messages["}, "a Discord channel, which is talk between people, not with an assistant"},
	{[]string{"chats.list["}, "a Telegram export, which is talk between people, not with an assistant"},
	{[]string{"participants[", "magic_words["}, "Messenger or Instagram messages, which are talk between people, not with an assistant"},
	{[]string{"header\"", "time\"", "products["}, "an activity log of another Google product, not of Gemini"},
	{[]string{"memories[", "version"}, "a memory file in a form that no importer knows"},
}

// describe says what an unclaimed member looks like, and whether it is damaged. It names keys and kinds only, never content.
func describe(ctx context.Context, m archive.Member, peek importer.Peeker) (reason string, damaged bool, err error) {
	s, err := peek.Shape(ctx, m)
	if ctx.Err() != nil {
		return "", false, ctx.Err()
	}
	if err != nil {
		return "unreadable: " + err.Error(), true, nil
	}
	if s.Empty {
		return emptyMember, false, nil
	}
	for _, l := range lookalikes {
		if s.At(anywhere, l.paths...) {
			return l.reason, false, nil
		}
	}
	switch {
	case s.Top == '<':
		return "markup without a known export in it", false, nil
	case s.Top == '[' && len(s.Objects) == 0:
		return "a JSON list without objects", false, nil
	case s.Top == 0:
		prefix, err := peek.Prefix(ctx, m)
		if err != nil {
			return "unreadable: " + err.Error(), true, ctx.Err()
		}
		if e := strings.ToLower(path.Ext(m.Name)); e == ".json" || e == ".jsonl" {
			return "damaged: its name says that it is JSON, and it is " + other(prefix, m.Size), true, nil
		}
		return other(prefix, m.Size), false, nil
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
	return kind + " with unknown keys (" + strings.Join(shown, ", ") + ")", false, nil
}

// other says what a file is that is neither JSON nor markup.
func other(prefix []byte, n int64) string {
	head := prefix[:min(len(prefix), 512)]
	switch {
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return fmt.Sprintf("an SQLite database of no known program, or a damaged one (%s)", size(n))
	case len(bytes.TrimSpace(head)) > 0 && utf8.Valid(bytes.TrimRightFunc(head, func(r rune) bool { return r == utf8.RuneError })) && bytes.IndexByte(head, 0) < 0:
		return fmt.Sprintf("plain text (%s), which --provider manual reads", size(n))
	}
	return fmt.Sprintf("not JSON and not markup (%s)", size(n))
}

func size(n int64) string {
	if n < 0 {
		return "size unknown"
	}
	return fmt.Sprintf("%d bytes", n)
}
