package main

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/did"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/signature"
)

// verified is the report of verify.
type verified struct {
	Path        string              `json:"path"`
	Verdict     signature.Verdict   `json:"verdict"`
	Problems    []signature.Problem `json:"problems"`
	Algorithm   string              `json:"algorithm,omitempty"`
	KeyKind     string              `json:"key_kind,omitempty"`
	Fingerprint string              `json:"fingerprint,omitempty"`
	DID         string              `json:"did,omitempty"`
	KeyID       string              `json:"key_id,omitempty"`
	SignedAt    string              `json:"signed_at,omitempty"`
	ExportID    string              `json:"export_id,omitempty"`
	ExportDate  string              `json:"export_date,omitempty"`
	OwnerID     string              `json:"owner_id"`
	Owner       *ownerDID           `json:"owner_did,omitempty"`
	Covered     []string            `json:"covered,omitempty"`
	NotCovered  []string            `json:"not_covered,omitempty"`
	Files       *verifiedFiles      `json:"files,omitempty"`
}

// ownerDID says how owner.did and the key go together. It is no part of the verdict.
type ownerDID struct {
	DID string `json:"did"`
	// Match is "yes", "no", or "unknown" with the reason in Why.
	Match string `json:"match"`
	Why   string `json:"why,omitempty"`
}

func newVerified(path string, r signature.Result, s *pamio.Scalars) *verified {
	v := &verified{Path: path, Verdict: r.Verdict, Problems: slices.Concat([]signature.Problem{}, r.Problems), ExportID: s.ExportID, ExportDate: s.ExportDate, OwnerID: s.Owner.ID}
	if s.Signature == nil {
		return v
	}
	v.Algorithm, v.KeyID, v.SignedAt = s.Signature.Algorithm, s.Signature.KeyID, s.Signature.SignedAt
	if !r.Key.IsZero() {
		v.KeyKind, v.Fingerprint, v.DID = r.Key.Kind(), r.Key.Fingerprint(), did.OfKey(r.Key)
	}
	if r.Verdict.IsValid() {
		v.Covered, v.NotCovered = signature.Covered, signature.NotCovered
	}
	return v
}

// ownerDID compares owner.did with the key of the signature.
func (c *verifyCommand) ownerDID(a *app, text string, key keys.Public) *ownerDID {
	if text == "" || key.IsZero() {
		return nil
	}
	o := &ownerDID{DID: text, Match: "unknown"}
	u, err := did.Parse(text)
	if err != nil {
		o.Why = err.Error()
		return o
	}
	all, err := c.resolver().Keys(a.ctx, u)
	switch {
	case errors.Is(err, did.ErrMethod) && u.Method == did.WebMethod:
		o.Why = "not resolved; --resolve asks the web server"
	case errors.Is(err, did.ErrMethod):
		o.Why = "DIDs of this method are not resolved here"
	case err != nil:
		o.Why = err.Error()
	case slices.ContainsFunc(all, key.Equal):
		o.Match = "yes"
	default:
		o.Match = "no"
	}
	return o
}

// hints say what a person can do about a verdict.
var hints = map[signature.Verdict]string{
	signature.SelfAsserted: "Nothing shows that this key is the owner's. Get the public key from the owner in another way, then: pamline verify --key FILE",
	signature.Invalid:      "Do not rely on this store.",
	signature.Malformed:    "The signature cannot be read, so it proves nothing.",
	signature.Absent:       "A store without a signature is allowed; it proves nothing about its origin.",
}

func (v *verified) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("%s: %s", v.Path, v.Verdict)
	for _, one := range v.Problems {
		name := "problem"
		if one.Warns() {
			name = "warning"
		}
		p.field(name, "%s", one.Message)
	}
	if v.Algorithm != "" {
		p.field("signed", "%s, %s", cmp.Or(v.SignedAt, "at an unknown time"), v.Algorithm)
	}
	if v.Fingerprint != "" {
		p.field("key", "%s %s", v.KeyKind, v.Fingerprint)
	}
	if o := v.Owner; o != nil {
		p.field("owner.did", "%s: %s", shortenDID(o.DID), map[string]string{
			"yes": "its key is the key of the signature", "no": "its key is ANOTHER key", "unknown": o.Why}[o.Match])
	}
	if v.Covered != nil {
		p.field("covers", "%s", strings.Join(v.Covered, ", "))
	}
	if v.NotCovered != nil {
		p.field("not covered", "%s", strings.Join(v.NotCovered, ", "))
	}
	if text := v.Files.text(); text != "" {
		p.field("files", "%s", text)
	}
	if hint := hints[v.Verdict]; hint != "" {
		p.line("%s", hint)
	}
	return p.err
}

// shortenDID is a DID that fits into a line: that of an RSA key has 700 characters.
func shortenDID(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return s[:most-20] + "…" + s[len(s)-16:]
}
