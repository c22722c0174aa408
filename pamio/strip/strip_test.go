package strip

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// fill puts a text of its own into each string of a value: the path of the string.
func fill(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), path)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[pamio.RawJSON]() {
			v.Set(reflect.ValueOf(pamio.RawJSON(fmt.Sprintf(`{"x":%q}`, path))))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), path)
	case reflect.String:
		v.SetString(path)
		if strings.HasSuffix(path, "Citations.URL") {
			v.SetString("https://" + path)
		}
	}
}

// left are the paths whose text is still there.
func left(v reflect.Value, path string) (all []string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return left(v.Elem(), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, left(v.Field(i), path+"."+v.Type().Field(i).Name)...)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[pamio.RawJSON]() {
			if strings.Contains(string(v.Bytes()), path) {
				return []string{path}
			}
			return nil
		}
		for i := range v.Len() {
			all = append(all, left(v.Index(i), path)...)
		}
	case reflect.String:
		if strings.Contains(v.String(), path) {
			return []string{path}
		}
	}
	return all
}

func TestOnlyListedMembersStay(t *testing.T) {
	s := New([]byte("key"))
	cases := []struct {
		name  string
		strip func() any
		stay  []string
	}{
		{"header", func() any { var h pamio.Header; fillAll(&h); out := s.Header(h); return &out },
			[]string{"SpecURI", "ExportedBy", "ExportDate", "ExportType", "Since", "TypeRegistry"}},
		{"memory", func() any { var m pamio.Memory; fillAll(&m); return s.Memory(&m) },
			[]string{"Type", "CustomType", "Status", "Content", "ContentHash", "Summary", "Tags", "Confidence.DecayModel", "Confidence.LastReinforced",
				"Temporal.CreatedAt", "Temporal.UpdatedAt", "Temporal.ValidFrom", "Temporal.ValidUntil",
				"Provenance.Platform", "Provenance.ExtractionMethod", "Provenance.ExtractedAt", "Provenance.Extractor", "Access.Visibility"}},
		{"relation", func() any { var r pamio.Relation; fillAll(&r); return s.Relation(&r) }, []string{"Type", "CreatedAt"}},
		{"index entry", func() any { var e pamio.IndexEntry; fillAll(&e); return s.IndexEntry(&e, true) },
			[]string{"Platform", "Title", "Temporal.CreatedAt", "Temporal.UpdatedAt", "Tags"}},
		{"embedding", func() any { var e pamio.Embedding; fillAll(&e); return s.Embedding(&e) }, []string{"Model", "CreatedAt"}},
		{"conversation", func() any {
			var c pamio.Conversation
			fillAll(&c)
			return s.Conversation(&c, func(string) string { return "assets/new" })
		}, []string{"Provider.Name", "Provider.ExportFormatVersion", "Title", "Temporal.CreatedAt", "Temporal.UpdatedAt", "Participants.Role",
			"Messages.Role", "Messages.Content.Type", "Messages.Content.Text", "Messages.Content.Parts.Type", "Messages.Content.Parts.Text",
			"Messages.Content.Parts.Language", "Messages.Content.Parts.MimeType", "Messages.CreatedAt", "Messages.Model",
			"Messages.Attachments.Type", "Messages.Attachments.MimeType", "Messages.Citations.Title", "Messages.Citations.URL", "Messages.Citations.Snippet",
			"Messages.ToolCalls.Name", "Messages.ToolCalls.Input", "Messages.ToolCalls.Output",
			"Model", "SystemInstruction", "Tags", "Import.Importer", "Import.ImporterVersion", "Import.ImportedAt"}},
	}
	for _, c := range cases {
		var want []string
		for _, path := range c.stay {
			want = append(want, "PATH."+path)
		}
		if got := left(reflect.ValueOf(c.strip()), "PATH"); !slices.Equal(got, want) {
			t.Errorf("%s: these members stay:\n%q, want\n%q", c.name, got, want)
		}
	}
}

func fillAll(v any) { fill(reflect.ValueOf(v).Elem(), "PATH") }

func TestStrippingLeavesItsArgumentAsItIs(t *testing.T) {
	var c pamio.Conversation
	fillAll(&c)
	before := string(c.AppendJSON(nil))
	New([]byte("key")).Conversation(&c, func(string) string { return "" })
	if got := string(c.AppendJSON(nil)); got != before {
		t.Errorf("the conversation became %s", got)
	}
}
