package assemble

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/pamline/pamline/normalize"
)

func FuzzParseFolded(f *testing.F) {
	f.Add([]byte(`{"conversation":"c","key":"k","ref":"r","snapshots":1,"platform":"chatgpt","created_at":"t","messages":2}`))
	f.Add([]byte(`{"title":"\ud800","tags":["a"],"conflicts":3}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		v, err := ParseFolded(line)
		if err != nil {
			return
		}
		once := v.AppendJSON(nil)
		again, err := ParseFolded(once)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.AppendJSON(nil), once) {
			t.Errorf("%s comes back as %s", once, again.AppendJSON(nil))
		}
	})
}

// Whatever a scratch file has become, reading it ends in an error or a value.
func FuzzUnpack(f *testing.F) {
	f.Add((&Snapshot{Conversation: "c", Tags: []string{"a"}}).pack(nil))
	f.Add((&entry{position: 1}).pack(nil))
	f.Add((&sighting{memory: "m"}).pack(nil))
	f.Add((&facts{typ: "fact", edit: lastEdit{action: EditAdd}}).pack(nil, true))
	f.Add((&verdict{status: active}).pack(nil))
	f.Fuzz(func(t *testing.T, record []byte) {
		for _, read := range []func(*unpacker){
			func(u *unpacker) { u.snapshot() }, func(u *unpacker) { u.entry() }, func(u *unpacker) { u.sighting() },
			func(u *unpacker) { u.facts(new(facts)) }, func(u *unpacker) { u.verdict() },
		} {
			u := unpacker{left: record}
			read(&u)
			if u.err == nil && len(u.left) > len(record) {
				t.Error("there is more than was given")
			}
		}
	})
}

// What a value is asked for under has fewer words, all of them its own, and there are few of them.
func FuzzParts(f *testing.F) {
	f.Add("tea with milk")
	f.Add("one two three four five six seven eight one two three four five six seven eight")
	f.Fuzz(func(t *testing.T, value string) {
		words := strings.Fields(value)
		found := parts(words)
		if len(found) > 58 {
			t.Errorf("%d parts of %q", len(found), value)
		}
		for _, p := range found {
			if !contains(value, p) || p == "" {
				t.Errorf("%q is a part of %q", p, value)
			}
		}
	})
}

// What is found to be a part of a record of any bytes is in it.
func FuzzSplitTarget(f *testing.F) {
	f.Add(append(attributeKey([]byte{takenBack}, "name", false), make([]byte, whenSize+1)...))
	f.Add(append(valueKey([]byte{endedAt}, &normalize.Slot{Attribute: "likes", Value: "tea"}, true), make([]byte, whenSize+1)...))
	f.Add(append(memoryIDKey([]byte{takenBack}, uuid.Nil), make([]byte, whenSize+1)...))
	f.Add(append(wordsKey([]byte{endedOnce}, 'w', "likes", "tea"), make([]byte, whenSize+1)...))
	f.Add(append(tupleString([]byte{endedAt, 'n'}, "anna"), make([]byte, whenSize+1)...))
	f.Fuzz(func(t *testing.T, key []byte) {
		what, time, rest, err := splitTarget(key)
		if err == nil && (len(what)+len(time)+len(rest) != len(key) || len(rest) == 0) {
			t.Errorf("%q is split into %q, %q, %q", key, what, time, rest)
		}
	})
}

func FuzzTupleOrder(f *testing.F) {
	f.Add("a", "b", "a\x00", "")
	f.Fuzz(func(t *testing.T, a1, a2, b1, b2 string) {
		want := slices.Compare([]string{a1, a2}, []string{b1, b2})
		a, b := tupleString(tupleString(nil, a1), a2), tupleString(tupleString(nil, b1), b2)
		if got := bytes.Compare(a, b); got != want {
			t.Errorf("%q, %q and %q, %q compare as %d, want %d", a1, a2, b1, b2, got, want)
		}
	})
}

func FuzzLanguage(f *testing.F) {
	f.Add("zh-Hans-CN")
	f.Fuzz(func(t *testing.T, s string) {
		if isLanguage(s) && (!utf8.ValidString(s) || len(s) > len("aaa-Aaaa-AA") || len(s) < 2) {
			t.Errorf("%q is a language", s)
		}
	})
}
