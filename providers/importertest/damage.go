package importertest

import (
	"slices"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// Fuzz holds the promises of a unit for any bytes.
func (f Format) Fuzz(t *testing.T, template importer.Unit, raw []byte) {
	t.Helper()
	u := template
	u.Raw = raw
	u.Limits = importer.Limits{MaxConversation: 1 << 20, MaxDepth: 64, Scratch: u.Limits.Scratch}
	if err := f.sound(decode(t, f.Importer, u), perMessage); err != nil {
		t.Fatal(err)
	}
}

// Damage reads an archive of a file with JSON elements again and again, each time with one of them
// broken in another way, and holds that every other conversation is read as before and the broken
// unit is quarantined or kept whole. file is the index of the file whose elements are broken.
func (f Format) Damage(t *testing.T, files []File, file int, ways ...Damage) {
	t.Helper()
	whole := Read(t, f.Importer, importer.Limits{}, files...)
	for _, way := range ways {
		t.Run(way.Name, func(t *testing.T) {
			broken := slices.Clone(files)
			broken[file].Data = way.Change(t, files[file].Data)
			got := Read(t, f.Importer, importer.Limits{}, broken...)
			f.Check(t, got)
			want := map[string]string{}
			for _, s := range whole.Conversations() {
				want[s.Doc.ID] = string(s.Doc.AppendJSON(nil))
			}
			same := 0
			for _, s := range got.Conversations() {
				if want[s.Doc.ID] == string(s.Doc.AppendJSON(nil)) {
					same++
				}
			}
			if same < len(want)-way.Lost {
				t.Errorf("of %d conversations %d are as before, want at least %d", len(want), same, len(want)-way.Lost)
			}
			bad := got.Quarantined()
			if len(bad) < way.Quarantined {
				t.Errorf("%d units are quarantined, want at least %d", len(bad), way.Quarantined)
			}
			for _, b := range bad {
				if b.Member == "" || b.Code == "" || b.Reason == "" || b.Offset < 0 {
					t.Errorf("a quarantined unit is not located: %+v", *b)
				}
			}
		})
	}
}

// Damage is one way to break a file.
type Damage struct {
	Name        string
	Change      func(t testing.TB, data []byte) []byte
	Lost        int // conversations that may be gone or other than before
	Quarantined int // units that must be quarantined
}

// JSONDamages are the ways to break a JSON list of at least three elements: the middle one becomes
// null, a number, an object of nothing, text that is not JSON; it comes twice; it has a lone
// surrogate or a byte that is not UTF-8; the file ends inside the last one; it is in UTF-16; a mark
// of the byte order stands before it.
func JSONDamages() []Damage {
	middle := func(change func(raw []byte) []byte) func(testing.TB, []byte) []byte {
		return func(t testing.TB, data []byte) []byte {
			t.Helper()
			doc, err := jsonscan.Parse(data, 0)
			if err != nil || doc.Root().Kind() != jsonscan.Array || doc.Root().Len() < 3 {
				t.Fatal("the file is no JSON list of three elements")
			}
			i := 0
			for v := range doc.Root().Items() {
				if i == doc.Root().Len()/2 {
					return slices.Concat(data[:v.Offset()], change(v.Raw()), data[v.Offset()+len(v.Raw()):])
				}
				i++
			}
			return nil
		}
	}
	text := func(s string) func([]byte) []byte { return func([]byte) []byte { return []byte(s) } }
	insert := func(s string) func([]byte) []byte {
		return func(raw []byte) []byte { return slices.Concat([]byte("{"), []byte(s), raw[1:]) }
	}
	return []Damage{
		{"null where an object should be", middle(text("null")), 1, 1},
		{"a number where an object should be", middle(text("17")), 1, 1},
		{"an object of nothing", middle(text("{}")), 1, 1},
		{"text that is not JSON", middle(text(`{"a":nul,"b":[}`)), 1, 1},
		{"a bracket that is not closed", middle(text(`{"a":[`)), 1, 1},
		{"twice", middle(func(raw []byte) []byte { return slices.Concat(raw, []byte(","), raw) }), 0, 0},
		{"a lone surrogate", middle(insert(`"odd":"\ud800",`)), 1, 0},
		{"a byte that is not UTF-8", middle(insert("\"odd\":\"\xff\",")), 1, 0},
		{"a key twice", middle(insert(`"odd":1,"odd":2,`)), 1, 0},
		{"the end is missing", func(_ testing.TB, data []byte) []byte { return data[:len(data)-len(data)/20-3] }, 1, 1},
		{"UTF-16 with a byte order mark", func(t testing.TB, data []byte) []byte { return utf16(t, data, true) }, 0, 0},
		{"UTF-16 without one", func(t testing.TB, data []byte) []byte { return utf16(t, data, false) }, 0, 0},
		{"a byte order mark", func(_ testing.TB, data []byte) []byte { return append([]byte("\xef\xbb\xbf"), data...) }, 0, 0},
	}
}

// utf16 writes a text in UTF-16. Lone surrogates are no matter: JSON escapes them.
func utf16(t testing.TB, data []byte, mark bool) []byte {
	t.Helper()
	e := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	if mark {
		e = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	out, err := e.NewEncoder().Bytes(data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
