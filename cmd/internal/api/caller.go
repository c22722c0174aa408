package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Caller is a command's side of a running service's door.
type Caller struct{ addr, token, folder string }

// straight follows no redirection: the token is for the service alone.
var straight = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// callTimeout bounds one ask: the service records and queues, and does the work afterwards.
const callTimeout = time.Minute

// FindDoor gives the door of the service that uses a data folder. ErrNotRunning: there is none.
func FindDoor(folder string) (*Caller, error) {
	c := &Caller{folder: folder}
	for name, into := range map[string]*string{addrFile: &c.addr, tokenFile: &c.token} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if errors.Is(err, os.ErrNotExist) {
			return nil, ErrNotRunning
		}
		if err != nil {
			return nil, fmt.Errorf("find service: %w: run the command as the user who runs the service", err)
		}
		*into = strings.TrimSpace(string(text))
	}
	return c, nil
}

// RefusedError is the answer of a service that did not do what it was asked.
type RefusedError struct {
	// Wrong: the ask itself is wrong and has to be changed. Otherwise something failed.
	Wrong bool
	Text  string
}

func (e *RefusedError) Error() string { return e.Text }

// Post asks the service, and decodes what it answers. ErrNotRunning: nobody is there any more.
func (c *Caller) Post(ctx context.Context, path string, ask, answer any) error {
	body, err := json.Marshal(ask)
	if err != nil {
		return fmt.Errorf("ask service: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.addr+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask service: %w", err)
	}
	req.Header.Set(tokenHeader, c.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := straight.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("ask service: %w", err)
		}
		return fmt.Errorf("%w: %w", ErrNotRunning, err)
	}
	defer resp.Body.Close()
	if resp.Header.Get(folderHeader) != folderID(c.folder) {
		return fmt.Errorf("%w: its port answers for somebody else", ErrNotRunning)
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096)) // what cannot be read is missing from the message only
		return &RefusedError{Wrong: resp.StatusCode == http.StatusBadRequest, Text: strings.TrimSpace(string(text))}
	}
	if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
		return fmt.Errorf("ask service: %w", err)
	}
	return nil
}

// Alive tells why the service does not answer any more.
func (c *Caller) Alive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.addr+"/healthz", nil)
	if err != nil {
		return fmt.Errorf("ask service: %w", err)
	}
	resp, err := straight.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotRunning, err)
	}
	return resp.Body.Close()
}
