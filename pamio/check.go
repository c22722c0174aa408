package pamio

import (
	"fmt"
	"strconv"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// CheckError says where a document breaks the output profile. Its text holds no content of the
// document.
type CheckError struct {
	Pointer string // JSON pointer (RFC 6901) into the document
	Reason  string
}

func (e *CheckError) Error() string { return "check document: " + e.Pointer + ": " + e.Reason }

// Check tells whether the conversation may be stored: it is valid under the conversation schema and
// keeps the output profile. Roles and kinds are known ones, identifiers present, message ids
// unique, links closed in both directions and without cycles, times in the output form and in
// order, strings UTF-8, counts not negative, raw values compact objects without ambiguous JSON,
// citation URLs absolute. The first fault is returned as a *[CheckError].
func (c *Conversation) Check() error {
	k := checker{doc: docs.Get().(*jsonscan.Doc)}
	defer func() {
		k.doc.Reset()
		docs.Put(k.doc)
	}()
	k.conversation(c)
	if k.err != nil {
		return k.err
	}
	return nil
}

// What a conversation's roles and kinds may be (PAM §25).
var (
	roles           = []string{"user", "assistant", "system", "tool"}
	contentTypes    = []string{"text", "multipart"}
	partTypes       = []string{"text", "image", "code", "file", "audio", "video"}
	attachmentTypes = []string{"file", "image", "audio", "video", "document"}
)

// checker keeps the first fault. at is the JSON pointer of the object that is looked at.
type checker struct {
	err *CheckError
	at  []byte
	doc *jsonscan.Doc
}

// enter adds a step to the pointer and returns what leaves it again.
func (k *checker) enter(key string) int {
	n := len(k.at)
	k.at = append(append(k.at, '/'), key...)
	return n
}

func (k *checker) item(i int) int {
	n := len(k.at)
	k.at = strconv.AppendInt(append(k.at, '/'), int64(i), 10)
	return n
}

func (k *checker) leave(n int) { k.at = k.at[:n] }

func (k *checker) fail(key, format string, args ...any) {
	if k.err != nil {
		return
	}
	pointer := string(k.at)
	if key != "" {
		pointer += "/" + key
	}
	k.err = &CheckError{Pointer: pointer, Reason: fmt.Sprintf(format, args...)}
}

func (k *checker) text(key, s string) {
	if !validUTF8(s) {
		k.fail(key, "not UTF-8")
	}
}

func (k *checker) pointer(key string, s *string) {
	if s != nil {
		k.text(key, *s)
	}
}

func (k *checker) required(key, s string) {
	if s == "" {
		k.fail(key, "missing or empty")
	}
	k.text(key, s)
}

func (k *checker) oneOf(key, s string, known []string) {
	for _, v := range known {
		if s == v {
			return
		}
	}
	if s == "" {
		k.fail(key, "missing")
		return
	}
	k.fail(key, "not one of %q", known)
}

func (k *checker) role(s string) { k.oneOf("role", s, roles) }

func (k *checker) match(key, s string, ok func(string) bool, want string) {
	if s != "" && !ok(s) {
		k.fail(key, "not %s", want)
	}
}

func (k *checker) time(key, s string) {
	k.match(key, s, isOutputTime, "a time of the form 2026-01-31T23:59:59Z, with no fraction or six digits that are not all zero")
}

func (k *checker) count(key string, n *int64) {
	switch {
	case n == nil:
	case *n < 0:
		k.fail(key, "negative")
	case *n > 1<<53-1:
		k.fail(key, "beyond 2^53-1")
	}
}

func (k *checker) span(s Span) {
	n := k.enter("temporal")
	k.required("created_at", s.CreatedAt)
	k.time("created_at", s.CreatedAt)
	k.time("updated_at", s.UpdatedAt)
	if s.UpdatedAt != "" && timeLess(s.UpdatedAt, s.CreatedAt) {
		k.fail("updated_at", "before created_at")
	}
	k.leave(n)
}

// timeLess compares two times of the output form: the fraction, if any, follows the same 19
// characters.
func timeLess(a, b string) bool {
	if len(a) < 20 || len(b) < 20 || a[:19] != b[:19] {
		return a < b
	}
	fa, fb := a[19:], b[19:]
	return fa == "Z" && fb != "Z" || fa != "Z" && fb != "Z" && fa < fb
}

func (k *checker) tags(tags []string) {
	n := k.enter("tags")
	for i, t := range tags {
		if !IsTag(t) {
			k.fail(strconv.Itoa(i), "not a tag of lower-case letters, digits, _ and -")
		}
	}
	k.leave(n)
}

// rawDepth is how deep the values that are written verbatim lie in a document, at most.
const rawDepth = 8

// raw checks a value that is written verbatim.
func (k *checker) raw(key string, r RawJSON, kinds ...jsonscan.Kind) {
	if r == nil {
		return
	}
	if err := k.doc.Parse(r, maxDepth-rawDepth); err != nil {
		k.fail(key, "%v", err)
		return
	}
	root := k.doc.Root()
	switch {
	case root.Odd():
		k.fail(key, "%s", oddReason(root.Flags()))
	case root.Flags()&jsonscan.Spaced != 0 || len(root.Raw()) != len(r):
		k.fail(key, "not compact: there is white space between tokens")
	}
	for _, kind := range kinds {
		if root.Kind() == kind {
			return
		}
	}
	if len(kinds) > 1 {
		k.fail(key, "neither an object nor a string")
		return
	}
	k.fail(key, "not an object")
}
