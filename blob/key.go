package blob

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a key, the tightest of the stores we know: S3 takes 1024 bytes in all, file systems 255
// bytes a name.
const (
	MaxKey     = 1024 // bytes of a whole key
	MaxSegment = 255  // bytes between two slashes
)

// Reserved is the first segment that no key may have. Stores keep what is not an object there:
// blob/dir its scratch files and locks.
const Reserved = ".pamline"

// ValidKey says why a key is not one that every store accepts, or nil. A key is valid UTF-8 of at
// most [MaxKey] bytes: segments joined by single slashes, none of them empty, "." or "..", none
// longer than [MaxSegment] bytes, the first not [Reserved]. Backslashes, control characters and the
// two code points that XML cannot carry are refused. The error wraps [ErrKey].
//
// Keys that differ only in case or in Unicode normalization are different keys, but a store on a
// file system that does not tell them apart (macOS, Windows) cannot keep both. Keys that pamline
// makes are lower-case ASCII.
func ValidKey(key string) error {
	switch {
	case key == "":
		return fmt.Errorf("%w: it is empty", ErrKey)
	case len(key) > MaxKey:
		return fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrKey, len(key), MaxKey)
	}
	return validPath(key, strings.Split(key, "/"))
}

// ValidPrefix says why no valid key can begin with prefix, or nil. The empty prefix is valid, and
// so is one that ends inside a segment.
func ValidPrefix(prefix string) error {
	if len(prefix) > MaxKey {
		return fmt.Errorf("%w: a prefix of %d bytes, at most %d are allowed", ErrKey, len(prefix), MaxKey)
	}
	if i := strings.LastIndexByte(prefix, '/'); i >= 0 {
		if err := validPath(prefix, strings.Split(prefix[:i], "/")); err != nil {
			return err
		}
		return validText(prefix, prefix[i+1:])
	}
	return validText(prefix, prefix)
}

func validPath(key string, segments []string) error {
	for i, s := range segments {
		switch {
		case s == "":
			return fmt.Errorf("%w %q: it has an empty segment", ErrKey, key)
		case s == "." || s == "..":
			return fmt.Errorf("%w %q: it has the segment %q", ErrKey, key, s)
		case len(s) > MaxSegment:
			return fmt.Errorf("%w %q: a segment has %d bytes, at most %d are allowed", ErrKey, key, len(s), MaxSegment)
		case i == 0 && strings.EqualFold(s, Reserved):
			return fmt.Errorf("%w %q: the first segment is reserved", ErrKey, key)
		}
		if err := validText(key, s); err != nil {
			return err
		}
	}
	return nil
}

func validText(key, s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("%w %q: it is not UTF-8", ErrKey, key)
	}
	for _, r := range s {
		if r == '\\' || unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF {
			return fmt.Errorf("%w %q: %U is not allowed", ErrKey, key, r)
		}
	}
	return nil
}
