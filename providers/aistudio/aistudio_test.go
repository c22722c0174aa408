package aistudio_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/aistudio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: aistudio.New()}

// png is an image of one pixel.
var png, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

const runSettings = `"runSettings":{"temperature":1.0,"model":"models/gemini-2.5-pro","topP":0.95,"topK":64,"maxOutputTokens":65536,"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"OFF"}],"responseMimeType":"text/plain","enableCodeExecution":true,"enableSearchAsATool":true,"thinkingBudget":-1}`

// more makes a text as long as those of people and models are.
var more = strings.Repeat(" This is said at length, for what a document has beside the words of a message counts for little when there are more of them.", 12)

// prompt is a file as AI Studio keeps it: no ids, hardly a time, a thought, code, sources, files
// and a draft.
var prompt = `{` + runSettings + `,"systemInstruction":{"parts":[{"text":"Answer briefly."}]},"chunkedPrompt":{"chunks":[
	{"text":"What is 2+2? See the picture.` + more + `","role":"user","tokenCount":9,"createTime":"2025-08-14T20:13:51.123Z"},
	{"driveImage":{"id":"1AbC"},"role":"user","tokenCount":258},
	{"driveDocument":{"id":"1Doc","name":"tea.pdf","mimeType":"application/pdf","sizeBytes":"2048"},"role":"user"},
	{"inlineFile":{"mimeType":"text/plain","data":"aGVsbG8="},"role":"user","youtubeVideo":{"id":"dQw4"},"videoMetadata":{"fps":1}},
	{"text":"I add the numbers, at length.` + more + `","role":"model","isThought":true,"thinkingBudget":-1,"thoughtSignatures":["c2ln"],"parts":[{"text":"I add the ","thought":true},{"text":"numbers.","thought":true,"thoughtSignature":"c2ln"}]},
	{"role":"model","parts":[{"text":"Let me see.` + more + `"},{"executableCode":{"language":"PYTHON","code":"print(2+2)"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"4\n"}},{"text":"It is 4.` + more + `"}],"tokenCount":12,"finishReason":"STOP"},
	{"role":"model","parts":[{"text":"a thought in parts` + more + `","thought":true},{"text":"an answer in parts` + more + `"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]},
	{"text":"Sources say so.` + more + `","role":"model","finishReason":"STOP","isEdited":true,"grounding":{"corroborationSegments":[{"segmentText":"say"}],"groundingSources":[{"referenceNumber":1,"title":"Tea","uri":"https://tea.example/"},{"referenceNumber":2,"uri":"tea"}],"webSearchQueries":["tea"]}},
	{"text":"","role":"model","errorMessage":"Internal error","branchParent":{"promptId":"prompts/other","displayName":"Other"}},
	{"text":"4","role":"wizard","newKey":1}
	],"pendingInputs":[{"text":"and 3+3?","role":"user"}]},"pendingInputs":[{"text":"","role":"user"}],"citations":[{"uri":"https://tea.example/","text":"quoted"}],"applets":[]}`

var session = `{"id":"s-1","displayName":"Versions","title":"Version","createTime":"2025-02-01T13:00:00Z","updateTime":"2025-02-01T13:00:40Z","systemInstruction":{"text":"Be kind."},"chunkedPrompt":{"chunks":[
	{"id":"u1","role":"user","createTime":"2025-02-01T13:00:02Z","text":"Question` + more + `"},
	{"id":"a1","role":"model","createTime":"2025-02-01T13:00:08Z","text":"First` + more + `","branchParent":{"id":"u1"},"branchChildren":[{"id":"a2"}]},
	{"id":"a2","role":"model","createTime":"2025-02-01T13:00:12.500Z","text":"Second` + more + `","branchParent":{"id":"u1"},"grounding":{"groundingChunks":[{"web":{"uri":"https://tea.example/a","title":"Tea"}}]}},
	{"id":"c1","role":"model","executableCode":{"language":"PYTHON","code":"1"}},
	{"id":"c2","role":"model","codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},
	{"id":"c3","role":"model","text":"One.","executableCode":{"language":"PYTHON","code":"1"},"codeExecutionResult":{"outcome":"OUTCOME_FAILED","output":"no"}}
	]}}`

var imagen = `{"runSettings":{"model":"models/imagen-3.0-generate-002"},"imagenPrompt":{"prompt":"a red door","imagenTurns":[
	{"prompt":"a door` + more + `","generatedImages":[{"image":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"driveImage":{"id":"1Im"}}]},
	{"prompt":"a red door","generatedImages":[]}]}}`

