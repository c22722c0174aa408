package web

import (
	"archive/zip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/cmd/internal/browsertest"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// serveReal serves the page of an empty store with a pipeline at work.
func serveReal(t *testing.T, settings ...func(*config.Config)) (p *Page, address string) {
	t.Helper()
	c := config.Default()
	c.Workers = 1
	for _, set := range settings {
		set(c)
	}
	scratch := t.TempDir()
	s, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o, err := wiring.Options(c, s, scratch, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	line, err := pipeline.OpenLocal(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- line.Run(ctx, telemetry.StageInbox, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble, telemetry.StageTend)
	}()
	if p, err = New(Options{Store: s, Client: line, Scratch: scratch, MaxUpload: 1 << 20, Now: time.Now, NewID: uuid.NewString, Random: rand.Reader, SearchFolder: t.TempDir(), Eraser: line, Queues: line.Queues, Patience: patientWaits()}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(p)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		stop()
		if err := errors.Join(p.Close(), ignoreCanceled(<-done)); err != nil {
			t.Error(err)
		}
		line.Close()
	})
	return p, server.URL
}

func ignoreCanceled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// browser is the one that the tests of the page share.
var browser sharedBrowser

type sharedBrowser struct {
	once    sync.Once
	profile string
	b       *browsertest.Browser
	err     error
}

// start starts the browser for the first test that asks for it.
func (s *sharedBrowser) start() (*browsertest.Browser, error) {
	s.once.Do(func() {
		if s.profile, s.err = os.MkdirTemp("", "browser-"); s.err == nil {
			s.b, s.err = browsertest.Start(s.profile)
		}
	})
	return s.b, s.err
}

// end ends the browser, if there is one, and removes its profile.
func (s *sharedBrowser) end() error {
	var err error
	if s.b != nil {
		err = s.b.Close()
	}
	if s.profile != "" {
		err = errors.Join(err, os.RemoveAll(s.profile))
	}
	return err
}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := browser.end(); err != nil {
		fmt.Fprintln(os.Stderr, "end the browser of the tests:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// openTab opens a tab of a browser that was let in as ann. Without a browser the test is skipped.
func openTab(t *testing.T, p *Page, address string, script bool) *browsertest.Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("with -short: other tests ask for the same pages, and no detector looks into a browser")
	}
	b, err := browser.start()
	if errors.Is(err, browsertest.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok {
		var end context.CancelFunc
		ctx, end = context.WithDeadline(ctx, deadline.Add(-10*time.Second)) // to say what the page lacks
		t.Cleanup(end)
	}
	tab, err := b.Open(ctx, 1000, 800)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tab.Close(); err != nil {
			t.Error(err)
		}
	})
	if !script {
		err = tab.DisableScript()
	}
	path := ""
	if err == nil {
		path, err = p.Enter("ann")
	}
	if err == nil {
		err = errors.Join(tab.Go(address+path), tab.Until(`document.querySelector("nav")`))
	}
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// writeExport writes an export in which the person says something, and gives its path.
func writeExport(t *testing.T, name string, said ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	w, err := z.Create("conversations.json")
	for n, text := range said {
		head := map[bool]string{true: "[", false: ","}[n == 0]
		if err == nil {
			_, err = fmt.Fprintf(w, `%s{"conversation_id":"c%d","title":"Talk %d","create_time":17000000%d0,"update_time":17000000%d0,"current_node":"m1","mapping":{"m1":{"id":"m1","parent":null,"children":[],"message":{"id":"m1","author":{"role":"user"},"create_time":17000000%d0,"content":{"content_type":"text","parts":[%q]}}}}}`, head, n, n, n, n, n, text)
		}
	}
	if err == nil {
		_, err = fmt.Fprint(w, "]")
	}
	if err := errors.Join(err, z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// stepper fails the test with the first step that fails.
func stepper(t *testing.T) func(steps ...error) {
	return func(steps ...error) {
		t.Helper()
		for _, err := range steps {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// says is true in a page with a text.
func says(text string) string { return fmt.Sprintf("document.body.innerText.includes(%q)", text) }

// isImported is true in the page of an import that has ended.
var isImported = `location.pathname.startsWith("/page/imports/") && ` + says("Recognized as ChatGPT") + " && " + says("What was in it")

// importFile imports a file by the form.
func importFile(t *testing.T, tab *browsertest.Tab, address, path string) {
	t.Helper()
	stepper(t)(tab.Go(address+Base+"imports"), tab.ChooseFile("#file", path), tab.Click("#drop button"), tab.Until(isImported))
}

// withAndWithoutScript runs a journey in a browser, once with the scripts of the page and once
// without.
func withAndWithoutScript(t *testing.T, run func(t *testing.T, p *Page, address string, tab *browsertest.Tab, script bool)) {
	for name, script := range map[string]bool{"with script": true, "without script": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, address := serveReal(t)
			run(t, p, address, openTab(t, p, address, script), script)
		})
	}
}

// The whole way of a person: import by the page, find, correct, and import again.
func TestAPersonImportsFindsAndCorrects(t *testing.T) {
	t.Parallel()
	withAndWithoutScript(t, func(t *testing.T, _ *Page, address string, tab *browsertest.Tab, script bool) {
		must := stepper(t)
		first := writeExport(t, "first.zip", "I am allergic to walnuts.", "I live in Turku.")
		if script {
			must(tab.Go(address+Base+"imports"), tab.DropFile("#drop", first), tab.Until(isImported))
		} else {
			importFile(t, tab, address, first)
		}
		must(tab.Until(says("conversations.json") + " && " + says("2 new conversations")))
		must(tab.Go(address+Base+"search?q=walnut"), tab.Until(`document.querySelector(".hits mark")`))
		must(tab.Eval(`[...document.querySelectorAll(".hits a")].find((a) => a.href.includes("conversations/")).click()`, nil), tab.Until(`document.querySelector(".message.user") && `+says("allergic to walnuts")))
		must(tab.Go(address+Base+"memories"), tab.Until(`document.querySelector(".content a")`), tab.Eval(`[...document.querySelectorAll(".content a")].find((a) => a.textContent.includes("walnut")).click()`, nil))
		must(tab.Until(`document.querySelector("#correct") && ` + says("Where it comes from")))
		must(tab.Eval(`document.querySelector("#content").value = "Is allergic to all nuts."`, nil), tab.Click("#correct button"))
		must(tab.Until(`document.querySelector("h1.content")?.innerText === "Is allergic to all nuts." && ` + says("You wrote it, to correct")))
		importFile(t, tab, address, writeExport(t, "second.zip", "I am allergic to walnuts.", "I live in Turku.", "My dog is called Rex."))
		must(tab.Until(says("1 new conversation") + " && " + says("2 conversations are unchanged")))
		must(tab.Go(address+Base+"memories"), tab.Until(says("Is allergic to all nuts.")+" && !"+says("Is allergic to walnuts.")))
		must(tab.Eval(`[...document.querySelectorAll(".content a")].find((a) => a.textContent.includes("all nuts")).click()`, nil), tab.Until(`document.querySelector('[formaction$="/withhold"]')`))
		must(tab.Click(`[formaction$="/withhold"]`), tab.Until(`document.querySelector('[formaction$="/release"]') && `+says("not for export")))
		must(tab.Click(`[formaction$="/retract"]`), tab.Until(`document.querySelector('[formaction$="/restore"]') && document.querySelector(".notice button")`))
		must(tab.Click(".notice button"), tab.Until(`document.querySelector('[formaction$="/retract"]') && `+says("Undone")))
		// From the evidence to the words, and back.
		must(tab.Go(address+Base+"memories"), tab.Until(`document.querySelector(".content a")`), tab.Click(`.evidence a[href*="mark="]`), tab.Until(`document.querySelector(".message mark") && document.querySelector(".told a")`))
		must(tab.Click(".told a"), tab.Until(`document.querySelector("h1.content")`))
		// The correction undone: what was there before is back.
		must(tab.Go(address+Base+"memories"), tab.Until(`document.querySelector(".content a")`), tab.Eval(`[...document.querySelectorAll(".content a")].find((a) => a.textContent.includes("all nuts")).click()`, nil))
		must(tab.Until(`document.querySelector(".history button")`), tab.Click(".history button"), tab.Until(says("Undone")), tab.Click(".history button"))
		must(tab.Until(`document.querySelector("h1.content")?.innerText === "Is allergic to walnuts."`))
	})
}

// A preview shows what goes; what was erased is nowhere any more, and a later import brings nothing
// of it back.
func TestAPersonErasesWithAPreview(t *testing.T) {
	t.Parallel()
	withAndWithoutScript(t, func(t *testing.T, p *Page, address string, tab *browsertest.Tab, _ bool) {
		must := stepper(t)
		export := writeExport(t, "first.zip", "I am allergic to walnuts.", "I live in Turku.")
		importFile(t, tab, address, export)
		must(tab.Go(address+Base+"memories"), tab.Until(`document.querySelector(".content a")`), tab.Eval(`[...document.querySelectorAll(".content a")].find((a) => a.textContent.includes("walnut")).click()`, nil))
		must(tab.Until(`document.querySelector("a.danger")`), tab.Click("a.danger"), tab.Until(says("This goes for good")+" && "+says("Talk 0")+" && "+says("archive")))
		must(tab.Click(".agree .danger")) // without the box, the browser or the server refuses
		must(tab.Go(address+Base+"memories"), tab.Until(says("walnut")))
		must(tab.Eval(`[...document.querySelectorAll(".content a")].find((a) => a.textContent.includes("walnut")).click()`, nil), tab.Until(`document.querySelector("a.danger")`), tab.Click("a.danger"), tab.Until(`document.querySelector(".agree")`))
		must(tab.Eval(`document.querySelector("[name=agree]").checked = true`, nil), tab.Click(".agree .danger"), tab.Until(`document.querySelector("h1")?.innerText === "Erased" && `+says("conversations")))
		for path, gone := range map[string]string{"memories?status=": "walnut", "conversations": "Talk 0", "review": "walnut"} {
			must(tab.Go(address+Base+path), tab.Until("document.querySelector('main h1') && !"+says(gone)))
		}
		must(tab.Go(address+Base+"search?q=walnuts"), tab.Until(says("Nothing has these words")))
		if raw := searchBytes(t, p, "ann"); strings.Contains(raw, "walnut") {
			t.Error("the search index has the erased word")
		}
		importFile(t, tab, address, export)
		must(tab.Go(address+Base+"memories?status="), tab.Until(says("Turku")+" && !"+says("walnut")))
		// Everything.
		must(tab.Go(address+Base+"store"), tab.Until(`document.querySelector("a.danger")`), tab.Click("a.danger"), tab.Until(`document.querySelector("[name=owner]")`))
		must(tab.Eval(`document.querySelector("[name=agree]").checked = true; document.querySelector("[name=owner]").value = "ann"`, nil), tab.Click(".agree .danger"), tab.Until(`document.querySelector("h1")?.innerText === "Erased"`))
		must(tab.Go(address+Base+"memories"), tab.Until(says("There is nothing here yet")))
	})
}

// searchBytes is the file of the search index of an owner.
func searchBytes(t *testing.T, p *Page, owner string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.o.SearchFolder, owner+".db"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestAFileThatIsNoExportSaysWhatItIs(t *testing.T) {
	t.Parallel()
	p, address := serveReal(t)
	tab := openTab(t, p, address, true)
	path := filepath.Join(t.TempDir(), "letter.txt")
	if err := os.WriteFile(path, []byte("Dear Ann, how are you?"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := errors.Join(tab.Go(address+Base+"imports"), tab.ChooseFile("#file", path), tab.Eval(`document.querySelector("#drop button").click()`, nil),
		tab.Until(`document.querySelector(".badge.refused") && document.body.innerText.includes("letter.txt")`))
	if err != nil {
		t.Fatal(err)
	}
}
