package validate

import (
	"errors"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/did"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/signature"
)

// signature verifies a signature (PAM §18) with the code of the verify command. computed is the
// checksum of the memories, "" if they have none.
func (e *element) signature(computed string) {
	r := e.root
	s := r.Get("signature")
	if s.Kind() != jsonscan.Object {
		return
	}
	e.time(s, "/signature", "signed_at")
	at := e.at("/signature", s)
	result := signature.Check(signedDocument(r), computed)
	for c := range signatureChecks {
		e.made[signatureChecks[c]]++
	}
	for _, p := range result.Problems {
		e.signatureProblem(p)
	}
	if e.wrong(signatureNotVerified, result.Verdict == signature.Malformed) {
		e.find(signatureNotVerified, at, "the signature could not be verified")
	}
	if e.wrong(signatureSelfAsserted, result.Verdict == signature.SelfAsserted) {
		e.find(signatureSelfAsserted, at, "the signature is valid under the key that stands in the store; pamline verify --key says whether that is the "+
			"owner's. It does not cover %s", strings.Join(signature.NotCovered, ", "))
	}
}

// signatureChecks are the checks behind the problems of a signature. Codes that are missing here
// are reported by the schema or by another check, or mean that nothing could be verified.
var signatureChecks = map[signature.Code]check{
	signature.NoField:      signatureRequires,
	signature.BadEncoding:  signatureEncoding,
	signature.IsJWS:        signatureJWS,
	signature.Padded:       signaturePadded,
	signature.BadKey:       signaturePublicKey,
	signature.KeyMismatch:  signaturePublicKey,
	signature.KeyWeak:      signaturePublicKey,
	signature.SignedEarly:  signatureTime,
	signature.KeyIDForeign: signatureKeyID,
	signature.OwnerKey:     signatureOwnerKey,
	signature.BadValue:     signatureInvalid,
	signature.BadChecksum:  signatureInvalid,
}

func (e *element) signatureProblem(p signature.Problem) {
	c, ok := signatureChecks[p.Code]
	if !ok || p.Code == signature.NoField && (strings.HasPrefix(p.Field, "/signature/") || p.Field == "/owner/id") {
		return
	}
	n := e.root
	for _, key := range strings.Split(p.Field, "/")[1:] {
		n = n.Get(key)
	}
	e.find(c, e.at(p.Field, n), "%s", p.Message)
}

// signedDocument takes what a signature covers from a store as it is written. A field of the wrong
// type counts as missing.
func signedDocument(r jsonscan.Node) signature.Document {
	get := func(n jsonscan.Node, key string) string {
		s, _ := text(n.Get(key))
		return s
	}
	s, owner := r.Get("signature"), r.Get("owner")
	return signature.Document{
		Claims: signature.Claims{
			Checksum: get(r.Get("integrity"), "checksum"), ExportID: get(r, "export_id"), ExportDate: get(r, "export_date"), OwnerID: get(owner, "id"),
		},
		OwnerDID: get(owner, "did"),
		Signature: &pamio.Signature{
			Algorithm: get(s, "algorithm"), PublicKey: get(s, "public_key"), Value: get(s, "value"), SignedAt: get(s, "signed_at"), KeyID: get(s, "key_id"),
		},
	}
}

// ownerDID checks that owner.did can be a DID, and that a did:key holds a key (PAM §17.2). Keys of
// other types than those that sign exports are fine.
func (e *element) ownerDID() {
	n := e.root.Get("owner").Get("did")
	id, ok := text(n)
	if !ok {
		return
	}
	u, err := did.Parse(id)
	if err == nil && u.Method == did.KeyMethod {
		_, err = u.Key()
	}
	if e.wrong(didForm, err != nil && !errors.Is(err, keys.ErrUnsupported)) {
		e.find(didForm, e.at("/owner/did", n), "owner.did cannot be resolved: %v", err)
	}
}
