package signature

import (
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/keys"
)

// CheckStore reads a store to its end and verifies its signature. The error tells that the document
// is not a PAM store that can be verified: not JSON, of an unknown version, or with memories that
// have no checksum. A verdict tells everything else.
func CheckStore(s pamio.Source, l pamio.Limits, trusted ...keys.Public) (Result, *pamio.Scalars, error) {
	in, scalars, err := pamio.ReadIntegrity(s, l)
	if err != nil {
		return Result{Verdict: Malformed}, scalars, err
	}
	return Check(Of(scalars), in.Checksum, trusted...), scalars, nil
}
