package signature_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/signature"
)

// A store is signed and verified. Only a key that is known from elsewhere makes a signature
// trusted.
func ExampleCheckStore() {
	const store = `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"ada"},"memories":[],
		"export_id":"0a4ad0a0-4b4e-4f7a-9a5c-2f8a53e7d7d1","export_date":"2026-02-01T00:00:00Z"}`
	open := func(text string) pamio.Source {
		return pamio.Source{Name: "store", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
	}
	key, err := keys.Generate(keys.Ed25519)
	if err != nil {
		fmt.Println(err)
		return
	}
	integrity, scalars, err := pamio.ReadIntegrity(open(store), pamio.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	claims := signature.Of(scalars).Claims
	claims.Checksum = integrity.Checksum
	block, err := signature.Sign(claims, key, keys.Ed25519, "2026-02-01T00:00:01Z", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	var signed strings.Builder
	if err := pamio.WriteSigned(&signed, open(store), pamio.Limits{}, scalars, integrity, block); err != nil {
		fmt.Println(err)
		return
	}
	for _, trusted := range [][]keys.Public{nil, {key.Public()}} {
		result, _, err := signature.CheckStore(open(signed.String()), pamio.Limits{}, trusted...)
		fmt.Println(result.Verdict, err)
	}
	result, _, err := signature.CheckStore(open(strings.Replace(signed.String(), "ada", "eve", 1)), pamio.Limits{}, key.Public())
	fmt.Println(result.Verdict, err)
	// Output:
	// valid, self-asserted <nil>
	// valid and trusted <nil>
	// invalid <nil>
}
