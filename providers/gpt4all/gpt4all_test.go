package gpt4all_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/gpt4all"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: gpt4all.New(), NoInverse: true}

// file is a chat of a version, with what that version can have.
func file(version int32) importertest.File {
	id := fmt.Sprintf("0a1b2c3d-%04d", version)
	items := []item{
		{name: "System: ", value: "You bake."},
		{name: "Prompt: ", value: "How long does rye dough rise? 🍞", attachment: "PK\x03\x04 flour"},
		{name: "Response: ", value: "Four hours.", sources: true, subs: []part{
			{name: "Response: ", subs: []part{{name: "Text: ", value: "Let me see."}, {name: "Think: ", value: "It is cool."}}},
			{name: "Response: ", subs: []part{{name: "ToolCall: ", value: "1+1"}}},
			{name: "ToolResponse: ", value: "2"},
		}},
		{name: "Prompt: ", value: ""},
	}
	return importertest.File{Name: "nomic.ai/GPT4All/gpt4all-" + id + ".chat", Data: newChat(version, id, "Rye", true).items(items...)}
}

func files() []importertest.File {
	var out []importertest.File
	for v := int32(1); v <= 12; v++ {
		out = append(out, file(v))
	}
	return out
}

func read(t testing.TB, files ...importertest.File) *importertest.Result {
	t.Helper()
	return format.Read(t, files...)
}

func TestChatsOfEveryVersion(t *testing.T) {
	r := read(t, append(files(), importertest.File{Name: "gpt4all-old.chat", Data: []byte("\x00\x00\x00\x00\x66")})...)
	format.Check(t, r)
	if c, q := len(r.Conversations()), len(r.Quarantined()); c != 12 || q != 0 {
		t.Fatalf("%d conversations, %d quarantined; want 12 and 0", c, q)
	}
	if len(r.Claim.Refused) != 1 || !strings.Contains(r.Claim.Refused[0].Reason, "before its files had a version") {
		t.Errorf("refused: %+v", r.Claim.Refused)
	}
	if r.Skips()["model_state"] != 10 {
		t.Errorf("%d states of models are counted, want those of versions 1 to 10", r.Skips()["model_state"])
	}
	for i, s := range r.Conversations() {
		d := s.Doc
		if d.Provider.ExportFormatVersion != fmt.Sprintf("chat-%d", i+1) || *d.Title != "Rye" || d.Model != "rye-14b.gguf" || d.Temporal.CreatedAt != "2024-06-01T13:05:00Z" {
			t.Errorf("version %d: %s %q %s %s", i+1, d.Provider.ExportFormatVersion, *d.Title, d.Model, d.Temporal.CreatedAt)
		}
		m := d.Messages
		if m[0].Role != "system" || *m[1].Content.Text != "How long does rye dough rise? 🍞" || *m[len(m)-2].Content.Text != "Four hours." || *m[len(m)-1].Content.Text != "" {
			t.Errorf("version %d: messages are not those of the file", i+1)
		}
	}
	importertest.Documents(t, "testdata/documents.golden", r)
	format.Coverage(t, "testdata/coverage.golden", r)
}

func TestPartsOfAnAnswerAreThoughtsCallsAndResults(t *testing.T) {
	s := read(t, file(12)).Conversations()[0]
	var got []string
	for _, m := range s.Doc.Messages {
		kind, text := m.Role, ""
		if m.IsThought {
			kind = "thought"
		}
		if m.Content != nil && m.Content.Text != nil {
			text = *m.Content.Text
		}
		got = append(got, m.ID+" "+kind+" "+text)
	}
	want := []string{
		"m0 system You bake.", "m1 user How long does rye dough rise? 🍞", "m2#0 assistant Let me see.", "m2#1 thought It is cool.", "m2#2 assistant ",
		"m2#3 tool 2", "m2 assistant Four hours.", "m3 user ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("messages are %q, want %q", got, want)
	}
	if c := s.Doc.Messages[4].ToolCalls; len(c) != 1 || c[0].Name != "javascript_interpret" || string(c[0].Input) != `"1+1"` {
		t.Errorf("tool calls are %+v", c)
	}
	if c := s.Doc.Messages[6].Citations; len(c) != 2 || c[0] != (pamio.Citation{Title: "rye.txt", Snippet: "Rye rises slowly."}) || c[1].Title != "Bread" {
		t.Errorf("citations are %+v", c)
	}
	if a := s.Doc.Messages[1].Attachments; len(a) != 1 || a[0].Name != "flour.xlsx" || len(s.Assets) != 1 || a[0].Ref != s.Assets[0].Ref || string(s.Assets[0].Data) != "PK\x03\x04 flour" {
		t.Errorf("attachments are %+v", a)
	}
	if strings.Contains(string(s.Doc.AppendJSON(nil)), "UEsDBCBmbG91cg") {
		t.Error("the file is in the document as well as beside it")
	}
}

// The rules of ids are frozen.
func TestIDsNeverChange(t *testing.T) {
	for v, want := range map[int32]string{1: "7d737ec2-887f-5fc5-9d9e-90e0553f27fa", 12: "05473b00-90ea-54cf-9574-266c549adb25"} {
		if d := read(t, file(v)).Conversations()[0].Doc; d.ID != want {
			t.Errorf("%d has the id %s, want %s", v, d.ID, want)
		}
	}
}

