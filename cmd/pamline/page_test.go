package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// openedPage is the page that `pamline open` serves, and a browser that was let in.
type openedPage struct {
	*http.Client
	t       *testing.T
	address string // of the machine, without a path
}

// openPage serves the page of a data folder until the test ends.
func openPage(t *testing.T, data string, more ...string) *openedPage {
	t.Helper()
	cmd := exec.Command("pamline", append([]string{"open", "--no-browser", "--data", data, "--owner", "me"}, more...)...)
	cmd.Env = append(os.Environ(), "PAMLINE_LOG__LEVEL=error")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, _, ok := strings.Cut(strings.TrimSpace(line), "/page/")
	jar, err := cookiejar.New(nil)
	if err != nil || !ok {
		t.Fatalf("%q, %v", line, err)
	}
	p := &openedPage{&http.Client{Jar: jar}, t, address}
	if code, body := p.send(http.MethodGet, strings.TrimPrefix(strings.TrimSpace(line), address), "", nil, ""); code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	return p
}

// send sends a request, again while the store is being opened. host is the name in it; "" is that
// of the address.
func (p *openedPage) send(method, path, kind string, body []byte, host string) (code int, text string) {
	p.t.Helper()
	for {
		r, err := http.NewRequestWithContext(p.t.Context(), method, p.address+path, bytes.NewReader(body))
		if err != nil {
			p.t.Fatal(err)
		}
		r.Host = host
		r.Header.Set("Content-Type", kind)
		resp, err := p.Do(r)
		if err != nil {
			p.t.Fatal(err)
		}
		raw, err := io.ReadAll(resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			p.t.Fatal(err)
		}
		if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
			return resp.StatusCode, string(raw)
		}
	}
}

// sign asks the page for a bundle that is signed with a key, and gives the file that a browser
// saves.
func (p *openedPage) sign(key []byte) (file string) {
	p.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("key", "me.key")
	if err == nil {
		_, err = part.Write(key)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		p.t.Fatal(err)
	}
	code, body := p.send(http.MethodPost, "/page/store/sign", w.FormDataContentType(), form.Bytes(), "")
	if code != http.StatusOK {
		p.t.Fatalf("%d %s", code, body)
	}
	file = filepath.Join(p.t.TempDir(), "signed.zip")
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return file
}

// importTalk imports one conversation into a new data folder.
func importTalk(t *testing.T) (data string) {
	t.Helper()
	folder := t.TempDir()
	data = filepath.Join(folder, "data")
	export := filepath.Join(folder, "conversations.json")
	if err := os.WriteFile(export, []byte(talk("I am allergic to walnuts.")), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := pamline("import", "--data", data, "--owner", "me", export); code != 0 {
		t.Fatalf("import: exit %d\n%s", code, out)
	}
	return data
}

// What the page signs is what pamline verify accepts: with the chosen key, and with no other one.
func TestVerifyAcceptsWhatThePageSigns(t *testing.T) {
	t.Parallel()
	page := openPage(t, importTalk(t))
	mine, other := filepath.Join(t.TempDir(), "mine.key"), filepath.Join(t.TempDir(), "other.key")
	for _, file := range []string{mine, other} {
		if code, out := pamline("keygen", "-o", file); code != 0 {
			t.Fatalf("keygen: exit %d\n%s", code, out)
		}
	}
	key, err := os.ReadFile(mine)
	if err != nil {
		t.Fatal(err)
	}
	signed := page.sign(key)
	if code, out := pamline("verify", "--key", mine+".pub", signed); code != 0 {
		t.Errorf("with the key: exit %d\n%s", code, out)
	}
	if code, out := pamline("verify", "--key", other+".pub", signed); code != 3 {
		t.Errorf("with another key: exit %d\n%s", code, out)
	}
	if code, out := pamline("validate", signed); code != 0 {
		t.Errorf("validate: exit %d\n%s", code, out)
	}
	code, body := page.send(http.MethodGet, "/page/store/export", "", nil, "")
	unsigned := filepath.Join(t.TempDir(), "unsigned.zip")
	if err := os.WriteFile(unsigned, []byte(body), 0o600); err != nil || code != http.StatusOK {
		t.Fatal(code, err)
	}
	if code, out := pamline("verify", "--key", mine+".pub", unsigned); code != 1 {
		t.Errorf("without a signature: exit %d\n%s", code, out)
	}
}

// A proxy on this machine may serve the page under the names of http.hosts.
func TestThePageAnswersToTheNamesOfItsSettings(t *testing.T) {
	t.Parallel()
	page := openPage(t, importTalk(t), "--set", "http.hosts=memories.example.net, pam.local")
	for host, want := range map[string]int{"": http.StatusOK, "memories.example.net": http.StatusUnauthorized, "PAM.local:8443": http.StatusUnauthorized, "attacker.example": http.StatusMisdirectedRequest, "memories.example.net.attacker.example": http.StatusMisdirectedRequest} {
		// A cookie belongs to one name: under another one the page is closed, but it answers.
		if code, body := page.send(http.MethodGet, "/page/memories", "", nil, host); code != want {
			t.Errorf("%q: %d, want %d: %s", host, code, want, body)
		}
	}
}
