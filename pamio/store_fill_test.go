package pamio

import (
	"reflect"
	"testing"
)

// Entries of the index and the scalars of a store are read as the decoder of the other documents
// reads them.
func TestStoresAreReadAsTheDecoderReads(t *testing.T) {
	for _, text := range []string{
		`{"id":"a","platform":"chatgpt","title":"T","message_count":3,"temporal":{"created_at":"x","updated_at":"y"},"tags":["a",null],"derived_memories":[],"storage":{"type":"file","ref":"r","format":"f","more":1},"new":{}}`,
		`{"id":null,"title":null,"message_count":null,"temporal":null,"tags":null,"derived_memories":null,"storage":null}`,
		`{"\u0069d":"escaped","ID":"other","storage":{},"temporal":{},"message_count":-9223372036854775808}`,
		`{"message_count":1.0}`, `{"message_count":"1"}`, `{"storage":[]}`, `{"storage":"s"}`, `{"tags":{}}`, `{"tags":[1]}`, `{"temporal":[]}`, `{"title":7}`,
		`{"id":"a","id":"b"}`, `[]`, `{"id":"\ud800"}`, `{"id":`,
	} {
		got, err := ParseIndexEntry([]byte(text))
		var want IndexEntry
		compareDecoded(t, text, got, err, &want, parseStrict([]byte(text), &want))
	}
	const head = `{"schema":"portable-ai-memory","schema_version":"1.0",`
	for _, text := range []string{
		head + `"spec_uri":"u","export_id":"i","exported_by":"b","export_date":"d","owner":{"id":"o","did":"did:x","created_at":"c"},"export_type":"full","base_export_id":"e","since":"s","type_registry":"t","integrity":{"canonicalization":"RFC8785","checksum":"sha256:1","total_memories":4},"signature":{"algorithm":"a","public_key":"p","value":"v","signed_at":"s","key_id":"k"}}`,
		head + `"owner":null,"integrity":null,"signature":null,"since":null,"memories":[],"unknown":[{}]}`,
		head + `"owner":{},"integrity":{},"signature":{}}`,
		head + `"integrity":{"total_memories":null}}`, head + `"integrity":{"total_memories":1.5}}`, head + `"integrity":{"total_memories":"1"}}`,
		head + `"integrity":[]}`, head + `"signature":"s"}`, head + `"signature":{"value":1}}`, head + `"owner":"me"}`, head + `"owner":{"id":{}}}`, head + `"since":1}`,
		`{"schema":1}`, `{}`,
	} {
		got, err := parseScalars([]byte(text))
		want := Scalars{}
		wantErr := parseStrict([]byte(text), &want)
		if wantErr == nil {
			wantErr = checkSchema(StoreSchema, want.Schema, want.SchemaVersion)
		}
		want.Raw = []byte(text)
		compareDecoded(t, text, got, err, &want, wantErr)
	}
}

func compareDecoded(t *testing.T, text string, got any, err error, want any, wantErr error) {
	t.Helper()
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%s: error %v, and of the decoder %v", text, err, wantErr)
	}
	if err == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n%+v, and by the decoder\n%+v", text, got, want)
	}
}