func TestAnUnknownVersionIsNamed(t *testing.T) {
	for _, v := range []int32{0, -1, 13, 1 << 30} {
		f := file(12)
		binary.BigEndian.PutUint32(f.Data[4:], uint32(v))
		r := read(t, f, importertest.File{Name: "b.chat", Data: file(5).Data})
		q := r.Quarantined()
		if len(q) != 1 || q[0].Code != "unknown_version" || !strings.Contains(q[0].Reason, fmt.Sprintf("version %d;", v)) || len(r.Conversations()) != 1 {
			t.Errorf("version %d: quarantined: %+v", v, q)
		}
	}
}

func TestEveryWayToCutAFileShortIsQuarantined(t *testing.T) {
	for _, v := range []int32{1, 7, 10, 12} {
		whole := file(v).Data
		for n := 4; n < len(whole); n += 11 {
			u := split(t, whole[:n])
			if u.Err == nil || u.Err.Code != "truncated" || u.Err.Offset > int64(n) {
				t.Fatalf("version %d cut at %d of %d: %+v", v, n, len(whole), u.Err)
			}
		}
	}
}

// split gives the only unit of a file.
func split(t testing.TB, data []byte) importer.Unit {
	t.Helper()
	r := read(t, importertest.File{Name: "x.chat", Data: data})
	if len(r.Units) != 1 {
		t.Fatalf("%d units, want 1", len(r.Units))
	}
	return r.Units[0].Unit
}

func TestHostileLengthsAreRefusedAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		code string
	}{
		"a text of four gigabytes": {func() []byte {
			w := &writer{}
			w.u32(0xF5D553CC)
			w.i32(12)
			w.i64(1)
			w.u32(0xFFFFFFFD)
			return w.b
		}(), "truncated"},
		"a negative number of items": {func() []byte { w := newChat(12, "a", "b", false); w.i32(-1); return w.b }(), "syntax"},
		"items without end":          {func() []byte { w := newChat(12, "a", "b", false); w.i32(1 << 30); return w.b }(), "truncated"},
		"tokens without end":         {bytes.Replace(newChat(10, "a", "b", true).b, binary.BigEndian.AppendUint64(nil, 5), bytes.Repeat([]byte{0x7f}, 8), 1), "truncated"},
		"an odd number of bytes": {func() []byte {
			w := &writer{}
			w.u32(0xF5D553CC)
			w.i32(12)
			w.i64(1)
			w.array("odd")
			w.b = append(w.b, make([]byte, 64)...)
			return w.b
		}(), "syntax"},
		"parts nested without end": {func() []byte {
			p := part{name: "Text: "}
			for range 100 {
				p = part{name: "Text: ", subs: []part{p}}
			}
			return newChat(12, "a", "b", false).items(item{name: "Response: ", subs: []part{p}})
		}(), "syntax"},
		"a part of an unknown kind": {newChat(12, "a", "b", false).items(item{name: "Response: ", subs: []part{{name: "Hologram: "}}}), "syntax"},
	} {
		t.Run(name, func(t *testing.T) {
			if u := split(t, c.data); u.Err == nil || u.Err.Code != c.code {
				t.Errorf("%+v, want %s", u.Err, c.code)
			}
		})
	}
	r := importertest.Read(t, gpt4all.New(), importer.Limits{MaxConversation: 600}, file(12))
	if q := r.Quarantined(); len(q) != 1 || q[0].Code != "too_big" {
		t.Errorf("over the limit: %+v", q)
	}
}

func TestTextsThatAreNoUnicodeAndBytesBehindTheEndAreKept(t *testing.T) {
	w := newChat(12, "a", "b", false)
	data := append(w.items(item{name: "Prompt: ", value: "XY"}), 1, 2, 3)
	data = bytes.Replace(data, []byte("\x00X\x00Y"), []byte("\xd8\x3d\x00Y"), 1)
	r := read(t, importertest.File{Name: "x.chat", Data: data})
	format.Check(t, r)
	s := r.Conversations()[0]
	if s.Anomalies["lone_surrogate"] != 1 || s.Anomalies["bytes_behind_the_end"] != 1 || *s.Doc.Messages[0].Content.Text != "\ufffdY" {
		t.Errorf("anomalies are %v", s.Anomalies)
	}
}

func TestOddValuesOfGPT4All(t *testing.T) { format.Mutate(t, read(t, files()...), 100) }

func TestForeignFilesAreNotClaimed(t *testing.T) {
	for _, in := range []string{"", "{}", "SQLite format 3\x00", "\xf5\xd5\x53"} {
		if r := read(t, importertest.File{Name: "a.chat", Data: []byte(in)}); len(r.Claim.Members)+len(r.Claim.Refused) != 0 {
			t.Errorf("%q is claimed or refused", in)
		}
	}
}

func FuzzFile(f *testing.F) {
	for v := int32(1); v <= 12; v++ {
		f.Add(file(v).Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		format.Check(t, importertest.Read(t, gpt4all.New(), importer.Limits{MaxConversation: 1 << 16, MaxDepth: 128},
			importertest.File{Name: "x.chat", Data: append([]byte{0xF5, 0xD5, 0x53, 0xCC}, data...)}))
	})
}

func FuzzChat(f *testing.F) {
	f.Add(split(f, file(12).Data).Raw)
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "chat"}, raw) })
}
