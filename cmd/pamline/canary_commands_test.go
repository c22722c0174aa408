package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// markedHome is a home with a data folder in which everything is marked: titles, texts, keys, names
// of files. All commands log as much as they can, and send their traces to a collector.
type markedHome struct {
	*person
	mu     sync.Mutex
	traces bytes.Buffer
}

// thirdMarked is the export that the page uploads.
var thirdMarked = strings.ReplaceAll("["+marked+"]", "c-Kanarienvogel", "c-Kanarienvogel-3")

func newMarkedHome(t *testing.T) *markedHome {
	t.Helper()
	h := &markedHome{}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		_, _ = h.traces.ReadFrom(r.Body) // what is cut off counts as far as it goes
	}))
	t.Cleanup(collector.Close)
	h.person = newHome(t, "--set", "log.format=json", "--set", "trace.endpoint="+collector.URL)
	h.writeMarked("Kanarienvogel export.json", "["+marked+"]")
	h.writeMarked("second Kanarienvogel.json", "["+strings.ReplaceAll(marked, "c-Kanarienvogel", "c-Kanarienvogel-2")+`,{"Kanarienvogel" "mapping":{}}]`)
	return h
}

func (h *markedHome) writeMarked(name, text string) {
	h.Helper()
	if err := os.WriteFile(h.path("files", name), []byte(text), 0o600); err != nil {
		h.Fatal(err)
	}
}

// checked wants no mark in the lines of a log, and no key in anything that is said.
func (h *markedHome) checked(what, said string) {
	h.Helper()
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "{") && strings.Contains(line, `"level":`) && strings.Contains(line, canary) {
			h.Errorf("%s logged: %s", what, line)
		}
	}
	key, err := os.ReadFile(h.path("config", "pamline", "master.key"))
	if err != nil {
		h.Fatal(err)
	}
	for line := range strings.Lines(string(key)) {
		if line = strings.TrimSpace(line); len(line) > 20 && !strings.HasPrefix(line, "#") && strings.Contains(said, line) {
			h.Errorf("%s shows the master key", what)
		}
	}
}

// says runs a command, and checks what it writes to standard error.
func (h *markedHome) says(stdin string, args ...string) {
	h.Helper()
	c := exec.Command("pamline", args...)
	c.Env = append(os.Environ(), "HOME="+h.home, "TMPDIR="+h.path("tmp"), "XDG_CONFIG_HOME="+h.path("config"), "XDG_CACHE_HOME="+h.path("cache"),
		"PAMLINE_LOG__LEVEL=debug", "PAMLINE_LOG__FORMAT=json")
	var out, log bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &log
	if err := c.Run(); err != nil && c.ProcessState.ExitCode() != 3 && !strings.Contains(out.String(), "everything in it was erased") {
		h.Fatalf("%q: %v\n%s%s", args, err, out.String(), log.String())
	}
	h.checked(strings.Join(args, " "), log.String())
	if args[0] == "key" {
		h.checked(strings.Join(args, " "), out.String())
	}
}

