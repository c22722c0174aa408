package publish

import (
	"fmt"

	"github.com/pamline/pamline/pamio/did"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/signature"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// signer is the key that signs what is published for an owner; the zero key for none.
func (o Options) signer(owner string) (keys.Private, error) {
	if o.KeyOf == nil {
		return keys.Private{}, nil
	}
	key, err := o.KeyOf(owner)
	if err != nil {
		return key, &fault.Fault{
			Class: fault.Outage, Err: fmt.Errorf("read signing key of %s: %w", owner, err),
			Hint: "nothing is published until the key can be read: correct the settings sign.key_file and sign.keys_dir",
		}
	}
	return key, nil
}

// fingerprint names a signer, "" for none.
func fingerprint(key keys.Private) string {
	if key.IsZero() {
		return ""
	}
	return key.Public().Fingerprint()
}

// sign adds the signature of the store that is published (PAM §18.3). It is of the same time.
func (m *moment) sign(owner, checksum string, key keys.Private) (err error) {
	if key.IsZero() {
		return nil
	}
	claims := signature.Claims{Checksum: checksum, ExportID: m.ExportID, ExportDate: m.ExportDate, OwnerID: owner}
	m.Signature, err = signature.Sign(claims, key, key.Algorithm(), m.ExportDate, did.KeyID(key.Public()))
	return err
}

// identity is what the store of an owner says of its owner beside the id.
func (o Options) identity(owner string) state.Identity {
	if o.IdentityOf == nil {
		return state.Identity{}
	}
	return o.IdentityOf(owner)
}

// isAsSet tells whether the store of a head has the signature, the identity and the formats that
// the settings ask for. Without them, what is there is good: another process may have them.
func (o Options) isAsSet(owner string, h state.Head) (bool, error) {
	key, err := o.signer(owner)
	if err != nil {
		return false, err
	}
	identity := o.identity(owner).Digest()
	return (key.IsZero() || h.Signer == fingerprint(key)) && (identity == "" || h.Identity == identity) && formatterOf(o).hasFormats(h), nil
}
