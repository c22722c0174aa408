package signature

import (
	"encoding/json"
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/keys"
)

// A signature of SHA256SUMS covers every file of a bundle. It is a file beside the list, in the form
// of the signature block of a store, and signs the same claims with the digest of the list in the
// place of the checksum: so it belongs to this export only.

// sumsClaims are the claims of the signature of a list with a digest.
func sumsClaims(c Claims, digest string) Claims {
	c.Checksum = "sha256:" + digest
	return c
}

// SignSums makes the signature of a list of digests, for a file beside it. c are the claims of the
// store.
func SignSums(c Claims, digest string, key keys.Private, a keys.Algorithm, signedAt, keyID string) ([]byte, error) {
	sig, err := Sign(sumsClaims(c, digest), key, a, signedAt, keyID)
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(sig, "", "  ")
	return append(text, '\n'), err
}

// CheckSums verifies the signature of a list of digests of the bundle that has the store.
func CheckSums(text []byte, digest string, store *pamio.Scalars, trusted ...keys.Public) Result {
	var sig pamio.Signature
	if err := json.Unmarshal(text, &sig); err != nil {
		return Result{Verdict: Malformed, Problems: []Problem{{BadEncoding, "", fmt.Sprintf("the signature of the list of digests cannot be read: %v", err)}}}
	}
	d := Of(store)
	d.Claims, d.Signature = sumsClaims(d.Claims, digest), &sig
	return Check(d, d.Checksum, trusted...)
}
