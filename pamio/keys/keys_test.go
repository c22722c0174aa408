package keys

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"
)

func generate(t testing.TB, a Algorithm) Private {
	t.Helper()
	p, err := Generate(a)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestASignatureVerifiesUnderItsOwnKeyAndAlgorithmOnly(t *testing.T) {
	message, other := []byte("one"), []byte("two")
	all := map[Algorithm]Private{}
	for _, a := range Algorithms() {
		all[a] = published(t, a)
	}
	for a, p := range all {
		value, err := p.Sign(a, message)
		if err != nil {
			t.Fatal(a, err)
		}
		again, err := p.Sign(a, message)
		if err != nil || !bytes.Equal(value, again) {
			t.Errorf("%s: signing twice gives two signatures (%v)", a, err)
		}
		if err := p.Public().Verify(a, message, value); err != nil {
			t.Errorf("%s: %v", a, err)
		}
		if err := p.Public().Verify(a, other, value); !errors.Is(err, ErrSignature) {
			t.Errorf("%s: another message: %v", a, err)
		}
		for b, q := range all {
			err := q.Public().Verify(a, message, value)
			if (err == nil) != (a == b) {
				t.Errorf("%s signed, verified as %s with the key of %s: %v", a, a, b, err)
			}
			// The same key under the name of another algorithm.
			if err := p.Public().Verify(b, message, value); (err == nil) != (a == b) {
				t.Errorf("%s signed, verified as %s with the same key: %v", a, b, err)
			}
			if _, err := p.Sign(b, message); (err == nil) != (p.Public().Check(b) == nil) {
				t.Errorf("the key of %s signs as %s: %v", a, b, err)
			}
		}
	}
}

// published is the key of the test vectors: to generate RSA keys takes seconds.
func published(t testing.TB, a Algorithm) Private {
	t.Helper()
	text, err := os.ReadFile("../testdata/vectors/keys.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Algorithm Algorithm
		PEM       string `json:"private_pem"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	for _, v := range list {
		if v.Algorithm == a {
			p, err := ParsePrivate([]byte(v.PEM))
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
	}
	t.Fatalf("there is no key for %s", a)
	return Private{}
}

func TestNewKeysAreForTheirAlgorithm(t *testing.T) {
	for _, a := range []Algorithm{Ed25519, ES256, ES384, RS256} {
		p := generate(t, a)
		if p.Algorithm() != a {
			t.Errorf("a new key for %s signs with %s", a, p.Algorithm())
		}
		// PEM does not name the algorithm; the key says it all the same.
		if q, err := ParsePrivate(p.PEM()); err != nil || q.Algorithm() != a {
			t.Errorf("a new key for %s, read from PEM, signs with %s (%v)", a, q.Algorithm(), err)
		}
	}
	if _, err := Generate("PS256"); err == nil {
		t.Error("a key was made for an algorithm that PAM does not have")
	}
}

// One in 256 values of r and of s begins with a zero; half of all s are the greater of the two.
func TestPairsOfNumbersHaveTheirFullLengthAndTheSmallerS(t *testing.T) {
	for _, a := range []Algorithm{ES256, ES384} {
		p := generate(t, a)
		n := scalarSize(schemes[a].curve)
		half := new(big.Int).Rsh(schemes[a].curve.Params().N, 1)
		zeros := 0
		for i := range 600 {
			message := fmt.Append(nil, i)
			value, err := p.Sign(a, message)
			if err != nil || len(value) != 2*n {
				t.Fatal(len(value), err)
			}
			if new(big.Int).SetBytes(value[n:]).Cmp(half) > 0 {
				t.Fatalf("%s: message %d has the greater s", a, i)
			}
			if value[0] == 0 || value[n] == 0 {
				zeros++
				if err := p.Public().Verify(a, message, value); err != nil {
					t.Errorf("%s: leading zero: %v", a, err)
				}
			}
		}
		if zeros == 0 {
			t.Errorf("%s: no signature of 600 had a leading zero, so this shows nothing", a)
		}
	}
}

func TestWeakAndForeignKeysAreRefused(t *testing.T) {
	weak := &rsa.PublicKey{N: new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 1023), big.NewInt(1)), E: 65537}
	strong := new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 2047), big.NewInt(1))
	huge := new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), maxModulus), big.NewInt(1))
	curve, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		key  any
		want error
	}{
		"1024 bits":          {weak, ErrWeak},
		"exponent 1":         {&rsa.PublicKey{N: strong, E: 1}, ErrWeak},
		"an even exponent":   {&rsa.PublicKey{N: strong, E: 4}, ErrWeak},
		"more than 16384":    {&rsa.PublicKey{N: huge, E: 3}, ErrUnsupported},
		"P-521":              {&curve.PublicKey, ErrUnsupported},
		"a string":           {"key", ErrUnsupported},
		"nothing":            {nil, ErrUnsupported},
		"2048 bits are fine": {&rsa.PublicKey{N: strong, E: 65537}, nil},
	} {
		if _, err := NewPublic(c.key); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	p, err := NewPublic(&rsa.PublicKey{N: strong, E: 65537})
	if err != nil || len(p.Fits()) != 1 || p.Fits()[0] != RS256 {
		t.Errorf("a key of 2048 bits fits %v, want RS256 only (%v)", p.Fits(), err)
	}
	if !errors.Is(p.Check(RS512), ErrWeak) || !errors.Is(p.Check(ES256), ErrMismatch) || !errors.Is(p.Check("none"), ErrMismatch) {
		t.Error("a key is taken for an algorithm that it does not fit")
	}
}

func TestTextsThatAreNoPrivateKeySayWhy(t *testing.T) {
	good := generate(t, ES256)
	block := func(kind string) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: []byte("x")}))
	}
	jwk := string(good.JWK())
	for name, c := range map[string]struct{ text, want string }{
		"empty":             {"", "neither PEM nor a JSON Web Key"},
		"encrypted":         {block("ENCRYPTED PRIVATE KEY"), "decrypt it first"},
		"OpenSSH":           {block("OPENSSH PRIVATE KEY"), "pamline keygen"},
		"certificate":       {block("CERTIFICATE"), "extract its key"},
		"damaged":           {block("PRIVATE KEY"), "damaged"},
		"two keys":          {string(good.PEM()) + string(good.PEM()), "more than one key"},
		"a public key":      {string(good.Public().PEM()), "no private key"},
		"cut off":           {string(good.PEM())[:60], "no whole PEM block"},
		"a key twice":       {strings.Replace(jwk, "{", `{"kty":"EC",`, 1), "all readers"},
		"another curve":     {strings.Replace(jwk, "P-256", "P-384", 1), "right length"},
		"another algorithm": {strings.Replace(jwk, `"alg":"ES256"`, `"alg":"RS256"`, 1), "does not fit"},
		"for encryption":    {strings.Replace(jwk, "{", `{"use":"enc",`, 1), "use is not sig"},
		"other operations":  {strings.Replace(jwk, "{", `{"key_ops":["deriveKey"],`, 1), "key_ops"},
		"of different keys": {strings.Replace(jwk, jwkMember(jwk, "d"), jwkMember(string(generate(t, ES256).JWK()), "d"), 1), "different keys"},
		"of another type":   {strings.Replace(jwk, `"EC"`, `"oct"`, 1), "none of OKP, EC and RSA"},
	} {
		if _, err := ParsePrivate([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func jwkMember(jwk, name string) string {
	_, rest, _ := strings.Cut(jwk, `"`+name+`":"`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

func TestAPrivateKeyShowsNothing(t *testing.T) {
	p := generate(t, Ed25519)
	secret := jwkMember(string(p.JWK()), "d")
	for _, text := range []string{fmt.Sprint(p), fmt.Sprintf("%v %+v %#v %s %q", p, p, p, p, p)} {
		if strings.Contains(text, secret) || strings.Contains(text, "0x") || !strings.Contains(text, "private key") {
			t.Errorf("the key is shown as %s", text)
		}
	}
}

func TestAKeyHasOneMultibaseText(t *testing.T) {
	p := generate(t, Ed25519).Public()
	text := p.Multibase()
	for _, other := range []string{"z1" + text[1:], text + "1", "f" + text[1:], "z", "z6Mk", strings.ToUpper(text)} {
		if q, err := ParseMultibase(other); err == nil {
			t.Errorf("%s is read as %s", other, q)
		}
	}
}

func FuzzParseEmbedded(f *testing.F) {
	f.Add("z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")
	f.Add(`{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`)
	f.Add("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := ParseEmbedded(text)
		if err != nil {
			return
		}
		for _, p := range all {
			back, err := ParsePublic([]byte(p.String()))
			if err != nil || !back.Equal(p) {
				t.Errorf("%q is read, but written as %q: %v", text, p, err)
			}
		}
	})
}
