package pamio

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

// ErrSectionChanged is wrapped when the text of the memories is not what the integrity block was
// made for.
var ErrSectionChanged = errors.New("the memories do not have the checksum of the integrity block")

// WriteStore writes a memory store (PAM §3) as compact JSON. The three readers give the elements of
// the collections, joined by commas, as a [Section] wrote them; nil or no text is an empty
// collection. The scalar members come first, so that a reader knows whose store it is, and in what
// order and number memories follow, before the first of them.
//
// The memories are hashed on their way: text that differs from in.Checksum gives an error that
// wraps [ErrSectionChanged], and what was written must be thrown away. After any error w holds a
// part of a store.
func WriteStore(w io.Writer, h Header, memories, relations, index io.Reader, in Integrity, sig *Signature) error {
	if in.Canonicalization == "" {
		in.Canonicalization = RFC8785
	}
	head := h.append(nil)
	head = in.append(appendKey(head, "integrity"))
	if sig != nil {
		head = sig.append(appendKey(head, "signature"))
	}
	if _, err := w.Write(head); err != nil {
		return fmt.Errorf("write store: %w", err)
	}
	sum := sha256.New()
	if err := writeSection(io.MultiWriter(w, sum), w, "memories", memories); err != nil {
		return err
	}
	if got := Digest([sha256.Size]byte(sum.Sum(nil))); got != in.Checksum {
		return fmt.Errorf("write store: %w", ErrSectionChanged)
	}
	if err := writeSection(w, w, "relations", relations); err != nil {
		return err
	}
	if err := writeSection(w, w, "conversations_index", index); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "}\n"); err != nil {
		return fmt.Errorf("write store: %w", err)
	}
	return nil
}

// writeSection writes the key to plain and the array to w.
func writeSection(w, plain io.Writer, key string, elements io.Reader) error {
	if _, err := io.WriteString(plain, `,"`+key+`":`); err != nil {
		return fmt.Errorf("write store: %w", err)
	}
	if _, err := io.WriteString(w, "["); err != nil {
		return fmt.Errorf("write store: %w", err)
	}
	if elements != nil {
		if _, err := io.Copy(w, elements); err != nil {
			return fmt.Errorf("write store: copy %s: %w", key, err)
		}
	}
	if _, err := io.WriteString(w, "]"); err != nil {
		return fmt.Errorf("write store: %w", err)
	}
	return nil
}

// append writes the members of the header into an object that stays open.
func (h *Header) append(dst []byte) []byte {
	dst = append(dst, `{"schema":"`+StoreSchema+`","schema_version":"`+SchemaVersion+`"`...)
	dst = appendOptional(dst, "spec_uri", h.SpecURI)
	dst = appendOptional(dst, "export_id", h.ExportID)
	dst = appendOptional(dst, "exported_by", h.ExportedBy)
	dst = appendOptional(dst, "export_date", h.ExportDate)
	dst = appendMember(append(appendKey(dst, "owner"), '{'), "id", h.Owner.ID)
	dst = appendOptional(dst, "did", h.Owner.DID)
	dst = append(appendOptional(dst, "created_at", h.Owner.CreatedAt), '}')
	dst = appendOptional(dst, "export_type", h.ExportType)
	dst = appendOptional(dst, "base_export_id", h.BaseExportID)
	dst = appendOptional(dst, "since", h.Since)
	return appendOptional(dst, "type_registry", h.TypeRegistry)
}

func (in *Integrity) append(dst []byte) []byte {
	dst = appendMember(append(dst, '{'), "canonicalization", in.Canonicalization)
	dst = appendMember(dst, "checksum", in.Checksum)
	return append(appendCount(dst, "total_memories", &in.TotalMemories), '}')
}

func (s *Signature) append(dst []byte) []byte {
	dst = appendMember(append(dst, '{'), "algorithm", s.Algorithm)
	dst = appendMember(dst, "public_key", s.PublicKey)
	dst = appendMember(dst, "value", s.Value)
	dst = appendMember(dst, "signed_at", s.SignedAt)
	return append(appendOptional(dst, "key_id", s.KeyID), '}')
}
