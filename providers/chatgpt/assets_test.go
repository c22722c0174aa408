package chatgpt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/chatgpt"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: chatgpt.New()}

// element is a conversation of one message of the assistant, with a content and metadata.
func element(content, metadata string) string {
	return `{"conversation_id":"c1","id":"c1","title":"T","create_time":1700000000,"mapping":{"m":{"id":"m","message":{"id":"m","author":{"role":"assistant"},"create_time":1700000001,"content":` +
		content + `,"metadata":` + metadata + `},"parent":null,"children":[]}},"current_node":"m"}`
}

func textOf(s string) string {
	return `{"content_type":"text","parts":[` + string(pamio.AppendString(nil, s)) + `]}`
}

func image(pointer string) string {
	return `{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"` + pointer + `","size_bytes":9}]}`
}

// refs reads an archive with one conversation and gives the names of the files that its message
// refers to, in order; "?" for an attachment without one.
func refs(t *testing.T, raw string, files ...string) (out []string, s *importer.Snapshot) {
	t.Helper()
	all := []importertest.File{{Name: "conversations.json", Data: []byte("[" + raw + "]")}}
	for i := 0; i < len(files); i += 2 {
		all = append(all, importertest.File{Name: files[i], Data: []byte(files[i+1])})
	}
	r := format.Read(t, all...)
	format.Check(t, r)
	if len(r.Conversations()) != 1 {
		t.Fatalf("%d conversations", len(r.Conversations()))
	}
	s = r.Conversations()[0]
	for _, a := range s.Doc.Messages[0].Attachments {
		name := "?"
		if index, ok := importer.ParseMemberRef(a.Ref); ok {
			name = all[index].Name
			if !slices.ContainsFunc(r.Claim.Members, func(m importer.ClaimedMember) bool {
				return m.Member.Index == index && m.Role == importer.RoleAsset
			}) {
				t.Errorf("%s is referred to and no asset", name)
			}
		}
		out = append(out, name)
	}
	return out, s
}

// Case 31 of the reference SDK's failures: the first match of an unsorted glob, ids with glob
// characters, names with another ending than expected, and pointers with a fragment.
func TestFilesAreFoundByTheirIDs(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		files     []string
		want      string
	}{
		{"an upload at the root", element(textOf("x"), `{"attachments":[{"id":"file-abc123","name":"kite.pdf"}]}`), []string{"file-abc123-kite.pdf", "x"}, "file-abc123-kite.pdf"},
		{"an ending behind the id", element(image("file-service://file-abc123"), `{}`), []string{"file-abc123.png", "x"}, "file-abc123.png"},
		{"a .dat", element(image("sediment://file_00aa11"), `{}`), []string{"file_00aa11.dat", "x"}, "file_00aa11.dat"},
		{"a fragment", element(image("sediment://file_00aa11#file_zz#p_1.jpg"), `{}`), []string{"user-me/file_00aa11-5b1a.png", "x"}, "user-me/file_00aa11-5b1a.png"},
		{"a folder of generations", element(image("file-service://file-abc123"), `{}`), []string{"dalle-generations/file-abc123-77.webp", "x"}, "dalle-generations/file-abc123-77.webp"},
		{"a recording", element(image("sediment://file_00aa11"), `{}`), []string{"c1/audio/file_00aa11-x.wav", "x"}, "c1/audio/file_00aa11-x.wav"},
		{"an id that another one begins with", element(image("file-service://file-abc"), `{}`), []string{"file-abc123-x.png", "x", "file-abcd.png", "y"}, "?"},
		{"glob characters", element(image("file-service://file-*"), `{}`), []string{"file-abc123-x.png", "x"}, "?"},
		{"brackets", element(image("file-service://file-[a]bc"), `{}`), []string{"file-abc.png", "x"}, "?"},
		{"of several the shortest name, in whatever order", element(image("file-service://file-abc123"), `{}`), []string{"file-abc123-zz.png", "x", "file-abc123-a.png", "y", "file-abc123.png", "z"}, "file-abc123.png"},
		{"of equally long ones the first by name", element(image("file-service://file-abc123"), `{}`), []string{"file-abc123-b.png", "x", "file-abc123-a.png", "y"}, "file-abc123-a.png"},
		{"the list of names before a like name", element(image("sediment://file_00aa11"), `{}`), []string{"file_00aa11", "x", "file_00aa11.dat", "y", "conversation_asset_file_names.json", `{"file_00aa11.dat":"kite.png"}`}, "file_00aa11.dat"},
		{"a library id", element(textOf("x"), `{"attachments":[{"id":"libfile_7","name":"kite.csv"}]}`), []string{"file_00bb22.dat", "x", "library_files.json", `[{"id":{"id":"libfile_7"},"file_id":"file_00bb22","file_name":"kite.csv","mime_type":"text/csv"}]`}, "file_00bb22.dat"},
		{"a library id beside the id", element(textOf("x"), `{"attachments":[{"id":"file_gone","library_file_id":"libfile_7","name":"kite.csv"}]}`), []string{"file_00bb22.dat", "x", "library_files.json", `[{"id":{"id":"libfile_7"},"file_id":"file_00bb22","file_name":"kite.csv"}]`}, "file_00bb22.dat"},
		{"the table of the page", element(image("sediment://file_00aa11"), `{}`), []string{"some/odd name.png", "x", "chat.html", "<script>\n  var jsonData = [\"var assetsJson = {\\\"sediment://file_00aa11\\\": \\\"no.png\\\"}\"];\n  var assetsJson = {\"sediment://file_00aa11\": \"some/odd name.png\"};\n</script>"}, "some/odd name.png"},
		{"no file at all", element(image("sediment://file_00aa11"), `{}`), nil, "?"},
		{"an empty id", element(textOf("x"), `{"attachments":[{"id":"","name":"kite.pdf"}]}`), []string{"file-abc123-kite.pdf", "x"}, "?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, s := refs(t, c.raw, c.files...)
			if strings.Join(got, "|") != c.want {
				t.Errorf("refers to %q, want %q", got, c.want)
			}
			if missing := s.Anomalies[importer.AnomalyAssetMissing]; (missing == 1) != (c.want == "?") {
				t.Errorf("%d files are missing", missing)
			}
		})
	}
}

