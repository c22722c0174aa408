package web

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pamline/pamline/cmd/internal/browsertest"
)

// axeSource is the source of axe-core, which npm installs for tests only: npm install --prefix
// tools/axe.
func axeSource(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "tools", "axe", "node_modules", "axe-core", "axe.min.js"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("axe-core is not installed: npm install --prefix tools/axe")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkAccess reports what axe-core finds in a page.
func checkAccess(t *testing.T, tab *browsertest.Tab, axe, name string) {
	t.Helper()
	found, err := tab.CheckAccess(axe)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, v := range found {
		for _, n := range v.Nodes {
			t.Errorf("%s: %s (%s): %.300s", name, v.ID, v.Help, n.HTML)
		}
	}
}

// rich is a text with everything that a reader shows.
const rich = "# A heading\n\nSome *words*, `code` and [a link](https://far.example/a).\n\n| a | b |\n|---|---|\n| 1 | $x^2$ |\n\n```go\nfunc main() {}\n```\n\n$$\\frac{a}{b}$$\n\n- [x] done\n- open\n\n> quoted"

// axe-core finds nothing on any page, in light, dark and on a phone.
func TestNoPageBreaksARuleOfAccessibility(t *testing.T) {
	axe := axeSource(t)
	p, address := serveReal(t)
	tab := openTab(t, p, address, true)
	must := stepper(t)
	must(tab.Go(address + Base + "imports"))
	checkAccess(t, tab, axe, "imports without a store")
	must(tab.Eval(`document.documentElement.removeAttribute("lang")`, nil))
	if found, err := tab.CheckAccess(axe); err != nil || len(found) == 0 {
		t.Fatalf("a page without a language passes: %v", err)
	}
	importFile(t, tab, address, writeExport(t, "rich.zip", "I am allergic to walnuts.\n\n"+rich, "I live in Turku.", "My dog is called Rex."))
	note, talk := "", ""
	must(tab.Go(address+Base+"memories"), tab.Until(`document.querySelector(".content a")`), tab.Eval(`document.querySelector(".content a").getAttribute("href")`, &note))
	must(tab.Go(address+Base+"conversations"), tab.Until(`document.querySelector(".list a")`), tab.Eval(`[...document.querySelectorAll(".list a")].find((a) => a.textContent.includes("Talk 0")).getAttribute("href")`, &talk))
	must(tab.Go(address+note), tab.Until(`document.querySelector("#correct")`), tab.Click(`[formaction$="/private"]`), tab.Until(`document.querySelector(".history button")`))
	pages := map[string]string{
		"a memory": note, "a memory after a change": note + "?notice=confirm&of=" + filepath.Base(note), "a conversation": talk, "erase": Base + "erase?level=memory&id=" + filepath.Base(note), "erase all": Base + "erase?level=owner",
	}
	for _, name := range []string{
		"conversations", "memories", "memories?status=", "review", "search", "search?q=walnuts", "search?q=nothinghasthis", "timeline", "timeline?month=2023-11", "imports", "store", "store/render", "operations", "nothing",
	} {
		pages[name] = Base + name
	}
	import1 := ""
	must(tab.Go(address+Base+"imports"), tab.Until(`document.querySelector(".list a")`), tab.Eval(`document.querySelector(".list a").getAttribute("href")`, &import1))
	pages["an import"] = import1
	for _, look := range []struct {
		name  string
		width int
		dark  bool
	}{{"light", 1000, false}, {"dark", 1000, true}, {"phone", 390, false}} {
		must(tab.Resize(look.width, 800), tab.SetDark(look.dark))
		for name, path := range pages {
			must(tab.Go(address+path), tab.Until(`!document.querySelector("meta[http-equiv=refresh]")`))
			checkAccess(t, tab, axe, look.name+": "+name)
			wide := false
			must(tab.Eval(`document.documentElement.scrollWidth > document.documentElement.clientWidth`, &wide))
			if wide {
				t.Errorf("%s: %s is wider than the screen", look.name, name)
			}
		}
	}
}
