package sealed_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/pamline/pamline/blob"
)

// The buffers of closed bodies are used again: what is read of one body is never of another.
func TestBodiesThatAreClosedLeaveNothingBehind(t *testing.T) {
	s := seal(t, openDir(t), newMaster(t))
	objects := map[string][]byte{"small": content(10), "large": content(100_000), "other": bytes.Repeat([]byte{7}, 70_000)}
	for key, data := range objects {
		put(t, s, key, data)
	}
	for range 3 {
		for _, key := range []string{"small", "large", "other", "small"} {
			body, _, err := s.Get(t.Context(), key, blob.Range{})
			if err != nil {
				t.Fatal(err)
			}
			half, err := io.ReadAll(io.LimitReader(body, int64(len(objects[key])/2)))
			if err != nil || !bytes.Equal(half, objects[key][:len(half)]) {
				t.Fatalf("%s: %d bytes, %v", key, len(half), err)
			}
			if err := body.Close(); err != nil {
				t.Fatal(err)
			}
			if n, err := body.Read(make([]byte, 9)); n > 0 || err == nil || err == io.EOF {
				t.Errorf("%s is closed and gives %d bytes, %v", key, n, err)
			}
		}
	}
	body, _, err := s.Get(t.Context(), "large", blob.Range{})
	if err != nil {
		t.Fatal(err)
	}
	if err := body.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := body.Read(make([]byte, 9)); n > 0 || err == nil || err == io.EOF {
		t.Errorf("a body closed before it was read gives %d bytes, %v", n, err)
	}
}
