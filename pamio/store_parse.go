package pamio

import (
	"fmt"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// ParseMemory reads one memory object. Nulls and absent members are accepted; an absent status is
// "active" (PAM §4.3) and in an access block visibility is "private" and exportable true unless it
// says otherwise (PAM §9).
func ParseMemory(data []byte) (*Memory, error) {
	m := &Memory{}
	if err := parseStrict(data, m); err != nil {
		return nil, fmt.Errorf("parse memory: %w", err)
	}
	if m.Status == "" {
		m.Status = "active"
	}
	return m, nil
}

// UnmarshalJSON fills in the defaults of PAM §9 for what is absent or null.
func (a *Access) UnmarshalJSON(b []byte) error {
	var in struct {
		Visibility *string `json:"visibility"`
		Exportable *bool   `json:"exportable"`
		SharedWith []Grant `json:"shared_with"`
	}
	if err := decode.Unmarshal(b, &in); err != nil {
		return err
	}
	*a = Access{Visibility: "private", Exportable: true, SharedWith: in.SharedWith}
	if in.Visibility != nil {
		a.Visibility = *in.Visibility
	}
	if in.Exportable != nil {
		a.Exportable = *in.Exportable
	}
	return nil
}

// ParseRelation reads one relation object. Nulls and absent members are accepted.
func ParseRelation(data []byte) (*Relation, error) {
	r := &Relation{}
	if err := parseStrict(data, r); err != nil {
		return nil, fmt.Errorf("parse relation: %w", err)
	}
	return r, nil
}

// ParseIndexEntry reads one entry of conversations_index. Nulls and absent members are accepted.
func ParseIndexEntry(data []byte) (*IndexEntry, error) {
	e := &IndexEntry{}
	if err := fillStrict(data, func(f *filler, root jsonscan.Node) { f.indexEntry(e, root) }); err != nil {
		return nil, fmt.Errorf("parse index entry: %w", err)
	}
	return e, nil
}
