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
func serveReal(t *testing.T) (p *Page, address string) {
	t.Helper()
	c := config.Default()
	c.Workers = 1
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
		done <- line.Run(ctx, telemetry.StageTake, telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble, telemetry.StageTend)
	}()
	if p, err = New(Options{Store: s, Client: line, Scratch: scratch, MaxUpload: 1 << 20, Now: time.Now, NewID: uuid.NewString, Random: rand.Reader}); err != nil {
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

// openTab opens a tab of a browser that was let in as ann. Without a browser the test is skipped.
func openTab(t *testing.T, p *Page, address string, script bool) *browsertest.Tab {
	t.Helper()
	b, err := browsertest.Start(context.WithoutCancel(t.Context()), t.TempDir())
	if errors.Is(err, browsertest.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	tab, err := b.Open(1000, 800)
	if err == nil && !script {
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

// The whole way of a person: import by the page, find, correct, and import again.
func TestAPersonImportsFindsAndCorrects(t *testing.T) {
	for name, script := range map[string]bool{"with script": true, "without script": false} {
		t.Run(name, func(t *testing.T) {
			p, address := serveReal(t)
			tab := openTab(t, p, address, script)
			must := func(steps ...error) {
				t.Helper()
				for _, err := range steps {
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			says := func(text string) string { return fmt.Sprintf("document.body.innerText.includes(%q)", text) }
			importFile := func(path string) {
				t.Helper()
				must(tab.Go(address+Base+"imports"), tab.ChooseFile("#file", path), tab.Eval(`document.querySelector("#drop button").click()`, nil))
				must(tab.Until(`location.pathname.startsWith("/page/imports/") && ` + says("Recognized as ChatGPT") + " && " + says("What was in it")))
			}
			importFile(writeExport(t, "first.zip", "I am allergic to walnuts.", "I live in Turku."))
			must(tab.Go(address+Base+"search?q=walnut"), tab.Until(`document.querySelector(".hits mark")`))
			must(tab.Go(address+Base+"memories"), tab.Eval(`[...document.querySelectorAll(".content a")].find((a) => a.textContent.includes("walnut")).click()`, nil))
			must(tab.Until(`document.querySelector("#correct") && ` + says("Where it comes from")))
			must(tab.Eval(`document.querySelector("#content").value = "Is allergic to all nuts."`, nil), tab.Eval(`document.querySelector("#correct button").click()`, nil))
			must(tab.Until(`document.querySelector("h1.content")?.innerText === "Is allergic to all nuts." && ` + says("History")))
			importFile(writeExport(t, "second.zip", "I am allergic to walnuts.", "I live in Turku.", "My dog is called Rex."))
			must(tab.Go(address+Base+"memories"), tab.Until(says("Is allergic to all nuts.")+" && !"+says("Is allergic to walnuts.")))
			// Not for export, and back.
			must(tab.Eval(`[...document.querySelectorAll(".content a")].find((a) => a.textContent.includes("all nuts")).click()`, nil), tab.Until(`document.querySelector('[formaction$="/withhold"]')`))
			must(tab.Eval(`document.querySelector('[formaction$="/withhold"]').click()`, nil), tab.Until(`document.querySelector('[formaction$="/release"]') && `+says("not for export")))
			must(tab.Eval(`document.querySelector('[formaction$="/retract"]').click()`, nil), tab.Until(`document.querySelector('[formaction$="/restore"]')`))
			must(tab.Eval(`document.querySelector('[formaction$="/restore"]').click()`, nil), tab.Until(`document.querySelector('[formaction$="/retract"]')`))
			must(tab.Go(address + Base + "memories"))
			// From the evidence to the words, and back.
			must(tab.Eval(`document.querySelector('.evidence a[href*="mark="]').click()`, nil), tab.Until(`document.querySelector(".message mark") && document.querySelector(".told a")`))
			must(tab.Eval(`document.querySelector(".told a").click()`, nil), tab.Until(`document.querySelector("h1.content")`))
		})
	}
}

func TestAFileThatIsNoExportSaysWhatItIs(t *testing.T) {
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
