package did

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/pamio/keys"
)

// ErrNoKey is wrapped when a DID document holds no key that PAM can use, or not the one asked for.
var ErrNoKey = errors.New("the DID document has no such key")

// parseDocument gives the keys of a DID document (W3C DID Core §5.2): those of all verification
// methods, or of the one that the fragment of u names. Methods with keys of other types are passed
// over.
func parseDocument(text []byte, u URL) ([]keys.Public, error) {
	d, err := jsonscan.Parse(text, 64)
	if err != nil || d.Root().Kind() != jsonscan.Object || d.Root().Odd() {
		return nil, errors.New("read DID document: no JSON object that all readers understand alike")
	}
	if !d.Root().Get("id").Is(u.DID()) {
		return nil, errors.New("read DID document: it is that of another DID")
	}
	var found []keys.Public
	for _, list := range []string{"verificationMethod", "assertionMethod"} {
		for m := range d.Root().Get(list).Items() {
			// A method is named by its whole DID URL, or by its fragment alone.
			id := m.Get("id").Str()
			if u.Fragment != "" && id != u.DID()+"#"+u.Fragment && id != "#"+u.Fragment {
				continue
			}
			// Methods of another subject prove nothing about this one.
			if !strings.HasPrefix(id, u.DID()+"#") && !strings.HasPrefix(id, "#") {
				continue
			}
			if p, ok := methodKey(m); ok {
				found = append(found, p)
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("read DID document: %w", ErrNoKey)
	}
	return found, nil
}

// methodKey reads the key of one verification method.
func methodKey(m jsonscan.Node) (keys.Public, bool) {
	text := m.Get("publicKeyMultibase").Str()
	if n := m.Get("publicKeyJwk"); n.Kind() == jsonscan.Object {
		text = string(n.Raw())
	}
	if b := m.Get("publicKeyBase58").Str(); b != "" { // Ed25519VerificationKey2018
		all, err := keys.ParseEmbedded(b)
		return firstKey(all), err == nil
	}
	p, err := keys.ParsePublic([]byte(text))
	return p, err == nil
}

func firstKey(all []keys.Public) (p keys.Public) {
	if len(all) > 0 {
		p = all[0]
	}
	return p
}
