package pamio

import "github.com/pamline/pamline/pamio/jsonscan"

func (f *filler) indexEntry(e *IndexEntry, n jsonscan.Node) {
	f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "id":
			e.ID = f.text(v)
		case "platform":
			e.Platform = f.text(v)
		case "title":
			e.Title = f.optionalText(v)
		case "message_count":
			e.MessageCount = f.count(v)
		case "temporal":
			f.span(&e.Temporal, v)
		case "tags":
			e.Tags = fillList(f, v, fillText)
		case "derived_memories":
			e.DerivedMemories = fillList(f, v, fillText)
		case "storage":
			s := &Storage{}
			if f.texts(v, map[string]*string{"type": &s.Type, "ref": &s.Ref, "format": &s.Format}) {
				e.Storage = s
			}
		}
	})
}

// texts fills in members of an object that are texts, by their keys.
func (f *filler) texts(n jsonscan.Node, to map[string]*string) bool {
	return f.object(n, func(key []byte, v jsonscan.Node) {
		if s := to[string(key)]; s != nil {
			*s = f.text(v)
		}
	})
}

func (f *filler) scalars(s *Scalars, n jsonscan.Node) {
	texts := map[string]*string{
		"schema": &s.Schema, "schema_version": &s.SchemaVersion, "spec_uri": &s.SpecURI, "export_id": &s.ExportID, "exported_by": &s.ExportedBy,
		"export_date": &s.ExportDate, "export_type": &s.ExportType, "base_export_id": &s.BaseExportID, "since": &s.Since, "type_registry": &s.TypeRegistry,
	}
	f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "owner":
			f.texts(v, map[string]*string{"id": &s.Owner.ID, "did": &s.Owner.DID, "created_at": &s.Owner.CreatedAt})
		case "integrity":
			i := &Integrity{}
			if f.integrity(i, v) {
				s.Integrity = i
			}
		case "signature":
			g := &Signature{}
			if f.texts(v, map[string]*string{"algorithm": &g.Algorithm, "public_key": &g.PublicKey, "value": &g.Value, "signed_at": &g.SignedAt, "key_id": &g.KeyID}) {
				s.Signature = g
			}
		default:
			if to := texts[string(key)]; to != nil {
				*to = f.text(v)
			}
		}
	})
}

func (f *filler) integrity(i *Integrity, n jsonscan.Node) bool {
	return f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "canonicalization":
			i.Canonicalization = f.text(v)
		case "checksum":
			i.Checksum = f.text(v)
		case "total_memories":
			if count := f.count(v); count != nil {
				i.TotalMemories = *count
			}
		}
	})
}