// Whatever command runs on marked conversations, no line of its log has any of the marks, and
// nothing that it says has the master key.
func TestLogsOfEveryCommandHoldNothingPersonal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("with -short: it is about what commands say and leave, and other tests run the same code")
	}
	h := newMarkedHome(t)
	data, out := h.path("data"), h.path("out")
	own := func(command string, more ...string) []string {
		args := append([]string{command, "--data", data}, h.sets...)
		return append(append(args, "--owner", "me"), more...)
	}
	file := h.path("files", "Kanarienvogel export.json")
	h.says("", own("import", "--extractors", "harvest,rules,llm", "--out", out, file)...)
	h.says("", own("import", h.path("files", "second Kanarienvogel.json"))...)
	h.says("", own("search", canary)...)
	h.says("", own("memories", "--format", "json")...)
	h.says("", own("conversations", "--format", "json")...)
	memory := h.idOf("me", canary, "memories", "id")
	h.says("", own("show", memory)...)
	h.says("", own("edit", "--add", "Feeds the Kanarienvogel.", "--type", "skill")...)
	h.says("", "keygen", "-o", h.path("my.key"))
	h.says("", "sign", "--key", h.path("my.key"), out)
	h.says("", "verify", "--key", h.path("my.key.pub"), out)
	h.says("", "validate", "--strict", out)
	h.says("", "inspect", out)
	h.says("", own("export", "-o", h.path("given.zip"))...)
	h.says("", own("edit", "--add", "Buys a second Kanarienvogel.", "--type", "skill")...)
	h.says("", own("export", "--since", h.path("given.zip"), "-o", h.path("delta.zip"))...)
	h.says("", "merge", "-o", h.path("merged"), h.path("given.zip"), h.path("delta.zip"))
	for _, format := range []string{"mem", "mif"} {
		h.says("", "convert", "--to", format, "-o", h.path("other."+format), h.path("given.zip"))
	}
	h.says("", "render", "--data", data, "--for", "claude", "-o", h.path("claude.txt"), "me")
	h.says("", "restore", "--provider", "chatgpt", "-o", h.path("back"), out)
	h.says(h.conversation(out), "extract", "--extractors", "rules")
	h.says("", "key", "show", "--data", data)
	h.says("", "key", "backup", "--data", data, h.path("backup.key"))
	if err := os.Remove(h.path("config", "pamline", "master.key")); err != nil {
		t.Fatal(err)
	}
	h.says("", "key", "restore", "--data", data, h.path("backup.key"))
	h.says("", "key", "rotate", "--data", data, "--reencrypt")
	h.says("", "key", "convert", "--data", data, "--to", "plain")
	h.says("", "key", "convert", "--data", data)
	h.says("", "fsck", "--data", data, "--repair")
	h.says("", "prune", "--data", data)
	h.says("", "status", "--data", data)
	h.says("", "replay", "--data", data, "--owner", "me", "--extractors", "rules")
	h.says(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"Kanarienvogel","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_memories","arguments":{"query":"Kanarienvogel"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"Kanarienvogel","arguments":{"Kanarienvogel":1}}}
