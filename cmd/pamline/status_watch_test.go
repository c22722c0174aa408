package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/config"
)

// stopper ends a command once it has written a text.
type stopper struct {
	strings.Builder
	text string
	end  context.CancelFunc
}

func (s *stopper) Write(p []byte) (int, error) {
	n, err := s.Builder.Write(p)
	if strings.Contains(s.String(), s.text) {
		s.end()
	}
	return n, err
}

// Who watches a data folder in which nothing has started is told that the command waits, once.
func TestWatchSaysThatItWaits(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	said := &stopper{text: "waiting for the first import", end: end}
	loaded, err := config.Load(config.Sources{Set: map[string]string{"data": filepath.Join(t.TempDir(), "later")}})
	if err != nil {
		t.Fatal(err)
	}
	err = (&statusCommand{Watch: true}).watch(&app{ctx: ctx, stdout: io.Discard, stderr: said}, loaded)
	if !errors.Is(err, context.Canceled) || strings.Count(said.String(), "waiting") != 1 {
		t.Errorf("watch ended with %v and said %q", err, said.String())
	}
}