const list = `[{"text":"Hello","role":"user","tokenCount":1},{"text":"thinking","role":"model","isThought":true},{"text":"Hi.","role":"model","finishReason":"STOP"}]`

const unsent = `{` + runSettings + `,"systemInstruction":{},"pendingInputs":[{"text":"never sent"}]}`

const settingsOnly = `{"runSettings":{"model":"models/gemini-pro"},"systemInstruction":{},"someNewPrompt":{"text":"?"}}`

func at(name string) string { return "Takeout/Drive/Google AI Studio/" + name }

func archiveFiles() []importertest.File {
	return []importertest.File{
		{Name: at("What is té?"), Data: []byte(prompt)},
		{Name: at("Versions.json"), Data: []byte(session)},
		{Name: at("Doors"), Data: []byte(imagen)},
		{Name: at("Old (1)"), Data: []byte(list)},
		{Name: at("Unsent"), Data: append([]byte("\ufeff"), unsent...)},
		{Name: at("Settings"), Data: []byte(settingsOnly)},
		{Name: at("tea.pdf"), Data: []byte("%PDF-1.4\n")},
		{Name: at("tea.png"), Data: png},
		{Name: at("applet_access_history.json"), Data: []byte(`{"applets":[{"id":"x"}]}`)},
		{Name: "Takeout/Drive/other.png", Data: png},
	}
}

func read(t testing.TB, files ...importertest.File) *importertest.Result {
	t.Helper()
	r := format.Read(t, files...)
	format.Check(t, r)
	return r
}

// said is a conversation as a person sees it.
func said(d *pamio.Conversation) []string {
	var out []string
	for _, m := range d.Messages {
		s := m.Role
		if m.IsThought {
			s += " thinks"
		}
		if m.Content != nil {
			if m.Content.Text != nil {
				s += " " + strings.TrimSuffix(*m.Content.Text, more)
			}
			for _, p := range m.Content.Parts {
				s += " | " + strings.TrimSuffix(*p.Text, more)
			}
		}
		for _, c := range m.ToolCalls {
			s += " " + c.Name + string(c.Input)
			if c.Output != nil {
				s += "=" + *c.Output
			}
		}
		for _, a := range m.Attachments {
			s += fmt.Sprintf(" [%s %s%s%s]", a.Type, a.ProviderID, a.MimeType, map[bool]string{true: " kept"}[a.Ref != ""])
		}
		for _, c := range m.Citations {
			s += " <" + c.URL + ">"
		}
		out = append(out, s)
	}
	return out
}