`, "mcp", "--data", data, "--owner", "me")
	h.browse(memory)
	h.serve()
	h.writeMarked("third Kanarienvogel.json", thirdMarked)
	h.says("", own("import", h.path("files", "third Kanarienvogel.json"))...) // what the page has begun
	h.says("", own("erase", "--memory", h.idOf("me", canary, "memories", "id"), "--yes")...)
	h.says("", own("import", file)...) // what was erased is left out
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.traces.Len() == 0 || bytes.Contains(h.traces.Bytes(), []byte(canary)) {
		t.Errorf("traces of %d bytes have the mark: %t", h.traces.Len(), h.traces.Len() > 0)
	}
}

// conversation gives one of a bundle, in a line.
func (h *markedHome) conversation(bundle string) string {
	h.Helper()
	found, err := filepath.Glob(filepath.Join(bundle, "conversations", "*.json"))
	if err != nil || len(found) == 0 {
		h.Fatal(found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil || !bytes.Contains(text, []byte(canary)) {
		h.Fatalf("%s, %v", text, err)
	}
	return strings.ReplaceAll(string(text), "\n", " ")
}

// serve lets the service import what is put into its folder: an export, and a file that is none.
func (h *markedHome) serve() {
	h.Helper()
	folder := h.path("files", "Kanarienvogel drops")
	if err := os.Mkdir(folder, 0o700); err != nil {
		h.Fatal(err)
	}
	h.writeMarked(filepath.Join("Kanarienvogel drops", "fourth Kanarienvogel.json"), strings.ReplaceAll("["+marked+"]", "c-Kanarienvogel", "c-Kanarienvogel-4"))
	h.writeMarked(filepath.Join("Kanarienvogel drops", "Kanarienvogel.exe"), "MZ Kanarienvogel\x00")
	up := h.command("me", "up", "--folder", folder, "--set", "drop.quiet=1s")
	var log bytes.Buffer
	up.Stderr = &log
	if err := up.Start(); err != nil {
		h.Fatal(err)
	}
	for !h.hasImport("fourth Kanarienvogel.json", "done") || !h.hasImport("Kanarienvogel.exe", "refused") {
		time.Sleep(50 * time.Millisecond)
	}
	if err := up.Process.Signal(os.Interrupt); err != nil {
		h.Fatal(err)
	}
	if err := up.Wait(); err != nil {
		h.Fatalf("%v\n%s", err, log.String())
	}
	h.checked("up", log.String())
}

// hasImport tells whether the import of a file has come to a state.
func (h *markedHome) hasImport(file, state string) bool {
	h.Helper()
	list := h.run("me", "imports", "--format", "json")
	var imports []struct {
		State string
		Files []string
	}
	if err := json.Unmarshal([]byte(list), &imports); err != nil {
		h.Fatalf("%v: %s", err, list)
	}
	for _, i := range imports {
		if i.State == state && slices.Contains(i.Files, file) {
			return true
		}
	}
	return false
}

// browse uses the page, uploads a file over tus, and looks at the metrics.
func (h *markedHome) browse(memory string) {
	h.Helper()
	c := h.command("me", "open", "--no-browser")
	var log bytes.Buffer
	c.Stderr = &log
	pipe, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		h.Fatal(err)
	}
	line, err := bufio.NewReader(pipe).ReadString('\n')
	if err == nil {
		err = h.walk(strings.TrimSpace(line), memory)
	}
	if err != nil {
		h.Errorf("%v\n%s", err, log.String())
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		h.Fatal(err)
	}
	_ = c.Wait() // interrupted
	h.checked("open", log.String())
}

func (h *markedHome) walk(enter, memory string) error {
	address, _, _ := strings.Cut(enter, "/page/")
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	page := &browser{http.Client{Jar: jar}}
	if _, err := page.get(enter); err != nil {
		return err
	}
	for _, path := range []string{"memories", "memories/" + memory, "search?q=" + canary, "conversations", "conversations/" + canary, canary, "review", "timeline", "imports", "store",
		"erase?" + url.Values{"level": {"memory"}, "id": {memory}}.Encode(), "store/render?for=" + canary} {
		if _, err := page.get(address + "/page/" + path); err != nil {
			return err
		}
	}
	if err := h.uploadByTus(page, address, "third Kanarienvogel.json", thirdMarked); err != nil {
		return err
	}
	for { // until the upload is in the store
		text, err := page.get(address + "/page/imports")
		if err != nil {
			return err
		}
		if strings.Contains(text, "third Kanarienvogel") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	metrics, err := page.get(address + "/metrics")
	if err == nil && (!strings.Contains(metrics, "pam") || strings.Contains(metrics, canary)) {
		err = errors.New("the metrics are missing, or have the mark: " + metrics)
	}
	return err
}

func (h *markedHome) uploadByTus(page *browser, address, name, text string) error {
	// send gives where the answer says that something was made, nil for nowhere.
	send := func(method, target, body string, headers map[string]string) (*url.URL, error) {
		r, err := http.NewRequestWithContext(h.Context(), method, target, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Tus-Resumable", "1.0.0")
		for key, value := range headers {
			r.Header.Set(key, value)
		}
		resp, err := page.Do(r)
		if err != nil {
			return nil, err
		}
		answer, err := io.ReadAll(resp.Body)
		if resp.StatusCode >= 300 {
			err = errors.Join(err, errors.New(resp.Status+" "+string(answer)))
		}
		if err = errors.Join(err, resp.Body.Close()); err != nil || resp.Header.Get("Location") == "" {
			return nil, err
		}
		return resp.Location()
	}
	place, err := send(http.MethodPost, address+"/page/tus", "", map[string]string{"Upload-Length": strconv.Itoa(len(text)), "Upload-Metadata": "filename " + base64.StdEncoding.EncodeToString([]byte(name))})
	if err != nil {
		return err
	}
	if place == nil {
		return errors.New("the upload has no address")
	}
	_, err = send(http.MethodPatch, place.String(), text, map[string]string{"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"})
	return err
}
