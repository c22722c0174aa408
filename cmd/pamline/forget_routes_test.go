package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"
)

// routes are the ways on which a person erases. Each starts an erasure: wait ends it, as kill does
// at any time.
var routes = []struct {
	name  string
	erase func(p *person, level, id string) (wait func(), kill func())
}{
	{"command", (*person).eraseByCommand}, {"HTTP", (*person).eraseByHTTP}, {"form", (*person).eraseByForm},
}

// nothingThere is what is said of a target that an earlier try has erased.
const nothingThere = "has nothing of that id"

func (p *person) eraseByCommand(level, id string) (wait func(), kill func()) {
	args := []string{"erase", "--yes"}
	if level != "owner" {
		args = append(args, "--"+level, id)
	}
	c, out := p.begin(args...)
	return func() {
		if err := c.Wait(); err != nil && !strings.Contains(out.String(), nothingThere) {
			p.Fatalf("%v: %s", err, out)
		}
		p.keepLog(out.String())
	}, func() { p.killed(c, out) }
}

// eraseByHTTP asks a running service.
func (p *person) eraseByHTTP(level, id string) (wait func(), kill func()) {
	address := p.path("data", "http.addr")
	if err := os.Remove(address); err != nil && !errors.Is(err, os.ErrNotExist) { // of a service that was killed
		p.Fatal(err)
	}
	up, out := p.begin("up")
	body, err := json.Marshal(map[string]string{"owner": "me", "level": level, "id": id})
	if err != nil {
		p.Fatal(err)
	}
	answered := make(chan string, 1)
	ctx, cancel := context.WithCancel(p.Context())
	go func() {
		text, err := askService(ctx, address, p.path("data", "http.token"), body)
		if err != nil {
			text = "lost: " + err.Error()
		}
		answered <- text
	}()
	return func() {
		if text := <-answered; !strings.HasPrefix(text, "200 ") && !strings.Contains(text, nothingThere) {
			p.Fatalf("%s\n%s", text, out)
		}
		if err := up.Process.Signal(os.Interrupt); err != nil {
			p.Fatal(err)
		}
		if err := up.Wait(); err != nil {
			p.Fatalf("%v: %s", err, out)
		}
		cancel()
		p.keepLog(out.String())
	}, func() { cancel(); p.killed(up, out); <-answered }
}

// askService waits for the address of a service, and asks it to erase.
func askService(ctx context.Context, addressFile, tokenFile string, body []byte) (string, error) {
	var address []byte
	for len(address) == 0 {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
		address, _ = os.ReadFile(addressFile)
	}
	token, err := os.ReadFile(tokenFile)
	if err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+strings.TrimSpace(string(address))+"/admin/erase", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Pamline-Token", strings.TrimSpace(string(token)))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(resp.Body)
	return fmt.Sprint(resp.StatusCode, " ", string(text)), errors.Join(err, resp.Body.Close())
}

// eraseByForm fills in the form of the page, as a browser does.
func (p *person) eraseByForm(level, id string) (wait func(), kill func()) {
	c := p.command("me", "open", "--no-browser")
	var log bytes.Buffer
	c.Stderr = &log
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		p.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- fillForm(bufio.NewReader(out), level, id) }()
	return func() {
		if err := <-ended; err != nil {
			p.Fatalf("%v\n%s", err, log.String())
		}
		if err := c.Process.Signal(os.Interrupt); err != nil {
			p.Fatal(err)
		}
		if err := c.Wait(); err != nil && c.ProcessState.ExitCode() != 130 {
			p.Fatalf("%v: %s", err, log.String())
		}
		p.keepLog(log.String())
	}, func() { p.killed(c, &log); <-ended }
}

// fillForm looks at the preview, agrees, and waits for the receipt.
func fillForm(out *bufio.Reader, level, id string) error {
	line, err := out.ReadString('\n')
	if err != nil {
		return err
	}
	address, _, _ := strings.Cut(strings.TrimSpace(line), "/page/")
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	page := &browser{http.Client{Jar: jar}}
	if _, err := page.get(strings.TrimSpace(line)); err != nil {
		return err
	}
	preview, err := page.get(address + "/page/erase?" + url.Values{"level": {level}, "id": {id}}.Encode())
	switch {
	case err != nil:
		return err
	case strings.Contains(preview, "There is nothing of that id to erase."):
		return nil
	case !strings.Contains(preview, "This goes for good"):
		return fmt.Errorf("the preview is %s", preview)
	}
	text, err := page.read(page.PostForm(address+"/page/erase", url.Values{"level": {level}, "id": {id}, "owner": {"me"}, "agree": {"yes"}}))
	for err == nil && strings.Contains(text, "<h1>Erasing…</h1>") {
		time.Sleep(50 * time.Millisecond)
		text, err = page.get(address + "/page/erase/result")
	}
	if err == nil && !strings.Contains(text, "<h1>Erased</h1>") {
		err = fmt.Errorf("the page says: %s", text)
	}
	return err
}

// browser follows the page while a store is being opened.
type browser struct{ http.Client }

func (b *browser) get(address string) (string, error) {
	for {
		resp, err := b.Get(address)
		if err == nil && resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "" {
			if err := resp.Body.Close(); err != nil {
				return "", err
			}
			time.Sleep(20 * time.Millisecond)
			continue
		}
		return b.read(resp, err)
	}
}

func (b *browser) read(resp *http.Response, err error) (string, error) {
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(resp.Body)
	return string(text), errors.Join(err, resp.Body.Close())
}

// begin starts a command of the owner; what it says is complete after it has ended.
func (p *person) begin(args ...string) (*exec.Cmd, *bytes.Buffer) {
	p.Helper()
	c, out := p.command("me", args...), new(bytes.Buffer)
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		p.Fatal(err)
	}
	return c, out
}

func (p *person) killed(c *exec.Cmd, out *bytes.Buffer) {
	_ = c.Process.Kill() // it may have ended
	_ = c.Wait()
	p.keepLog(out.String())
}
