package signature_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/did"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/signature"
)

// load reads a file of vectors, which another implementation has made.
func load[T any](t testing.TB, name string) (list []T) {
	t.Helper()
	text, err := os.ReadFile("../testdata/vectors/" + name)
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil || len(list) == 0 {
		t.Fatalf("%s has %d vectors: %v", name, len(list), err)
	}
	return list
}

type keyVector struct {
	Algorithm  keys.Algorithm
	PrivateJWK json.RawMessage `json:"private_jwk"`
	PublicJWK  json.RawMessage `json:"public_jwk"`
	Multibase  string
	DID        string
	PrivatePEM string `json:"private_pem"`
	PublicPEM  string `json:"public_pem"`
}

type signatureVector struct {
	Note    string
	Verdict string
	Claims  struct {
		Checksum   string
		ExportID   string `json:"export_id"`
		ExportDate string `json:"export_date"`
		OwnerID    string `json:"owner_id"`
	}
	Payload   string
	Signature pamio.Signature
}

func (v signatureVector) document() signature.Document {
	return signature.Document{Claims: signature.Claims(v.Claims), Signature: &v.Signature}
}

func TestSignaturesOfAnotherImplementation(t *testing.T) {
	for _, v := range load[signatureVector](t, "signatures.json") {
		t.Run(v.Note, func(t *testing.T) {
			d := v.document()
			if got := string(d.Payload()); got != v.Payload {
				t.Errorf("payload %s, want %s", got, v.Payload)
			}
			computed := d.Checksum
			if computed == "" {
				computed = "sha256:0"
			}
			r := signature.Check(d, computed)
			if got, _ := r.Verdict.MarshalText(); string(got) != v.Verdict {
				t.Errorf("verdict %s, want %s: %v", got, v.Verdict, r.Problems)
			}
			if r.Verdict.IsValid() {
				if r := signature.Check(d, computed, r.Key); r.Verdict != signature.Trusted {
					t.Errorf("verdict %v with the key trusted", r.Verdict)
				}
				if r := signature.Check(d, "sha256:other"); r.Verdict != signature.Invalid {
					t.Errorf("verdict %v with other memories", r.Verdict)
				}
			}
		})
	}
}

func TestKeysOfAnotherImplementation(t *testing.T) {
	for _, v := range load[keyVector](t, "keys.json") {
		t.Run(string(v.Algorithm), func(t *testing.T) {
			fromPEM, err := keys.ParsePrivate([]byte(v.PrivatePEM))
			if err != nil {
				t.Fatal(err)
			}
			fromJWK, err := keys.ParsePrivate(v.PrivateJWK)
			if err != nil {
				t.Fatal(err)
			}
			public := fromPEM.Public()
			for name, text := range map[string]string{
				"public PEM": v.PublicPEM, "public JWK": string(v.PublicJWK), "multibase": v.Multibase, "written PEM": string(public.PEM()),
				"written JWK": string(public.JWK()), "in a block": public.String(),
			} {
				if p, err := keys.ParsePublic([]byte(text)); err != nil || !p.Equal(public) || !p.Equal(fromJWK.Public()) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if got := public.Multibase(); got != v.Multibase {
				t.Errorf("multibase %s, want %s", got, v.Multibase)
			}
			if got := did.OfKey(public); got != v.DID {
				t.Errorf("DID %s, want %s", got, v.DID)
			}
			for name, text := range map[string][]byte{"PEM": fromJWK.PEM(), "JWK": fromPEM.JWK()} {
				if p, err := keys.ParsePrivate(text); err != nil || !p.Public().Equal(public) {
					t.Errorf("written %s: %v", name, err)
				}
				if _, err := keys.ParsePublic(text); err == nil {
					t.Errorf("a private %s was read as a public key", name)
				}
			}
		})
	}
}
