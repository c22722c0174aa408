// Package apertomemory reads memories of ApertoMemory (draft-ferro-apertomemory) that were opened:
// a file of CBOR with one payload, a list of them, or payloads one behind the other. A payload is a
// map: 1 the type (1 episodic, 2 semantic, 3 procedural), 2 the content, 3 the confidence, 4 where
// it comes from, 5 the trust, 6 tags, 7 the times, 9 the end.
//
// The container .amem itself is sealed: everything in it is encrypted under a passphrase. It is
// recognized, and refused with advice. What others than the person wrote is tagged untrusted.
package apertomemory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

const (
	provider    = "apertomemory"
	version     = "apertomemory-importer/2026.11"
	rolePayload = "payloads"
)

// New gives the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: provider, Release: version, File: "payloads.cbor",
		ClaimMembers: claim, SplitMember: cut.File, DecodeUnit: decode,
		RestoreElement: cut.WithoutInverse("payloads hold no conversations"),
	}
}

func claim(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	for _, m := range members {
		s, err := peek.Shape(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		if err != nil || !s.Other() || s.SQLite {
			continue
		}
		prefix, err := peek.Prefix(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		switch {
		case err != nil:
		case isPayload(prefix):
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: rolePayload})
		case isSealed(prefix):
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: "a sealed ApertoMemory file (.amem): everything in it is encrypted; open its memories with the program that has the passphrase, and drop those"})
		}
	}
	return c, nil
}

// isPayload tells whether bytes begin with a payload, or a list of payloads: a map whose first keys
// are 1 with a small number and 2 with a text.
func isPayload(b []byte) bool {
	if len(b) > 1 && b[0]>>5 == majorArray {
		r := &reader{b: b}
		if _, n, _, err := r.head(); err != nil || n == 0 {
			return false
		}
		b = b[r.i:]
	}
	return len(b) > 5 && b[0]>>5 == majorMap && b[0]&31 >= 3 && b[1] == 1 && b[2] >= 1 && b[2] <= 3 && b[3] == 2 && b[4]>>5 == majorText
}

// isSealed tells whether bytes begin as the container: {1: version, 2: {…}, 3: […], 4: {…}}.
func isSealed(b []byte) bool {
	return len(b) > 8 && b[0] == 0xA4 && b[1] == 1 && b[2] <= 9 && b[3] == 2 && b[4]>>5 == majorMap && bytes.Contains(b, []byte("sign_pub"))
}

// decode makes memories of the payloads of a file.
func decode(u importer.Unit) (items []importer.Item, err error) {
	for at, n := 0, 0; at < len(u.Raw); {
		text, size, err := toJSON(u.Raw[at:])
		if err != nil {
			return nil, lossless.Fail(u, cut.CodeSyntax, "the file breaks off or is damaged behind byte %d: %v", at, err)
		}
		d, err := jsonscan.Parse(text, u.Limits.WithDefaults().MaxDepth)
		if err != nil || d.Root().Odd() {
			return nil, lossless.Fail(u, cut.CodeSyntax, "the value at byte %d cannot be written as JSON", at)
		}
		list := []jsonscan.Node{d.Root()}
		if d.Root().Kind() == jsonscan.Array {
			list = nil
			for v := range d.Root().Items() {
				list = append(list, v)
			}
		}
		for _, v := range list {
			items = append(items, payload(v, n))
			n++
		}
		at += size
	}
	if len(items) == 0 {
		return importer.Skipped("empty", "the file holds no payload", 1), nil
	}
	return items, nil
}

var types = map[string]string{"1": "context", "2": "fact", "3": "instruction"}

// payload makes the memory of one payload. What is none is kept.
func payload(n jsonscan.Node, index int) importer.Item {
	raw := n.AppendCompact(nil)
	pointer := "/" + strconv.Itoa(index)
	content, kind := n.Get("2").Str(), types[string(n.Get("1").Raw())]
	if content == "" || kind == "" {
		return importer.Item{Record: &importer.Record{Kind: importer.RecordSetting, Provider: provider, Pointer: pointer, Raw: raw}}
	}
	sum := sha256.Sum256(raw)
	m := pamio.Memory{
		ID: provider + ":" + hex.EncodeToString(sum[:12]), Type: kind, Status: "active", Content: content, ContentHash: pamio.ContentHash(content), Tags: []string{},
		Temporal:   pamio.Temporal{CreatedAt: "1970-01-01T00:00:00Z", ValidUntil: when(n.Get("9"))},
		Provenance: pamio.Provenance{Platform: provider, ExtractionMethod: "api_export"},
	}
	if at := when(n.Get("7").Get("1")); at != "" {
		m.Temporal.CreatedAt = at
	}
	m.Temporal.UpdatedAt = when(n.Get("7").Get("2"))
	for t := range n.Get("6").Items() {
		if pamio.IsTag(t.Str()) {
			m.Tags = append(m.Tags, t.Str())
		}
	}
	if trust := string(n.Get("5").Raw()); trust != "1" {
		m.Tags = append(m.Tags, "untrusted")
	}
	var sure float64
	if json.Unmarshal(n.Get("3").Raw(), &sure) == nil && sure >= 0 && sure <= 1 {
		m.Confidence = &pamio.Confidence{Initial: sure, Current: sure, DecayModel: "none"}
	}
	m.Metadata = fmt.Appendf(nil, `{%q:%s}`, provider, raw)
	text, err := m.AppendCanonical(nil)
	if err != nil {
		return importer.Item{Record: &importer.Record{Kind: importer.RecordSetting, Provider: provider, Pointer: pointer, Raw: raw}}
	}
	return importer.Item{Record: &importer.Record{Kind: importer.RecordPAMMemory, Provider: provider, Pointer: pointer, Raw: text, CreatedAt: m.Temporal.CreatedAt}}
}

// when reads a time: seconds since 1970, or a text.
func when(n jsonscan.Node) string {
	if n.Kind() == jsonscan.String {
		if t, err := pamio.ParseTime(n.Str()); err == nil {
			return pamio.FormatTime(t)
		}
		return ""
	}
	seconds, err := strconv.ParseFloat(string(n.Raw()), 64)
	if n.Kind() != jsonscan.Number || err != nil || seconds < 0 || seconds > 253402300799 {
		return ""
	}
	return pamio.FormatTime(time.Unix(int64(seconds), 0).UTC())
}

func validText(s []byte) bool { return utf8.Valid(s) }
