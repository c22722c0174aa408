package pamio

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// ownMembers of a delta describe the delta itself, and are no news for the base.
var ownMembers = map[string]bool{
	"export_type": true, "base_export_id": true, "since": true, "integrity": true, "signature": true,
	memoriesKey: true, relationsKey: true, indexKey: true,
}

// check refuses inputs that do not belong together.
func (m *merge) check() error {
	base := m.inputs[0]
	known := []string{base.ExportID}
	for i, s := range m.inputs {
		name := m.names[i]
		if err := checkIntegrity(s, m.sums[i].Integrity()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if m.o.Check != nil {
			if err := m.o.Check(i, s, m.sums[i].Integrity().Checksum); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if i == 0 {
			continue
		}
		switch {
		case s.ExportType != "incremental":
			return fmt.Errorf("%s: %w: it is a full export, not a delta; the full export comes first, and only deltas behind it", name, ErrNotDelta)
		case s.Owner.ID != base.Owner.ID:
			return fmt.Errorf("%s: %w: %q and %q", name, ErrOtherOwner, base.Owner.ID, s.Owner.ID)
		case s.BaseExportID != "" && !m.o.AnyBase && !slices.Contains(known, s.BaseExportID):
			return fmt.Errorf("%s: %w: %q; give that one as the base, or the deltas between them first", name, ErrUnknownBase, s.BaseExportID)
		}
		known = append(known, s.ExportID)
	}
	return nil
}

// checkIntegrity compares the integrity block of a store, if it has one, with what was computed.
func checkIntegrity(s *Scalars, computed Integrity) error {
	if in := s.Integrity; in != nil && (in.Checksum != computed.Checksum || in.TotalMemories != computed.TotalMemories) {
		return ErrDamaged
	}
	return nil
}

// header is the open object of the result.
func (m *merge) header() ([]byte, error) {
	base := m.inputs[0]
	h := newHead(base)
	since := base.Since
	for _, s := range m.inputs[1:] {
		d, err := jsonscan.Parse(s.Raw, maxDepth)
		if err != nil {
			return nil, err
		}
		// The result is another export than the base, also after a delta that does not say which.
		h.remove("export_id")
		h.remove("export_date")
		for k, v := range d.Root().Fields() {
			if key := k.Str(); !ownMembers[key] {
				h.set(key, bytes.Clone(v.Raw()))
			}
		}
		since = earlierTime(since, s.Since)
	}
	if base.ExportType == "incremental" && since != "" {
		h.setText("since", since)
	}
	in := m.sum.Integrity()
	h.setIntegrity(base.Integrity, in)
	text, err := h.append(nil)
	if err != nil {
		return nil, err
	}
	if m.report.Scalars, err = parseScalars(append(text, '}')); err != nil {
		return nil, err
	}
	if base.Signature == nil || sameClaims(base, m.report.Scalars) {
		return text, nil
	}
	m.report.SignatureDropped, m.report.Scalars.Signature = true, nil
	h.remove("signature")
	return h.append(nil)
}

// sameClaims tells whether everything that a signature covers (PAM §18.3) is as it was.
func sameClaims(a, b *Scalars) bool {
	return a.Integrity != nil && b.Integrity != nil && a.Integrity.Checksum == b.Integrity.Checksum &&
		a.ExportID == b.ExportID && a.ExportDate == b.ExportDate && a.Owner.ID == b.Owner.ID
}

// earlierTime is the earlier of two times, of which either may be missing.
func earlierTime(a, b string) string {
	ta, err := ParseTime(a)
	if err != nil {
		return b
	}
	if tb, err := ParseTime(b); err == nil && tb.Before(ta) {
		return b
	}
	return a
}