func want(t *testing.T, s *importer.Snapshot, lines ...string) {
	t.Helper()
	if got := said(s.Doc); !slices.Equal(got, lines) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

func TestEveryForm(t *testing.T) {
	r := read(t, archiveFiles()...)
	if len(r.Conversations()) != 6 || len(r.Quarantined()) != 0 {
		t.Fatalf("%d conversations, quarantined %v", len(r.Conversations()), r.Quarantined())
	}
	if len(r.Claim.Members) != 8 || len(r.Claim.Refused) != 1 || !strings.Contains(r.Claim.Refused[0].Reason, "applets") {
		t.Errorf("%d members are claimed, refused %v", len(r.Claim.Members), r.Claim.Refused)
	}
	importertest.Documents(t, "testdata/aistudio.golden", r)
	format.Coverage(t, "testdata/aistudio-coverage.golden", r)
}

func TestChunksBecomeMessages(t *testing.T) {
	all := read(t, archiveFiles()...).Conversations()
	want(t, all[0],
		"user What is 2+2? See the picture.",
		"user [image 1AbC]",
		"user [document 1Docapplication/pdf kept]",
		"user [video dQw4] [file text/plain]",
		"assistant thinks I add the numbers, at length.",
		`assistant Let me see. code_execution{"language":"PYTHON","code":"print(2+2)"}`, "tool 4\n", "assistant It is 4.",
		"assistant thinks a thought in parts",
		"assistant an answer in parts [image image/png]",
		"assistant Sources say so. <https://tea.example/>",
		"assistant ",
		"system 4",
		"user and 3+3?")
	want(t, all[1], "user Question", "assistant First", "assistant Second <https://tea.example/a>", `assistant code_execution{"language":"PYTHON","code":"1"}`, "tool 1", `assistant One. code_execution{"language":"PYTHON","code":"1"}`, "tool no")
	want(t, all[2], "user a door", "assistant [image image/png] [image 1Im]", "user a red door")
	want(t, all[3], "user Hello", "assistant thinks thinking", "assistant Hi.")
	want(t, all[4], "user never sent")
	want(t, all[5])
	if d := all[0].Doc; *d.Title != "What is té?" || d.Model != "gemini-2.5-pro" || d.SystemInstruction != "Answer briefly." || !strings.Contains(string(d.Messages[13].RawMetadata), `"draft":true`) {
		t.Errorf("title, model, instruction: %q %q %q, %s", *d.Title, d.Model, d.SystemInstruction, d.Messages[13].RawMetadata)
	}
	if a := all[0].Anomalies; a["unknown_role"] != 1 || a["unknown_key"] != 1 || a[importer.AnomalyUnknownVariant] != 1 || a[importer.AnomalyAssetMissing] != 1 {
		t.Errorf("anomalies %v", a)
	}
	if m := all[1].Doc.Messages; m[1].ParentID != "u1" || m[2].ParentID != "u1" || m[3].ParentID != "a2" {
		t.Errorf("branches: %q %q %q", m[1].ParentID, m[2].ParentID, m[3].ParentID)
	}
	if a := all[5].Anomalies; a["unknown_prompt"] != 1 {
		t.Errorf("settings alone: %v", a)
	}
}

func TestOddValues(t *testing.T) {
	format.Mutate(t, read(t, archiveFiles()...), 100)
}

func TestEditsShowInWhatIsRestored(t *testing.T) {
	for i, c := range []struct{ file, was, is string }{
		{prompt, "What is 2+2?", "What is 3+3?"}, {prompt, "It is 4.", "It is 5."}, {prompt, "models/gemini-2.5-pro", "models/other"}, {prompt, "Answer briefly.", "Answer at length."},
		{session, `"displayName":"Versions"`, `"displayName":"Others"`}, {imagen, "a door", "a gate"}, {list, "Hi.", "Hey."}, {prompt, "print(2+2)", "print(5)"},
	} {
		doc := read(t, importertest.File{Name: "x", Data: []byte(c.file)}).Conversations()[0].Doc
		text := string(doc.AppendJSON(nil))
		was, is := strings.TrimPrefix(c.was, "models/"), strings.TrimPrefix(c.is, "models/")
		was, is = strings.Replace(was, "displayName", "title", 1), strings.Replace(is, "displayName", "title", 1)
		if strings.Count(text, was) != 1 {
			t.Errorf("%d: %q is %d times in the document", i, was, strings.Count(text, was))
		}
		edited, err := pamio.ParseConversation([]byte(strings.Replace(text, was, is, 1)))
		if err != nil {
			t.Fatal(err)
		}
		back, err := aistudio.New().Restore(nil, edited)
		if err != nil || !bytes.Contains(back, []byte(c.is)) || bytes.Contains(back, []byte(c.was)) {
			t.Errorf("%d: the edit does not show: %v in %s", i, err, back)
		}
	}
}

func TestBrokenFilesSpoilNoOthers(t *testing.T) {
	good := archiveFiles()[:4]
	whole := read(t, good...)
	for name, data := range map[string]string{
		"cut off":        prompt[:len(prompt)/2],
		"no JSON":        `{"chunkedPrompt":{"chunks":[{"text":nul}]}}`,
		"too deep":       `{"chunkedPrompt":{"chunks":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}}`,
		"nothing inside": `{"runSettings":{"model":1},"chunkedPrompt":null,"runSettings":null}`,
	} {
		r := read(t, append(slices.Clone(good), importertest.File{Name: at("bad"), Data: []byte(data)})...)
		if len(r.Quarantined()) != 1 || len(r.Conversations()) != len(whole.Conversations()) {
			t.Errorf("%s: quarantined %v, %d conversations", name, r.Quarantined(), len(r.Conversations()))
		}
	}
	for name, data := range map[string]string{
		"null for chunks":  `{"chunkedPrompt":{"chunks":null,"pendingInputs":null},"pendingInputs":null,"runSettings":null}`,
		"chunks of nulls":  `{"chunkedPrompt":{"chunks":[null,1,"x",[],{}],"pendingInputs":[]},"pendingInputs":[]}`,
		"lone surrogates":  `{"chunkedPrompt":{"chunks":[{"text":"\ud800","role":"user"},{"text":"\udfff x","role":"model"}]}}`,
		"the same id":      `{"chunkedPrompt":{"chunks":[{"id":"a","text":"1","role":"user"},{"id":"a","text":"2","role":"model","branchParent":{"id":"a"}}]}}`,
		"its own parent":   `{"chunkedPrompt":{"chunks":[{"id":"a","text":"1","role":"user","branchParent":{"id":"a"}},{"id":"b","branchParent":{"id":"c"}},{"id":"c","branchParent":{"id":"b"}}]}}`,
		"turns of nothing": `{"imagenPrompt":{"imagenTurns":[null,{},{"prompt":null,"generatedImages":[null,1]}]}}`,
	} {
		if r := read(t, importertest.File{Name: "x", Data: []byte(data)}); len(r.Conversations()) != 1 {
			t.Errorf("%s: quarantined %v", name, r.Quarantined())
		}
	}
}

func TestOthersAreNotClaimed(t *testing.T) {
	for name, data := range map[string]string{
		"openai.json":   `[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]`,
		"api.json":      `[{"role":"user","text":"x"},{"role":"assistant","text":"y","tokenCount":1}]`,
		"mistral.json":  `[{"id":"1","role":"user","parts":[{"text":"x"}]}]`,
		"settings.json": `{"settings":{"model":"x"}}`,
		"roles.json":    `[{"role":"user","text":"x"}]`,
		"lines.jsonl":   `{"chunkedPrompt":{}}` + "\n" + `{"chunkedPrompt":{}}`,
		"empty":         "",
		"png":           string(png),
		at("tea.png"):   string(png),
	} {
		if r := format.Read(t, importertest.File{Name: name, Data: []byte(data)}); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", name)
		}
	}
}

