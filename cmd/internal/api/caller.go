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

// Caller is a command's side of the admin API of a running service.
type Caller struct{ addr, token, folder string }

// straight follows no redirection: the token is for the service alone.
var straight = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// callTimeout bounds one request: the service records and queues, and does the work afterwards.
const callTimeout = time.Minute

// FindService returns the service that uses a data folder. ErrNotRunning: there is none.
func FindService(folder string) (Client, error) {
	c := &Caller{folder: folder}
	for name, into := range map[string]*string{addrFile: &c.addr, tokenFile: &c.token} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if errors.Is(err, os.ErrNotExist) {
			return Client{}, ErrNotRunning
		}
		if err != nil {
			return Client{}, fmt.Errorf("find service: %w: run the command as the user who runs the service", err)
		}
		*into = strings.TrimSpace(string(text))
	}
	return Client{c}, nil
}

// RefusedError is the answer of a service that did not do what was requested.
type RefusedError struct {
	// Wrong: the request itself is wrong and has to be changed. Otherwise something failed.
	Wrong bool
	Text  string
}

func (e *RefusedError) Error() string { return e.Text }

// Post sends a request, and decodes the answer. ErrNotRunning: the service has stopped.
func (c *Caller) Post(ctx context.Context, path string, request, answer any) error {
	body, err := json.Marshal(request)
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
		return fmt.Errorf("%w: another program uses its port", ErrNotRunning)
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

// pingTimeout bounds the search for a service: one on this machine answers at once.
const pingTimeout = 10 * time.Second

// Ping returns how the service of the data folder reads drops (pipeline.Options.ReadingID), or
// ErrNotRunning: its address may have been left behind by a service that was killed.
func (c *Caller) Ping(ctx context.Context) (reading string, err error) {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	var answer pingAnswer
	err = c.Post(ctx, pingPath, struct{}{}, &answer)
	return answer.Reading, err
}
