// Package browsertest drives a headless Chromium for tests and screenshots. It speaks the DevTools
// protocol over pipes, so that no port is opened.
package browsertest

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

// ErrNone is returned when the machine has no Chromium.
var ErrNone = errors.New("there is no chromium: install Debian's package chromium")

// names are what the browser is called, by distribution.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

// Browser is a running Chromium with an empty profile.
type Browser struct {
	command *exec.Cmd
	write   *os.File
	profile string

	mu      sync.Mutex
	last    int
	waiting map[int]chan answer
	ended   error
}

type answer struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Start starts a browser, whose profile lies in a folder. Close ends it.
func Start(scratch string) (*Browser, error) {
	path := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, ErrNone
	}
	b := &Browser{profile: scratch, waiting: map[int]chan answer{}}
	theirs, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	read, said, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	b.write = write
	b.command = exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", "--user-data-dir="+scratch, "--remote-debugging-pipe", "about:blank")
	b.command.ExtraFiles = []*os.File{theirs, said}
	if err := b.command.Start(); err != nil {
		return nil, fmt.Errorf("start browser: %w", err)
	}
	err = errors.Join(theirs.Close(), said.Close())
	go b.receive(read)
	return b, err
}

// Close ends the browser.
func (b *Browser) Close() error {
	err := b.call(context.Background(), "", "Browser.close", nil, nil)
	if err != nil {
		err = errors.Join(err, b.command.Process.Kill())
	}
	return errors.Join(err, b.command.Wait(), b.write.Close())
}

// receive hands answers to who waits for them. Events are not looked at.
func (b *Browser) receive(read *os.File) {
	r := bufio.NewReaderSize(read, 1<<20)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			break
		}
		var a answer
		if json.Unmarshal(text[:len(text)-1], &a) != nil || a.ID == 0 {
			continue
		}
		b.mu.Lock()
		if c := b.waiting[a.ID]; c != nil {
			c <- a
			delete(b.waiting, a.ID)
		}
		b.mu.Unlock()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = errors.New("the browser has ended")
	for _, c := range b.waiting {
		close(c)
	}
	_ = read.Close() // it was only read
}

// call sends a command and decodes its result.
func (b *Browser) call(ctx context.Context, session, method string, params map[string]any, result any) error {
	b.mu.Lock()
	if b.ended != nil {
		b.mu.Unlock()
		return b.ended
	}
	b.last++
	message := map[string]any{"id": b.last, "method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	got := make(chan answer, 1)
	b.waiting[b.last] = got
	text, err := json.Marshal(message)
	if err == nil {
		_, err = b.write.Write(append(text, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case a, ok := <-got:
		switch {
		case !ok:
			return errors.New(method + ": the browser has ended")
		case a.Error != nil:
			return errors.New(method + ": " + a.Error.Message)
		case result != nil:
			return json.Unmarshal(a.Result, result)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: no answer: %w", method, ctx.Err())
	}
}

// Tab is one page of the browser.
type Tab struct {
	b       *Browser
	ctx     context.Context //nolint:containedctx // the life of the tab
	person  string
	session string
}

// Open opens a tab of a size, with cookies of its own. Close closes it. What it does waits until
// ctx ends, and no shorter: how long a page takes says more of the machine than of the page.
func (b *Browser) Open(ctx context.Context, width, height int) (*Tab, error) {
	var person struct{ BrowserContextID string }
	if err := b.call(ctx, "", "Target.createBrowserContext", nil, &person); err != nil {
		return nil, err
	}
	var target struct{ TargetID string }
	if err := b.call(ctx, "", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": person.BrowserContextID}, &target); err != nil {
		return nil, err
	}
	var attached struct{ SessionID string }
	if err := b.call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached); err != nil {
		return nil, err
	}
	t := &Tab{b, ctx, person.BrowserContextID, attached.SessionID}
	return t, t.Resize(width, height)
}

// Close closes the tab and forgets its cookies.
func (t *Tab) Close() error {
	return t.b.call(context.Background(), "", "Target.disposeBrowserContext", map[string]any{"browserContextId": t.person}, nil)
}

func (t *Tab) call(method string, params map[string]any, result any) error {
	return t.b.call(t.ctx, t.session, method, params, result)
}

// Resize sets the size of the tab.
func (t *Tab) Resize(width, height int) error {
	return t.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
}

// SetDark chooses the colors that the person prefers.
func (t *Tab) SetDark(dark bool) error {
	value := map[bool]string{true: "dark", false: "light"}[dark]
	return t.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": value}}}, nil)
}

// DisableScript switches the scripts of pages off.
func (t *Tab) DisableScript() error {
	return t.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
}

// Go opens an address and waits until the page is there.
func (t *Tab) Go(address string) error {
	var went struct{ ErrorText string }
	if err := t.call("Page.navigate", map[string]any{"url": address}, &went); err != nil {
		return err
	}
	if went.ErrorText != "" {
		return errors.New("open page: " + went.ErrorText)
	}
	return t.Until(`document.readyState === "complete" && location.href !== "about:blank"`)
}

// Eval evaluates an expression in the page.
func (t *Tab) Eval(expression string, into any) error {
	var got struct {
		Result struct {
			Value json.RawMessage
		}
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := t.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}, &got); err != nil {
		return err
	}
	if d := got.ExceptionDetails; d != nil {
		return fmt.Errorf("evaluate %s: %s %s", expression, d.Text, d.Exception.Description)
	}
	if into == nil || got.Result.Value == nil {
		return nil
	}
	return json.Unmarshal(got.Result.Value, into)
}

// Until waits until an expression is true. It may fail meanwhile: a page is left for another one.
func (t *Tab) Until(expression string) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	last := ""
	for n := 0; ; n++ {
		is := false
		err := t.Eval("!!("+expression+")", &is)
		if err == nil && is {
			return nil
		}
		if n%20 == 19 {
			_ = t.Eval("document.body.innerText", &last) // what cannot be read is missing from the message only
		}
		select {
		case <-tick.C:
		case <-t.ctx.Done():
			return errors.Join(fmt.Errorf("the page never had %s; it says: %.2000s", expression, last), err)
		}
	}
}

// ChooseFile puts a file into the file input that a selector names.
func (t *Tab) ChooseFile(selector, path string) error {
	var object struct{ Result struct{ ObjectID string } }
	if err := t.call("Runtime.evaluate", map[string]any{"expression": "document.querySelector(" + fmt.Sprintf("%q", selector) + ")"}, &object); err != nil {
		return err
	}
	return t.call("DOM.setFileInputFiles", map[string]any{"files": []string{path}, "objectId": object.Result.ObjectID}, nil)
}

// Picture is what the tab shows, as PNG.
func (t *Tab) Picture() ([]byte, error) {
	var got struct{ Data string }
	if err := t.call("Page.captureScreenshot", map[string]any{"format": "png"}, &got); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(got.Data)
}