func TestAFileIsTakenFromTheSamePartOfADrop(t *testing.T) {
	part := func(text string) []byte {
		return importertest.Pack(t, importertest.File{Name: "conversations.json", Data: []byte("[" + strings.ReplaceAll(element(image("sediment://file_00aa11"), `{}`), "c1", text) + "]")},
			importertest.File{Name: "file_00aa11.dat", Data: []byte(text)})
	}
	r := importertest.ReadParts(t, chatgpt.New(), importer.Limits{}, part("x"), part("y"))
	for i, s := range r.Conversations() {
		index, _ := importer.ParseMemberRef(s.Doc.Messages[0].Attachments[0].Ref)
		if want := 2*i + 1; index != want {
			t.Errorf("conversation %d refers to member %d, want %d", i, index, want)
		}
	}
}

func TestANameIsPutWhereTheListHasOne(t *testing.T) {
	_, s := refs(t, element(image("sediment://file_00aa11"), `{}`), "file_00aa11.dat", "x", "conversation_asset_file_names.json", `{"file_00aa11.dat":"kite.png"}`)
	if a := s.Doc.Messages[0].Attachments[0]; a.Name != "kite.png" || a.ProviderID != "file_00aa11" || a.Type != "image" {
		t.Errorf("%+v", a)
	}
	_, s = refs(t, element(textOf("x"), `{"attachments":[{"id":"file_00aa11"}]}`), "file_00aa11.dat", "x", "conversation_asset_file_names.json", `{"file_00aa11.dat":"kite.png"}`)
	if a := s.Doc.Messages[0].Attachments[0]; a.Name != "" {
		t.Errorf("a name that Restore would write: %+v", a)
	}
}

func TestSandboxLinks(t *testing.T) {
	link := element(textOf("Here: [the table](sandbox:/mnt/data/kite%20table.csv) and [it](sandbox:/mnt/data/kite%20table.csv)."), `{}`)
	entry := func(id, name, message, thread string) string {
		return `{"id":{"id":"lib` + id + `"},"file_id":"` + id + `","file_name":"` + name + `","mime_type":"text/csv","origination_message_id":"` + message + `","origination_thread_id":"` + thread + `"}`
	}
	for _, c := range []struct {
		name, library, want string
		anomaly             string
	}{
		{"made in this message under this name", entry("file_1", "kite table.csv", "m", "c1") + "," + entry("file_2", "kite table.csv", "other", "c1"), "file_1.dat", ""},
		{"the only one made in this message", entry("file_1", "renamed.csv", "m", "c1"), "file_1.dat", ""},
		{"made in this conversation under this name", entry("file_1", "kite table.csv", "other", "c1") + "," + entry("file_2", "kite table.csv", "another", "c2"), "file_1.dat", ""},
		{"the only one of this name", entry("file_1", "kite table.csv", "other", "c2"), "file_1.dat", ""},
		{"several of this name", entry("file_1", "kite table.csv", "o", "c2") + "," + entry("file_2", "kite table.csv", "p", "c3"), "", "ambiguous_asset"},
		{"none of this name", entry("file_1", "rope.csv", "o", "c2"), "", importer.AnomalyAssetMissing},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, s := refs(t, link, "library_files.json", "["+c.library+"]", "file_1.dat", "a,b", "file_2.dat", "c,d")
			if strings.Join(got, "|") != c.want {
				t.Errorf("refers to %q, want %q", got, c.want)
			}
			if c.anomaly != "" && s.Anomalies[c.anomaly] != 1 {
				t.Errorf("anomalies %v, want %s", s.Anomalies, c.anomaly)
			}
			if c.anomaly == "ambiguous_asset" && !strings.Contains(string(s.Doc.RawMetadata), `"import_quirks":[{"message":"m","sandbox":"kite table.csv","candidates":["file_1","file_2"]}]`) {
				t.Errorf("the candidates are not noted: %s", s.Doc.RawMetadata)
			}
		})
	}
}

func TestUnknownFormsAreCounted(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		want      int
	}{
		{"known", element(textOf("x"), `{}`), 0},
		{"a key of the conversation", strings.Replace(element(textOf("x"), `{}`), `"title"`, `"brand_new":1,"title"`, 1), 1},
		{"a content type", element(`{"content_type":"hologram","text":"x"}`, `{}`), 1},
	} {
		if _, s := refs(t, c.raw); s.Anomalies[importer.AnomalyUnknownVariant] != c.want {
			t.Errorf("%s: anomalies %v", c.name, s.Anomalies)
		}
	}
}

func TestOddValuesWithFiles(t *testing.T) {
	files := append(ownFixtures(t), importertest.File{Name: "library_files.json", Data: []byte(`[{"id":{"id":"l"},"file_id":"file-K","file_name":"x"}]`)})
	f := importertest.Format{Importer: chatgpt.New(), Derived: func(d *pamio.Conversation) int {
		if len(d.RawMetadata) == 0 {
			return 0
		}
		raw, err := jsonscan.Parse(d.RawMetadata, 0)
		if err != nil {
			t.Fatal(err)
		}
		return len(raw.Root().Get("verbatim").Raw()) // what a document cannot hold comes on top
	}}
	f.Mutate(t, format.Read(t, files...), 25)
}
