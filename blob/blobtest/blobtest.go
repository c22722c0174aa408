// Package blobtest is the conformance suite of blob.Store. A backend's own test calls [Run] once.
package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
)

// Run holds a store to the contract of blob.Store, and of blob.Batcher and blob.Opener where it
// implements them. open gives an empty store; it is called once for each subtest, and may give
// views of one store that do not see each other's keys.
func Run(t *testing.T, open func(t *testing.T) blob.Store) {
	for _, c := range []struct {
		name string
		test func(*testing.T, blob.Store)
	}{
		{"a missing object does not exist", testMissing},
		{"what was put is got", testRoundTrip},
		{"ranges select bytes", testRanges},
		{"a long stream of unknown length arrives whole", testLongStream},
		{"a failing body leaves no object", testFailingBody},
		{"different bytes have different tags", testTags},
		{"odd keys are kept apart", testOddKeys},
		{"invalid keys are refused everywhere", testInvalidKeys},
		{"conditions that exclude each other are refused", testBothConditions},
		{"IfAbsent writes once", testIfAbsent},
		{"IfMatch replaces what it names", testIfMatch},
		{"one of many racing writers wins IfAbsent", testRacingIfAbsent},
		{"one of many racing long uploads wins IfAbsent", testRacingLongIfAbsent},
		{"no update is lost in racing IfMatch chains", testRacingIfMatch},
		{"readers see whole objects while writers replace them", testNoPartialReads},
		{"deletes race with writes without losing any", testDeleteRace},
		{"lists come in byte order of keys", testListOrder},
		{"lists keep to their prefix", testListPrefix},
		{"a list can be left early", testListEarly},
		{"folders are listed without what is in them", testListFolders},
		{"a batch writes what is missing", testBatch},
		{"a cancelled context ends every call", testCancelled},
		{"any place of an object can be read", testReaderAt},
		{"a pinned object that is replaced is noticed", testReaderAtChanged},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// mustPut writes or ends the test.
func mustPut(t *testing.T, s blob.Store, key string, data []byte) blob.Object {
	t.Helper()
	obj, err := s.Put(t.Context(), key, bytes.NewReader(data), blob.PutOptions{})
	if err != nil {
		t.Fatalf("put %q: %v", key, err)
	}
	return obj
}

func mustGet(t *testing.T, s blob.Store, key string, r blob.Range) ([]byte, blob.Object) {
	t.Helper()
	data, obj, err := readObject(t.Context(), s, key, r)
	if err != nil {
		t.Fatalf("get %q %+v: %v", key, r, err)
	}
	return data, obj
}

func readObject(ctx context.Context, s blob.Store, key string, r blob.Range) ([]byte, blob.Object, error) {
	body, obj, err := s.Get(ctx, key, r)
	if err != nil {
		return nil, blob.Object{}, err
	}
	data, err := io.ReadAll(body)
	return data, obj, errors.Join(err, body.Close())
}

func listKeys(t *testing.T, s blob.Store, prefix string) []string {
	t.Helper()
	var all []string
	for obj, err := range s.List(t.Context(), prefix) {
		if err != nil {
			t.Fatalf("list %q: %v", prefix, err)
		}
		all = append(all, obj.Key)
	}
	return all
}

func wantKeys(t *testing.T, s blob.Store, prefix string, want ...string) {
	t.Helper()
	if got := listKeys(t, s, prefix); !slices.Equal(got, want) {
		t.Errorf("list %q\n got %q\nwant %q", prefix, got, want)
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

// noiseBytes gives bytes that are the same for the same seed.
func noiseBytes(seed uint64, size int) []byte {
	var key [32]byte
	copy(key[:], fmt.Sprint("noise", seed))
	data := make([]byte, size)
	rand.NewChaCha8(key).Read(data)
	return data
}

// streamOf hides everything of a reader but Read, so that its length is unknown.
func streamOf(data []byte) io.Reader { return struct{ io.Reader }{bytes.NewReader(data)} }

func textReader(s string) io.Reader { return strings.NewReader(s) }
