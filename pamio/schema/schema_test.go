package schema

import "testing"

func TestEveryPartCompiles(t *testing.T) {
	for _, p := range Parts {
		for _, formats := range []bool{false, true} {
			if _, err := p.Compiled(formats); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := Part("urn:none").Compiled(false); err == nil {
		t.Error("a part that is not there was compiled")
	}
}

func TestSchemasAreNeverFetched(t *testing.T) {
	if _, err := (offline{}).Load("https://example.org/schema.json"); err == nil {
		t.Error("an address was loaded")
	}
}

func TestPartsAcceptAndRefuse(t *testing.T) {
	const hash = `"content_hash":"sha256:0000000000000000000000000000000000000000000000000000000000000000"`
	const rest = `,"temporal":{"created_at":"2026-01-01T00:00:00Z"},"provenance":{"platform":"claude"}}`
	for name, c := range map[string]struct {
		part    Part
		text    string
		formats bool
		valid   bool
	}{
		"least memory":              {Memory, `{"id":"a","type":"fact","content":"x",` + hash + rest, true, true},
		"unknown type":              {Memory, `{"id":"a","type":"feeling","content":"x",` + hash + rest, false, false},
		"custom without its name":   {Memory, `{"id":"a","type":"custom","content":"x",` + hash + rest, false, false},
		"custom with its name":      {Memory, `{"id":"a","type":"custom","custom_type":"diet","content":"x",` + hash + rest, false, true},
		"name without custom":       {Memory, `{"id":"a","type":"fact","custom_type":"diet","content":"x",` + hash + rest, false, false},
		"null instead of a name":    {Memory, `{"id":"a","type":"fact","custom_type":null,"content":"x",` + hash + rest, false, true},
		"empty content":             {Memory, `{"id":"a","type":"fact","content":"",` + hash + rest, false, false},
		"tag twice":                 {Memory, `{"id":"a","type":"fact","tags":["b","b"],"content":"x",` + hash + rest, false, false},
		"relation":                  {Relation, `{"id":"a","from":"b","to":"c","type":"extends","created_at":"2026-01-01T00:00:00Z"}`, true, true},
		"relation, bad time":        {Relation, `{"id":"a","from":"b","to":"c","type":"extends","created_at":"yesterday"}`, true, false},
		"bad time, formats open":    {Relation, `{"id":"a","from":"b","to":"c","type":"extends","created_at":"yesterday"}`, false, true},
		"confidence above one":      {Relation, `{"id":"a","from":"b","to":"c","type":"extends","confidence":1.01,"created_at":""}`, false, false},
		"index entry":               {IndexEntry, `{"id":"a","platform":"grok","temporal":{"created_at":"2026-01-01T00:00:00Z"}}`, true, true},
		"platform with a newline":   {IndexEntry, `{"id":"a","platform":"grok\n","temporal":{"created_at":"2026-01-01T00:00:00Z"}}`, false, false},
		"message without content":   {Message, `{"id":"a","role":"tool","created_at":"2026-01-01T00:00:00Z"}`, true, true},
		"message with null content": {Message, `{"id":"a","role":"tool","created_at":"2026-01-01T00:00:00Z","content":null}`, false, false},
		"unknown member":            {Message, `{"id":"a","role":"tool","created_at":"2026-01-01T00:00:00Z","extra":1}`, false, false},
		"tool input an array":       {Message, `{"id":"a","role":"tool","created_at":"x","tool_calls":[{"name":"n","input":[]}]}`, false, false},
		"relative citation":         {Message, `{"id":"a","role":"tool","created_at":"2026-01-01T00:00:00Z","citations":[{"url":"/a"}]}`, true, false},
		"embedding":                 {Embedding, `{"id":"a","memory_id":"m","model":"x","dimensions":1,"created_at":"2026-01-01T00:00:00Z","vector":[1]}`, true, true},
		"no dimensions":             {Embedding, `{"id":"a","memory_id":"m","model":"x","dimensions":0,"created_at":"2026-01-01T00:00:00Z"}`, false, false},
		"least store":               {StoreDocument, `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[]}`, true, true},
		"signed without export_id":  {StoreDocument, `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[],"export_date":"x","signature":{"algorithm":"ES256","public_key":"k","value":"v","signed_at":"x"}}`, false, false},
		"three-part version":        {StoreDocument, `{"schema":"portable-ai-memory","schema_version":"1.0.0","owner":{"id":"o"},"memories":[]}`, false, false},
		"least conversation":        {ConversationDocument, `{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"c","provider":{"name":"chatgpt"},"temporal":{"created_at":"2026-01-01T00:00:00Z"},"messages":[]}`, true, true},
		"other kind of document":    {ConversationDocument, `{"schema":"portable-ai-memory","schema_version":"1.0","id":"c","provider":{"name":"chatgpt"},"temporal":{"created_at":"2026-01-01T00:00:00Z"},"messages":[]}`, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := Decode([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.part.Validate(v, c.formats); (err == nil) != c.valid {
				t.Errorf("%v, want valid: %v", err, c.valid)
			}
		})
	}
}

func TestDecodeRefusesWhatIsNotOneValue(t *testing.T) {
	for _, s := range []string{``, `{`, `1 2`} {
		if _, err := Decode([]byte(s)); err == nil {
			t.Errorf("%q was decoded", s)
		}
	}
}
