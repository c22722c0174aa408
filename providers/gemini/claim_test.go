package gemini_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/gemini"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

func roles(r *importertest.Result) map[string]string {
	out := map[string]string{}
	for _, m := range r.Claim.Members {
		out[m.Member.Name] = m.Role
	}
	return out
}

const geminiRow = `{"header":"Gemini Apps","title":"Prompted x","time":"2026-01-02T03:04:05Z","products":["Gemini Apps"]}`

func TestLogsAreFoundByContent(t *testing.T) {
	other := `{"header":"YouTube","title":"Watched Gemini Apps","titleUrl":"https://www.youtube.com/watch?v=1","time":"2026-01-02T03:04:05Z","products":["YouTube"],"subtitles":[{"name":"` + strings.Repeat("long ", 4000) + `"}]}`
	for name, c := range map[string]struct{ data, role string }{
		"a name in Greek":                 {"[" + strings.Replace(geminiRow, "Gemini Apps", "Εφαρμογές Gemini", 1) + "]", "activity"},
		"a byte order mark":               {"\ufeff[" + geminiRow + "]", "activity"},
		"behind others":                   {"[" + strings.Repeat(other+",", 10) + geminiRow + "]", "activity"},
		"by its product alone":            {`[{"header":"x","title":"y","time":"z","products":["Gemini-Apps"]}]`, "activity"},
		"by a link alone":                 {`[{"header":"x","title":"y","titleUrl":"https://gemini.google.com/app/1"}]`, "activity"},
		"lines":                           {geminiRow + "\n" + geminiRow, "activity"},
		"of another product":              {"[" + other + "]", ""},
		"a host that only looks like one": {`[{"header":"x","title":"y","titleUrl":"https://gemini.google.com.evil.example/app/1"}]`, ""},
		"a list of something else":        {`[{"mapping":{},"title":"x"}]`, ""},
		"empty":                           {"[]", ""},
		"a page":                          {"<html><head><style>" + strings.Repeat(".mdl{} ", 20_000) + "</style></head><body>" + outerCell("Prompted x<br>Jan 2, 2026, 3:04:05 PM UTC") + "</body></html>", "activity-page"},
		"a page of something else":        {"<html><body><div class='cell'>Gemini Apps</div></body></html>", ""},
		"a page of YouTube":               {strings.ReplaceAll(outerCell("Watched <a href='https://youtube.com'>Gemini Apps</a><br>Jan 2, 2026, 3:04:05 PM UTC"), "\">Gemini Apps<br>", "\">YouTube<br>"), ""},
	} {
		r := read(t, importertest.File{Name: "some/file.dat", Data: []byte(c.data)})
		if got := roles(r)["some/file.dat"]; got != c.role {
			t.Errorf("%s: role %q, want %q", name, got, c.role)
		}
	}
}

func TestLogsOfOtherProductsAreRefusedByName(t *testing.T) {
	row := func(product string) []byte {
		return []byte(`[{"header":"` + product + `","title":"Searched for x","time":"2026-01-02T03:04:05Z","products":["` + product + `"]}]`)
	}
	r := read(t,
		importertest.File{Name: "a.json", Data: row("YouTube")},
		importertest.File{Name: "b.json", Data: row("AI Mode")},
		importertest.File{Name: "c.json", Data: row(strings.Repeat("x", 99))},
		importertest.File{Name: "e.json", Data: row("Heart Diary")}, // logs of Android have names of applications
		importertest.File{Name: "d.html", Data: []byte(strings.ReplaceAll(outerCell("Visited x"), "\">Gemini Apps<br>", "\">Chrome<br>"))},
		importertest.File{Name: "Takeout/My Activity/Gemini Apps/photo-0123456789abcdef.jpg", Data: []byte("x")},
	)
	want := map[string]string{
		"a.json": "an activity log of YouTube, not of Gemini", "b.json": "an activity log of AI Mode", "c.json": "an activity log of another product",
		"e.json": "an activity log of another product",
		"d.html": "an activity log of Chrome, not of Gemini", "Takeout/My Activity/Gemini Apps/photo-0123456789abcdef.jpg": "without the log",
	}
	for _, ref := range r.Claim.Refused {
		if w := want[ref.Member.Name]; w == "" || !strings.Contains(ref.Reason, w) {
			t.Errorf("%s: %s", ref.Member.Name, ref.Reason)
		}
		delete(want, ref.Member.Name)
	}
	if len(want) > 0 || len(r.Claim.Members) > 0 {
		t.Errorf("not refused: %v; claimed: %v", want, roles(r))
	}
}

