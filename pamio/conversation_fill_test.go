package pamio

import (
	"reflect"
	"testing"
)

// decoded is a conversation document as the decoder of the other documents reads it.
type decoded struct {
	Schema        string `json:"schema"`
	SchemaVersion string `json:"schema_version"`
	Conversation
}

// TestConversationsAreReadAsTheDecoderReads: there are two ways from JSON to structs, and they must
// not differ.
func TestConversationsAreReadAsTheDecoderReads(t *testing.T) {
	const head = `{"schema":"portable-ai-memory-conversation","schema_version":"1.0",`
	for _, text := range []string{
		string(bigConversation().AppendJSON(nil)),
		string(sampleConversation().AppendJSON(nil)),
		head + `"id":null,"provider":null,"title":null,"temporal":null,"participants":null,"messages":null,"model":null,"system_instruction":null,"is_archived":null,"tags":null,"raw_metadata":null,"import_metadata":null}`,
		head + `"title":"","participants":[],"messages":[],"tags":[],"import_metadata":{},"raw_metadata":{},"unknown":{"id":"x"}}`,
		head + `"messages":[null,{},{"content":null,"children_ids":null,"token_count":null},{"content":{},"children_ids":[null,"a"],"attachments":[null,{}],"citations":[null],"tool_calls":[null,{"input":null,"output":null}]}],"participants":[null],"tags":[null]}`,
		head + `"messages":[{"content":{"type":"multipart","text":"","parts":[null,{"text":null},{"type":"code","text":"x","language":"go","mime_type":"a","ref":"b"}]}}]}`,
		head + `"messages":[{"token_count":0,"attachments":[{"size_bytes":9223372036854775807},{"size_bytes":-1}],"tool_calls":[{"input": { "a" : [ 1.0 , -0 , "\u0041 b" ] },"output":""},{"input":"s"},{"input":7}]}]}`,
		head + `"\u0069d":"an escaped key","ID":"another case","title":"\u0041\n\ud83d\ude00","raw_metadata": [ 1 , 1e5 ] }`,
		head + `"messages":[{"token_count":1.0}]}`,
		head + `"messages":[{"token_count":1e3}]}`,
		head + `"messages":[{"token_count":9223372036854775808}]}`,
		head + `"messages":[{"token_count":"7"}]}`,
		head + `"messages":{}}`, head + `"tags":"a"}`, head + `"tags":[1]}`, head + `"title":1}`, head + `"provider":[]}`, head + `"provider":"claude"}`,
		head + `"import_metadata":""}`, head + `"is_archived":1}`, head + `"messages":[7]}`, head + `"messages":[{"content":"text"}]}`,
		`{"schema":1}`, `{"schema_version":[]}`,
	} {
		compareWithDecoder(t, []byte(text))
	}
}

func compareWithDecoder(t *testing.T, text []byte) {
	t.Helper()
	got, err := ParseConversation(text)
	var want decoded
	wantErr := parseStrict(text, &want)
	if wantErr == nil {
		wantErr = checkSchema(ConversationSchema, want.Schema, want.SchemaVersion)
	}
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%.300s: error %v, and of the decoder %v", text, err, wantErr)
	}
	if err == nil && !reflect.DeepEqual(got, &want.Conversation) {
		t.Errorf("%.300s:\n%+v, and by the decoder\n%+v", text, got, want.Conversation)
	}
}

func BenchmarkReadWithDecoder(b *testing.B) {
	text := bigConversation().AppendJSON(nil)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := parseStrict(text, new(decoded)); err != nil {
			b.Fatal(err)
		}
	}
}
