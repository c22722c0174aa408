package signature_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/signature"
)

func source(text string) pamio.Source {
	return pamio.Source{Name: "store", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// Unknown members, nulls, the order of members, the white space inside of elements and unsorted
// memories must survive.
const odd = ` { "x-new" : {"a":[1, 2]}, "relations": [], "schema":"portable-ai-memory","schema_version":"1.0",
	"memories":[ {"id":"m-2","content":"two","n":1.50}, {"id":"m-1" , "summary":null} ], "type_registry":null,
	"owner":{"id":"ada","did":null},"export_id":"e-1","export_date":"2026-02-01T00:00:00+01:00", "signature": null}`

func sign(t testing.TB, text string, key keys.Private) string {
	t.Helper()
	in, scalars, err := pamio.ReadIntegrity(source(text), pamio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	claims := signature.Of(scalars).Claims
	claims.Checksum = in.Checksum
	sig, err := signature.Sign(claims, key, key.Algorithm(), "2026-02-01T00:00:00Z", "")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := pamio.WriteSigned(&out, source(text), pamio.Limits{}, scalars, in, sig); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func generate(t testing.TB, a keys.Algorithm) keys.Private {
	t.Helper()
	k, err := keys.Generate(a)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestSigningLeavesEverythingElseAsItIs(t *testing.T) {
	key := generate(t, keys.Ed25519)
	signed := sign(t, odd, key)
	var before, after map[string]any
	if err := json.Unmarshal([]byte(odd), &before); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(signed), &after); err != nil {
		t.Fatal(err, signed)
	}
	for _, lexeme := range []string{`{"id":"m-2","content":"two","n":1.50}`, `{"id":"m-1" , "summary":null}`, `"x-new":{"a":[1, 2]}`, `"relations":[]`} {
		if !strings.Contains(signed, lexeme) {
			t.Errorf("%s is not in %s", lexeme, signed)
		}
	}
	delete(after, "integrity")
	after["signature"] = nil
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("%v became %v", before, after)
	}
	r, _, err := signature.CheckStore(source(signed), pamio.Limits{}, key.Public())
	if err != nil || r.Verdict != signature.Trusted {
		t.Errorf("%v, %v, %v", r.Verdict, r.Problems, err)
	}
	if again := sign(t, signed, key); again != signed {
		t.Errorf("signing twice gives\n%s\nand\n%s", signed, again)
	}
}

// Every byte of the memories and of the other covered fields counts.
func TestAStoreWithOneChangedByteIsNotValid(t *testing.T) {
	signed := sign(t, odd, generate(t, keys.ES256))
	covered := []string{`"content":"two","n":1.5`, `"export_id":"e-1"`, `2026-02-01T00:00:00+01:00`, `"id":"ada"`}
	for _, part := range covered {
		at := strings.Index(signed, part)
		for i := at; at >= 0 && i < at+len(part); i++ {
			for _, b := range []byte{'0', 'x', signed[i] ^ 1} {
				if b == signed[i] {
					continue
				}
				text := signed[:i] + string(b) + signed[i+1:]
				r, _, err := signature.CheckStore(source(text), pamio.Limits{})
				if err == nil && r.Verdict.IsValid() {
					t.Errorf("%q in the place of %q is %v", text[at:at+len(part)], part, r.Verdict)
				}
			}
		}
		if at < 0 {
			t.Errorf("%s is not in the store", part)
		}
	}
}

func TestWhatCannotBeSigned(t *testing.T) {
	key := generate(t, keys.Ed25519)
	good := signature.Claims{Checksum: "sha256:x", ExportID: "e", ExportDate: "2026-02-01T00:00:00Z", OwnerID: "ada"}
	for name, c := range map[string]struct {
		change func(*signature.Claims)
		a      keys.Algorithm
		at     string
		want   error
	}{
		"no export_id": {change: func(c *signature.Claims) { c.ExportID = "" }, want: signature.ErrIncomplete},
		"no checksum":  {change: func(c *signature.Claims) { c.Checksum = "" }, want: signature.ErrIncomplete},
		"no date":      {change: func(c *signature.Claims) { c.ExportDate = "" }, want: signature.ErrIncomplete},
		"no owner":     {change: func(c *signature.Claims) { c.OwnerID = "" }, want: signature.ErrIncomplete},
		"not a date":   {change: func(c *signature.Claims) { c.ExportDate = "yesterday" }},
		"too early":    {at: "2026-01-31T23:59:59Z"},
		"another kind": {a: keys.ES256, want: keys.ErrMismatch},
	} {
		claims := good
		if c.change != nil {
			c.change(&claims)
		}
		a, at := keys.Ed25519, "2026-02-01T00:00:00Z"
		if c.a != "" {
			a = c.a
		}
		if c.at != "" {
			at = c.at
		}
		if _, err := signature.Sign(claims, key, a, at, ""); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// The order of the memories in the file does not matter; two with one id have no order.
func TestIntegrityOfUnsortedMemories(t *testing.T) {
	sorted := strings.Replace(odd, `{"id":"m-2","content":"two","n":1.50}, {"id":"m-1" , "summary":null}`, `{"id":"m-1","summary":null},{"content":"two","id":"m-2","n":1.5}`, 1)
	a, _, err := pamio.ReadIntegrity(source(odd), pamio.Limits{Budget: 1, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := pamio.ReadIntegrity(source(sorted), pamio.Limits{})
	if err != nil || a != b || a.TotalMemories != 2 {
		t.Errorf("%+v and %+v, %v", a, b, err)
	}
	for _, twice := range []string{strings.Replace(odd, "m-2", "m-1", 1), strings.Replace(odd, `"id":"m-2",`, "", 1)} {
		if _, _, err := pamio.ReadIntegrity(source(twice), pamio.Limits{}); err == nil {
			t.Error("memories without an id of their own have a checksum")
		}
	}
}
