package signature

// Verdict is the outcome of a verification.
type Verdict uint8

// The verdicts, from good to bad.
const (
	// Trusted is a valid signature under a key that the caller trusts.
	Trusted Verdict = iota
	// SelfAsserted is a valid signature under a key that only the document itself vouches for.
	SelfAsserted
	// Absent is a store without a signature, which is no fault (PAM §18.5.5).
	Absent
	// Invalid is a signature that is not that of the store, or whose key must not be used so.
	Invalid
	// Malformed is a signature block that cannot be read.
	Malformed
)

func (v Verdict) String() string {
	return [...]string{"valid and trusted", "valid, self-asserted", "not signed", "invalid", "malformed"}[v]
}

// MarshalText writes the verdict as one word.
func (v Verdict) MarshalText() ([]byte, error) {
	return []byte([...]string{"trusted", "self-asserted", "absent", "invalid", "malformed"}[v]), nil
}

// IsValid tells whether the signature holds, whoever made it.
func (v Verdict) IsValid() bool { return v <= SelfAsserted }

// Code names one kind of problem.
type Code string

// The problems of a signature. Those of the last group leave the verdict as it is.
const (
	NoAlgorithm Code = "algorithm"  // PAM 1.0 does not have it
	NoField     Code = "requires"   // a covered value, or a field of the block, is missing
	BadEncoding Code = "encoding"   // value is not base64url of a possible length
	IsJWS       Code = "jws"        // value is a JWS
	BadKey      Code = "public-key" // public_key cannot be read
	BadTime     Code = "time-form"  // signed_at or export_date is not a time

	BadChecksum  Code = "checksum" // the memories are not those of integrity.checksum
	BadValue     Code = "value"    // the signature is not that of the claims
	KeyMismatch  Code = "algorithm-mismatch"
	KeyWeak      Code = "key-weak"
	SignedEarly  Code = "time"     // signed_at lies before export_date
	BadFile      Code = "file"     // a file of the bundle is not the one that SHA256SUMS names
	FileKey      Code = "file-key" // SHA256SUMS was signed with another key than the store
	NotComputed  Code = "checksum-unknown"
	Padded       Code = "padded"    // value ends with "="
	KeyIDForeign Code = "key-id"    // key_id is not of owner.did, or names another key
	OwnerKey     Code = "owner-key" // owner.did is a did:key of another key
)

// verdicts of the codes; the worst one of a document is its verdict.
var verdicts = map[Code]Verdict{
	NoAlgorithm: Malformed, NoField: Malformed, BadEncoding: Malformed, IsJWS: Malformed, BadKey: Malformed, BadTime: Malformed,
	BadChecksum: Invalid, BadValue: Invalid, KeyMismatch: Invalid, KeyWeak: Invalid, SignedEarly: Invalid, NotComputed: Malformed,
	BadFile: Invalid, FileKey: Invalid,
	Padded: Trusted, KeyIDForeign: Trusted, OwnerKey: Trusted,
}

// Problem is one thing that is wrong or unusual.
type Problem struct {
	Code Code `json:"code"`
	// Field is the field of the store by its JSON pointer.
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Warns tells whether the problem leaves the signature valid.
func (p Problem) Warns() bool { return verdicts[p.Code] == Trusted }

func (p Problem) String() string { return p.Message }