func TestFilesBesideALogAreAssets(t *testing.T) {
	dir := "Takeout/Minha atividade/Apps do Gemini/"
	r := read(t,
		importertest.File{Name: dir + "Minhaatividade.json", Data: []byte("[" + strings.Replace(geminiRow, "}", `,"attachedFiles":["foto_a\u0301-0123456789abcdef.jpeg","doc.pdf"]}`, 1) + "]")},
		importertest.File{Name: dir + "foto_á-0123456789abcdef.jpg", Data: []byte("x")},
		importertest.File{Name: dir + "doc-fedcba9876543210.pdf", Data: []byte("y")},
		importertest.File{Name: dir + "conversations.json", Data: []byte(`[{"mapping":{}}]`)},
		importertest.File{Name: "Takeout/other/photo-0123456789abcdef.jpg", Data: []byte("z")},
	)
	got := roles(r)
	if len(got) != 3 || got[dir+"foto_á-0123456789abcdef.jpg"] != importer.RoleAsset || got[dir+"doc-fedcba9876543210.pdf"] != importer.RoleAsset {
		t.Errorf("%v", got)
	}
	s := only(t, r)
	for _, a := range s.Doc.Messages[0].Attachments {
		if a.Ref == "" {
			t.Errorf("%s has no file", a.Name)
		}
	}
	if len(s.Doc.Messages[0].Attachments) != 2 || s.Anomalies[importer.AnomalyAssetMissing] != 0 {
		t.Errorf("%d attachments, %v", len(s.Doc.Messages[0].Attachments), s.Anomalies)
	}
}

// A log that is damaged from its start on is reported, not passed over.
func TestUnreadableLogsAreReported(t *testing.T) {
	broken := errors.New("the file is damaged")
	var members []archive.Member
	for i, name := range []string{"Takeout/Etkinliğim/Gemini Uygulamaları/Etkinliğim.html", logPath, "Takeout/My Activity/YouTube/MyActivity.json", "Takeout/Gemini/gemini_gems_data.html"} {
		members = append(members, archive.NewMember(name, 1, i, func(context.Context) (io.ReadCloser, error) { return nil, broken }))
	}
	limits := importer.Limits{Scratch: t.TempDir()}
	c, err := gemini.New().Claim(t.Context(), members, importertest.Peek, limits)
	if err != nil || len(c.Members) != 3 {
		t.Fatalf("%d members, %v", len(c.Members), err)
	}
	n := 0
	for u, err := range gemini.New().Split(t.Context(), c, limits) {
		if err != nil || u.Err == nil || u.Err.Code != "unreadable_member" {
			t.Errorf("%v %v", err, u.Err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d units", n)
	}
}

func TestThePublicFixture(t *testing.T) {
	path := importertest.Shared(t, "fixtures", "gemini", "activity-synthetic")
	r := read(t, importertest.Load(t, path)...)
	rows.Check(t, r)
	if n, s := len(r.Conversations()), r.Skips(); n != 2 || s["other-product"] != 1 || len(r.Quarantined()) != 0 {
		t.Fatalf("%d conversations, %v, %v", n, s, r.Quarantined())
	}
	for _, s := range r.Conversations() {
		if text := said(s.Doc); strings.Contains(text, "PRIVATE") || len(s.Doc.Messages) != 2 {
			t.Error(text)
		}
	}
}
