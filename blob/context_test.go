package blob_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
)

func TestReadingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := blob.ContextReader(ctx, strings.NewReader("before and after"))
	start := make([]byte, len("before"))
	if _, err := io.ReadFull(r, start); err != nil || string(start) != "before" {
		t.Fatalf("read %q, %v", start, err)
	}
	cancel()
	if rest, err := io.ReadAll(r); len(rest) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("read %q after the end, error %v", rest, err)
	}
}
