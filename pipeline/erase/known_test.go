package erase_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/statetest"
)

// Else no erasure of the tests would have anything to find there.
func TestTheSeededStoreHasKnownElementsWithWords(t *testing.T) {
	t.Parallel()
	if r := seeded(t); !isKnown(t, r.Data, place(1)) {
		t.Error("no known element has words of a conversation")
	}
}

// isKnown tells whether known elements have a word.
func isKnown(t testing.TB, s *statetest.Store, word string) bool {
	t.Helper()
	for _, key := range s.Keys("owners/") {
		if !strings.Contains(key, "/known/") {
			continue
		}
		body, _ := s.Body(key)
		for _, text := range expanded(t, s, key, []byte(body)) {
			if bytes.Contains(text, []byte(word)) {
				return true
			}
		}
	}
	return false
}
