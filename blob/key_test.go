package blob_test

import (
	"errors"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pamline/pamline/blob"
)

func TestValidKeys(t *testing.T) {
	for _, key := range []string{
		"a", "a/b", "...", ".hidden", "a b", "ü", "x/.pamline", "owners/ann/head.json", strings.Repeat("a", 255),
		strings.Repeat("abc/", 255) + "abcd",
	} {
		if err := blob.ValidKey(key); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	for _, key := range []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", `a\b`, "a\x00", "a\x7f", "a\u0085", "\xff", "a\ufffe",
		".pamline", ".pamline/x", ".PAMLINE/x", strings.Repeat("a", 256), "x/" + strings.Repeat("ü", 128), strings.Repeat("a/", 512) + "a",
	} {
		if err := blob.ValidKey(key); !errors.Is(err, blob.ErrKey) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func FuzzValidKey(f *testing.F) {
	for _, seed := range []string{"a/b", "../x", "a//b", "/a", "ü/\xff", ".pamline/tmp", "a\\b", "a/.", "x\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if blob.ValidKey(key) != nil {
			return
		}
		if key == "" || path.Clean("/"+key) != "/"+key || !utf8.ValidString(key) || len(key) > 1024 || strings.ContainsAny(key, "\\\x00\n") ||
			strings.HasPrefix(key, blob.Reserved+"/") {
			t.Errorf("%q is called valid", key)
		}
		for i := range key {
			if err := blob.ValidPrefix(key[:i]); err != nil && !strings.HasSuffix(key[:i], "/.") && key[:i] != "." && !strings.Contains(key[:i], "/./") {
				t.Errorf("%q begins the valid key %q: %v", key[:i], key, err)
			}
		}
	})
}