func TestAConversationThatGrowsKeepsItsIDs(t *testing.T) {
	before := read(t, importertest.File{Name: at("Old"), Data: []byte(list)}).Conversations()[0].Doc
	grown := strings.TrimSuffix(list, "]") + `,{"text":"Hello","role":"user"},{"text":"Again.","role":"model"}]`
	after := read(t, importertest.File{Name: at("Old(2)"), Data: []byte(grown)}).Conversations()[0].Doc
	if before.ID != after.ID {
		t.Errorf("was %s, is %s", before.ID, after.ID)
	}
	for i, m := range before.Messages {
		if after.Messages[i].ID != m.ID {
			t.Errorf("message %d has another id", i)
		}
	}
	// Letters and accents apart, as some archives have them, are the same name.
	if d := read(t, importertest.File{Name: at("What is te\u0301?"), Data: []byte(prompt)}).Conversations()[0].Doc; *d.Title != "What is té?" {
		t.Errorf("title %q", *d.Title)
	}
}

func TestIDsAreFrozen(t *testing.T) {
	var got []string
	for _, s := range read(t, archiveFiles()...).Conversations() {
		id := s.Doc.ID
		if len(s.Doc.Messages) > 0 {
			id += " " + s.Doc.Messages[0].ID
		}
		got = append(got, id)
	}
	frozen := []string{
		"f9604f23-7111-5a49-8143-4f47612bafce 8ef965855206",
		"0f01a5cd-c2e9-550c-acbd-9ffff433eb79 u1",
		"e3249c8e-0a31-5b0d-8b93-fe0480b7569d 7846e9f30115",
		"f992741e-a609-5283-b9e6-a8013c95dd5b e1627f0046c5",
		"8df8f465-db89-5375-87b0-4443c86d0491 c5552bc31936",
		"e4215efc-ed1f-598c-870b-04d22fa1a92d",
	}
	if !slices.Equal(got, frozen) {
		t.Errorf("the ids are\n%s", strings.Join(got, "\n"))
	}
}

func TestSharedFixtures(t *testing.T) {
	r := read(t, importertest.Load(t, importertest.Shared(t, "fixtures", "gemini", "ai-studio"))...)
	messages := 0
	for _, s := range r.Conversations() {
		messages += len(s.Doc.Messages)
		if s.Anomalies[importer.AnomalyUnknownVariant] != 0 || s.Doc.Provider.ConversationID == "" {
			t.Errorf("%s: %v", *s.Doc.Title, s.Anomalies)
		}
	}
	if len(r.Conversations()) != 7 || messages != 30 || len(r.Quarantined()) != 0 {
		t.Errorf("%d conversations, %d messages, quarantined %v", len(r.Conversations()), messages, r.Quarantined())
	}
	format.Mutate(t, r, 10)
}

func FuzzAIStudio(f *testing.F) {
	for _, s := range []string{prompt, session, imagen, list, unsent, settingsOnly} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "prompt"}, raw) })
}
