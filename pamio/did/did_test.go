package did

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio/keys"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]URL{
		"did:web:example.com":                   {Method: "web", ID: "example.com"},
		"did:web:example.com%3A8443:user:alice": {Method: "web", ID: "example.com%3A8443:user:alice"},
		"did:ion:EiAnKD8":                       {Method: "ion", ID: "EiAnKD8"},
		"did:pkh:eip155:1:0xab16a96D":           {Method: "pkh", ID: "eip155:1:0xab16a96D"},
		"did:example:a/path?version=1#key-1":    {Method: "example", ID: "a", Rest: "/path?version=1", Fragment: "key-1"},
	} {
		u, err := Parse(text)
		if err != nil || u != want || u.String() != text {
			t.Errorf("%s: %+v, %q, %v", text, u, u.String(), err)
		}
	}
	for _, text := range []string{"", "did", "did:", "did:web", "did:web:", "did::x", "DID:web:x", "did:Web:x", "did:web:a b", "did:web:a:", "did:web:%4", "did:web:a#b#c", "did:web:ä", "https://example.com"} {
		if u, err := Parse(text); !errors.Is(err, ErrSyntax) {
			t.Errorf("%q is read as %+v, %v", text, u, err)
		}
	}
}

func key(t *testing.T, a keys.Algorithm) keys.Public {
	t.Helper()
	p, err := keys.Generate(a)
	if err != nil {
		t.Fatal(err)
	}
	return p.Public()
}

func TestDidKeyIsResolvedWithoutTheNetwork(t *testing.T) {
	for _, a := range []keys.Algorithm{keys.Ed25519, keys.ES256, keys.ES384} {
		p := key(t, a)
		for _, text := range []string{OfKey(p), KeyID(p)} {
			u, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if all, err := (Resolver{}).Keys(context.Background(), u); err != nil || len(all) != 1 || !all[0].Equal(p) {
				t.Errorf("%s: %v, %v", text, all, err)
			}
		}
	}
	for _, text := range []string{"did:key:z6MkBroken", "did:key:f00", KeyID(key(t, keys.ES256)) + "x"} {
		u, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if all, err := (Resolver{}).Keys(context.Background(), u); err == nil {
			t.Errorf("%s is resolved to %v", text, all)
		}
	}
}

func TestOtherMethodsNeedWhatIsNotThere(t *testing.T) {
	for _, text := range []string{"did:ion:EiAnKD8", "did:web:example.com"} {
		u, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (Resolver{}).Keys(context.Background(), u); !errors.Is(err, ErrMethod) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestWhereDidWebDocumentsLie(t *testing.T) {
	for text, want := range map[string]string{
		"did:web:example.com":                 "https://example.com/.well-known/did.json",
		"did:web:example.com%3A8443":          "https://example.com:8443/.well-known/did.json",
		"did:web:example.com:user:alice":      "https://example.com/user/alice/did.json",
		"did:web:example.com%2Fevil":          "",
		"did:web:user%40example.com":          "",
		"did:web:example.com:..:..:etc":       "",
		"did:key:z6Mk":                        "",
		"did:web:example.com%3A8443:team:a.b": "https://example.com:8443/team/a.b/did.json",
	} {
		u, err := Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		if got, err := u.WebURL(); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}

// server answers with a document at the place of its DID.
func server(t *testing.T, document func(did string) string, status int) (URL, *http.Client) {
	t.Helper()
	var subject string
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/user/alice/did.json" {
			http.NotFound(w, r)
			return
		}
		if status == http.StatusFound {
			http.Redirect(w, r, "https://example.org/did.json", status)
			return
		}
		w.WriteHeader(status)
		fmt.Fprint(w, document(subject))
	}))
	t.Cleanup(s.Close)
	subject = "did:web:" + strings.ReplaceAll(strings.TrimPrefix(s.URL, "https://"), ":", "%3A") + ":user:alice"
	u, err := Parse(subject)
	if err != nil {
		t.Fatal(err)
	}
	return u, s.Client()
}

func TestDidWebIsResolvedOnRequest(t *testing.T) {
	first, second := key(t, keys.Ed25519), key(t, keys.ES256)
	document := func(did string) string {
		return fmt.Sprintf(`{"id":%[1]q,"verificationMethod":[
			{"id":"%[1]s#a","type":"Multikey","controller":%[1]q,"publicKeyMultibase":%[2]q},
			{"id":"#b","type":"JsonWebKey2020","controller":%[1]q,"publicKeyJwk":%[3]s},
			{"id":"%[1]s#c","type":"Ed25519VerificationKey2018","publicKeyBase58":"11111111111111111111111111111112"},
			{"id":"did:web:example.org#d","type":"Multikey","publicKeyMultibase":%[2]q},
			{"id":"%[1]s#e","type":"Unknown","publicKeyHex":"00"}],"assertionMethod":["%[1]s#a"]}`, did, first.Multibase(), second.JWK())
	}
	u, client := server(t, document, http.StatusOK)
	r := Resolver{Client: client}
	all, err := r.Keys(context.Background(), u)
	if err != nil || len(all) != 3 || !all[0].Equal(first) || !all[1].Equal(second) || all[2].Kind() != "Ed25519" {
		t.Errorf("keys %v, %v", all, err)
	}
	u.Fragment = "b"
	if all, err := r.Keys(context.Background(), u); err != nil || len(all) != 1 || !all[0].Equal(second) {
		t.Errorf("key b is %v, %v", all, err)
	}
	u.Fragment = "missing"
	if _, err := r.Keys(context.Background(), u); !errors.Is(err, ErrNoKey) {
		t.Errorf("a missing key: %v", err)
	}
}

func TestDidDocumentsThatProveNothing(t *testing.T) {
	p := key(t, keys.Ed25519)
	method := `"verificationMethod":[{"id":"#a","publicKeyMultibase":"` + p.Multibase() + `"}]`
	for name, c := range map[string]struct {
		text   string
		status int
		want   string
	}{
		"of another subject": {`{"id":"did:web:example.org",` + method + `}`, 200, "another DID"},
		"no keys":            {`{"id":"DID"}`, 200, "no such key"},
		"not JSON":           {`<html>`, 200, "JSON object"},
		"a key twice":        {`{"id":"DID","id":"DID",` + method + `}`, 200, "JSON object"},
		"too long":           {strings.Repeat(" ", maxDocument+1), 200, "longer"},
		"missing":            {"", 404, "404"},
		"moved":              {"", 302, "redirects"},
	} {
		u, client := server(t, func(did string) string { return strings.ReplaceAll(c.text, "DID", did) }, c.status)
		if _, err := (Resolver{Client: client}).Keys(context.Background(), u); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	// A server whose certificate nobody has signed is not asked.
	u, _ := server(t, func(string) string { return "" }, 200)
	var unknown *tls.CertificateVerificationError
	if _, err := (Resolver{Client: &http.Client{}}).Keys(context.Background(), u); !errors.As(err, &unknown) {
		t.Errorf("an unknown certificate: %v", err)
	}
}
