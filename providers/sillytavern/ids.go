package sillytavern

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// The rules that make ids. They are frozen: a better reader never renames what an older one made.
// SillyTavern gives no ids but, lately, one to a chat.

// name gives the conversation its id: the character and the time at which the chat was begun;
// without them, as newer files are, the id that the chat has for its integrity; without it, as in
// older group chats, speaker and date of the first message. A branch of a chat that shares these is
// the same conversation with another end.
func name(b *lossless.Builder) {
	header := b.Root().Get("header")
	character, created := header.Get("character_name"), header.Get("create_date")
	integrity := header.Get("chat_metadata").Get("integrity")
	var first jsonscan.Node
	for m := range b.Root().Get("messages").Items() {
		first = m
		break
	}
	switch {
	case character.Str() != "" && importer.Lexeme(created) != "":
		b.DerivedID(localapp.Space(app), "created\x00"+character.Str()+"\x00"+importer.Lexeme(created))
	case integrity.Str() != "":
		b.DerivedID(localapp.Space(app), "integrity\x00"+integrity.Str())
	case importer.Lexeme(firstDate(first)) != "":
		b.DerivedID(localapp.Space(app), "first\x00"+first.Get("name").Str()+"\x00"+importer.Lexeme(firstDate(first)))
	default:
		b.IDIn(localapp.Space(app), "") // the digest of all of it
	}
}

// firstDate is the date of a message's first version.
func firstDate(m jsonscan.Node) jsonscan.Node {
	for info := range m.Get("swipe_info").Items() {
		if d := info.Get("send_date"); importer.Lexeme(d) != "" {
			return d
		}
		break
	}
	return m.Get("send_date")
}

// namer gives messages their ids: a digest of speaker and date of the first version, and a number
// for the second and later ones that share them. So a message keeps its id when its text is
// changed, when others are deleted, and in a branch.
type namer map[string]int

func (n namer) message(m jsonscan.Node) string {
	sum := sha256.Sum256([]byte(m.Get("name").Str() + "\x00" + importer.Lexeme(firstDate(m))))
	id := hex.EncodeToString(sum[:6])
	n[id]++
	if n[id] > 1 {
		id += "-" + strconv.Itoa(n[id])
	}
	return id
}

// swipe is the id of the i-th version of a message; the first one has the message's own.
func swipe(message string, i int) string {
	if i == 0 {
		return message
	}
	return message + ".s" + strconv.Itoa(i)
}
