package validate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/did"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/signature"
)

const (
	noted    = "signature-not-verified"
	verified = "signature-self-asserted"
	invalid  = "signature-invalid"
)

// signingKey is generated once: what it is does not matter to any case.
var signingKey = func() keys.Private {
	k, err := keys.Generate(keys.Ed25519)
	if err != nil {
		panic(err)
	}
	return k
}()

// sign signs the store.
func sign(f *fixture) {
	var s pamio.Scalars
	if err := json.Unmarshal(f.files[storeFile].Data, &s); err != nil {
		f.t.Fatal(err)
	}
	sig, err := signature.Sign(signature.Of(&s).Claims, signingKey, keys.Ed25519, "2026-02-01T00:00:01Z", "")
	if err != nil {
		f.t.Fatal(err)
	}
	f.set(storeFile, "/signature", map[string]any{
		"algorithm": sig.Algorithm, "public_key": sig.PublicKey, "value": sig.Value, "signed_at": sig.SignedAt, "key_id": "did:web:example.org#key-1",
	})
}

// signed signs the store and changes it then.
func signed(changes ...func(*fixture) Target) func(*fixture) Target {
	return func(f *fixture) Target { sign(f); return each(changes...)(f) }
}

// resigned changes the store and signs it then.
func resigned(changes ...func(*fixture) Target) func(*fixture) Target {
	return func(f *fixture) Target { each(changes...)(f); sign(f); return f.bundle() }
}

var signatureMutations = map[string][]mutation{
	"signature-requires": {
		{name: "no export_id", change: signed(del(storeFile, "/export_id")), want: []string{noted, "signature-requires"}},
		{name: "null export_id", change: signed(set(storeFile, "/export_id", nil)), want: []string{noted, "signature-requires"}},
		{name: "empty export_id", change: signed(set(storeFile, "/export_id", "")), want: []string{noted, "signature-requires"}},
		{name: "no export_date", change: signed(del(storeFile, "/export_date")), want: []string{noted, "signature-requires"}},
		{name: "no integrity", change: signed(del(storeFile, "/integrity")), want: []string{noted, "signature-requires", "integrity-absent"}},
	},
	"signature-encoding": {
		{name: "alphabet", change: signed(set(storeFile, "/signature/value", strings.Repeat("A", 85)+"+")), want: []string{noted, "signature-encoding"}},
		{name: "no bytes encode to it", change: signed(set(storeFile, "/signature/value", strings.Repeat("A", 69))), want: []string{noted, "signature-encoding"}},
		{name: "short", change: signed(set(storeFile, "/signature/value", "abc")), want: []string{noted, "signature-encoding"}},
	},
	"signature-jws": {
		{name: "dots", change: signed(set(storeFile, "/signature/value", "eyJhbGciOiJFZERTQSJ9..AAAA")), want: []string{noted, "signature-jws"}},
	},
	"signature-padded": {
		{name: "padded", change: func(f *fixture) Target {
			sign(f)
			f.set(storeFile, "/signature/value", f.get(storeFile, "/signature/value").(string)+"==")
			return f.bundle()
		}, want: []string{verified, "signature-padded"}},
	},
	"signature-time": {
		{name: "before the export", change: signed(set(storeFile, "/signature/signed_at", "2026-01-31T23:59:59Z")), want: []string{"signature-time"}},
	},
	"signature-key-id": {
		{name: "of somebody else", change: signed(set(storeFile, "/signature/key_id", "did:web:example.org.evil#key-1")), want: []string{verified, "signature-key-id"}},
		{name: "a did:key of somebody else", change: each(del(storeFile, "/owner/did"), signed(set(storeFile, "/signature/key_id", "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"))),
			want: []string{verified, "signature-key-id"}},
		{name: "a did:key without a key", change: each(del(storeFile, "/owner/did"), signed(set(storeFile, "/signature/key_id", "did:key:z6Mk"))), want: []string{verified, "signature-key-id"}},
	},
	"signature-owner-key": {
		{name: "another key", change: signed(set(storeFile, "/owner/did", "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"),
			del(storeFile, "/signature/key_id")), want: []string{verified, "signature-owner-key"}},
	},
	"signature-public-key": {
		{name: "no key", change: signed(set(storeFile, "/signature/public_key", "nonsense")), want: []string{noted, "signature-public-key"}},
		{name: "of another algorithm", change: signed(set(storeFile, "/signature/algorithm", "ES256")), want: []string{"signature-public-key"}},
	},
	"signature-invalid": {
		{name: "another id", change: signed(set(storeFile, "/export_id", "9c8b7a6d-0000-4000-8000-000000000001"))},
		{name: "another date", change: signed(set(storeFile, "/export_date", "2026-01-31T00:00:00Z"))},
		{name: "another owner", change: signed(set(storeFile, "/owner/id", "somebody-else"))},
		{name: "a memory changed, with a checksum that fits", change: signed(set(storeFile, m+"0/summary", "changed"))},
		{name: "a memory changed", change: signed(replace(storeFile, `"content_hash":`, `"summary":"added","content_hash":`)), want: []string{"integrity-checksum", invalid}},
		{name: "another key", change: signed(set(storeFile, "/signature/public_key", "z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"))},
		{name: "one bit", change: func(f *fixture) Target {
			sign(f)
			value := []byte(f.get(storeFile, "/signature/value").(string))
			value[20] ^= 1 // another letter of the alphabet, but for the few that end it
			f.set(storeFile, "/signature/value", strings.Map(func(r rune) rune {
				if strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", r) {
					return r
				}
				return 'x'
			}, string(value)))
			return f.bundle()
		}},
	},
	"signature-self-asserted": {
		{name: "valid", change: signed()},
		{name: "what is not covered", change: signed(del(storeFile, "/signature/key_id"))},
		{name: "signed after a change", change: resigned(set(storeFile, m+"0/summary", "changed"))},
		{name: "with the did:key of the owner", change: resigned(set(storeFile, "/owner/did", did.OfKey(signingKey.Public()))),
			want: []string{verified, "signature-key-id"}},
	},
	"signature-not-verified": {{name: "an algorithm of its own", change: signed(set(storeFile, "/signature/algorithm", "PS256")), want: []string{noted, "schema-enum"}}},
	"did-form": {
		{name: "a did:key without a key", change: set(storeFile, "/owner/did", "did:key:z6MkhaXgBZDvotDk")},
		{name: "another base", change: set(storeFile, "/owner/did", "did:key:f00ed")},
		{name: "a space", change: set(storeFile, "/owner/did", "did:web:exa mple.org")},
	},
}

