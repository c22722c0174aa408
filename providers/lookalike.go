package providers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/manual"
)

const emptyMember = "empty; it belongs to no provider"

// anywhere is where an element may stand: at the root, in a list, in lines, or in the list of an
// object.
var anywhere = []string{"", "[].", "conversations[].", "data[].", "messages[].", "entries[]."}

// lookalikes are files that hold conversations, or belong to the vendor of an assistant, and are no
// export that an importer reads. The first row all of whose paths are there, behind one and the
// same prefix, names the refusal. Rows that say more come before those that say less.
var lookalikes = []struct {
	paths  []string
	reason string
}{
	{[]string{"polylogue_capture_kind"}, "browser capture envelope of polylogue, not an OpenAI export: ask the provider for the export of your data and drop that"},
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

// condition is the state of an unclaimed member.
type condition uint8

const (
	sound condition = iota
	damaged
	encrypted
)

// conditionOf tells why a member cannot be opened.
func conditionOf(err error) condition {
	var bad *archive.Error
	if errors.As(err, &bad) && bad.Code == archive.CodeEncrypted {
		return encrypted
	}
	return damaged
}

// describe says what an unclaimed member looks like, and its condition. It names keys and kinds
// only, never content.
func describe(ctx context.Context, m archive.Member, peek importer.Peeker) (reason string, is condition, err error) {
	s, err := peek.Shape(ctx, m)
	if ctx.Err() != nil {
		return "", sound, ctx.Err()
	}
	if err != nil {
		return "unreadable: " + err.Error(), conditionOf(err), nil
	}
	if s.Empty {
		return emptyMember, sound, nil
	}
	for _, l := range lookalikes {
		if s.At(anywhere, l.paths...) {
			return l.reason, sound, nil
		}
	}
	keys := s.Keys()
	var prefix []byte
	if len(keys) == 0 || m.Size <= importer.PeekSize {
		if prefix, err = peek.Prefix(ctx, m); err != nil {
			return "unreadable: " + err.Error(), conditionOf(err), ctx.Err()
		}
	}
	switch {
	case importer.IsStoreObject(prefix): // its name may say that it is JSON, and so it is, to its owner
		return other(prefix, m.Size), sound, nil
	case breaksOff(prefix, m.Size):
		return fmt.Sprintf("JSON that is cut off before its end (%s)", size(m.Size)), damaged, nil
	case s.Top == '<':
		format := importer.FormatOf(prefix)
		if format == "" {
			format = "markup"
		}
		return format + " without a known export in it", sound, nil
	case s.Top == 0, len(keys) == 0 && !isJSON(prefix, m.Size):
		if e := strings.ToLower(path.Ext(m.Name)); e == ".json" || e == ".jsonl" {
			return "damaged: its name says that it is JSON, and it is " + other(prefix, m.Size), damaged, nil
		}
		return other(prefix, m.Size), sound, nil
	case s.Top == '[' && len(s.Objects) == 0:
		return "a JSON list without objects", sound, nil
	}
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
	if len(shown) == 0 {
		return kind + " of an unknown form", sound, nil
	}
	return kind + " with unknown keys (" + strings.Join(shown, ", ") + ")", sound, nil
}

// breaksOff tells whether the whole of a file is the beginning of a JSON list or object.
func breaksOff(prefix []byte, size int64) bool {
	text := bytes.TrimRight(importer.HeadUTF8(prefix), " \t\r\n")
	if int64(len(prefix)) < size || len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	_, err := jsonscan.Parse(text, 0)
	var syn *jsonscan.SyntaxError
	return errors.As(err, &syn) && syn.Err == nil && syn.Offset >= len(text)
}

// isJSON tells whether the first bytes of a file may begin a JSON text: text may begin with a
// bracket, too.
func isJSON(prefix []byte, size int64) bool {
	head := importer.HeadUTF8(prefix)
	_, err := jsonscan.Parse(head, 0)
	var syn *jsonscan.SyntaxError
	if !errors.As(err, &syn) {
		return true
	}
	// What ends too early broke off; what breaks before its end is none.
	return syn.Offset >= len(bytes.TrimRight(head, " \t\r\n")) || int64(len(prefix)) < size && syn.Offset > len(head)-utf8.UTFMax
}

// other says what a file is that is neither JSON nor markup.
func other(prefix []byte, n int64) string {
	if format := importer.FormatOf(prefix); format != "" {
		return fmt.Sprintf("%s (%s)", format, size(n))
	}
	if manual.Reads(prefix, n) {
		return fmt.Sprintf("plain text (%s), which --provider manual reads", size(n))
	}
	if importer.IsText(prefix, n >= 0 && int64(len(prefix)) >= n) {
		return fmt.Sprintf("text that begins like JSON or markup, and is neither (%s)", size(n))
	}
	return fmt.Sprintf("not JSON, not markup and not text (%s)", size(n))
}

func size(n int64) string {
	if n < 0 {
		return "size unknown"
	}
	return fmt.Sprintf("%d bytes", n)
}