var deltaMutations = map[string][]mutation{
	"xref-external": {
		{name: "derived", change: delta()},
		{name: "all kinds", change: delta(set(storeFile, "/relations/-", map[string]any{"id": "r", "from": "mem-a", "to": "mem-c", "type": "extends", "created_at": "2026-02-02T00:00:00Z"}),
			set(storeFile, m+"0/provenance/conversation_ref", "conv-2"), set(storeFile, "/conversations_index/0/derived_memories", []any{}),
			set(storeFile, m+"0/temporal/superseded_by", "mem-d"), set(storeFile, m+"0/status", "superseded"),
			set(storeFile, m+"0/embedding_ref", "emb-2"))},
	},
	"incremental-fields": {
		{name: "no since", change: delta(del(storeFile, "/since")), want: []string{"incremental-fields", "xref-external"}},
		{name: "empty base", change: delta(set(storeFile, "/base_export_id", "")), want: []string{"incremental-fields", "xref-external"}},
		{name: "null base", change: delta(set(storeFile, "/base_export_id", nil)), want: []string{"incremental-fields"}, o: withBase()},
	},
	"incremental-since": {{name: "unchanged", change: delta(set(storeFile, m+"0/temporal/updated_at", "2026-02-01T00:00:00Z")), o: withBase()}},
	"incremental-base":  {{name: "other", change: delta(set(storeFile, "/base_export_id", "other")), o: withBase()}},
	"incremental-older": {
		{name: "older", change: delta(del(storeFile, m+"0/temporal/updated_at"), set(storeFile, m+"0/temporal/created_at", "2026-01-01T00:00:00Z"), del(storeFile, "/since")), want: []string{"incremental-fields", "incremental-older"}, o: withBase()},
	},
	"lifecycle-transition": {
		{name: "archived after a retraction", change: delta(set(storeFile, m+"0/status", "archived")), o: Options{Base: baseWith("retracted")}},
		{name: "active again, without a later time", change: delta(set(storeFile, m+"0/temporal/updated_at", "2026-02-01T12:00:00Z")),
			o: Options{Base: baseWith("superseded", "2026-02-01T12:00:00Z")}},
	},
}

// baseWith is the bundle with another status, and perhaps time, of mem-a.
func baseWith(status string, updated ...string) *Target {
	f := newFixture(silentT{})
	f.set(storeFile, m+"0/status", status)
	for _, at := range updated {
		f.set(storeFile, m+"0/temporal/updated_at", at)
	}
	t := f.bundle()
	return &t
}

func TestAMemoryMayComeBackWithALaterTime(t *testing.T) {
	for _, status := range []string{"superseded", "deprecated", "archived", "retracted"} {
		_, found := run(t, delta()(newFixture(t)), Options{Base: baseWith(status)})
		if len(found) > 0 {
			t.Errorf("%s: %v", status, found)
		}
	}
}
