package pamio

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestCheckFindsEachFault(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*Conversation)
		pointer string
	}{
		"no id":                     {func(c *Conversation) { c.ID = "" }, "/id"},
		"id not UTF-8":              {func(c *Conversation) { c.ID = "a\xff" }, "/id"},
		"no provider":               {func(c *Conversation) { c.Provider.Name = "" }, "/provider/name"},
		"bad provider":              {func(c *Conversation) { c.Provider.Name = "ChatGPT" }, "/provider/name"},
		"provider's id not UTF-8":   {func(c *Conversation) { c.Provider.ConversationID = "\xff" }, "/provider/conversation_id"},
		"title not UTF-8":           {func(c *Conversation) { c.Title = ptr("\xff") }, "/title"},
		"no time":                   {func(c *Conversation) { c.Temporal.CreatedAt = "" }, "/temporal/created_at"},
		"time with an offset":       {func(c *Conversation) { c.Temporal.CreatedAt = "2026-01-05T09:00:00+00:00" }, "/temporal/created_at"},
		"milliseconds":              {func(c *Conversation) { c.Temporal.UpdatedAt = "2026-01-05T10:00:00.250Z" }, "/temporal/updated_at"},
		"updated before created":    {func(c *Conversation) { c.Temporal.UpdatedAt = "2026-01-05T08:59:59.999999Z" }, "/temporal/updated_at"},
		"participant's role":        {func(c *Conversation) { c.Participants[1].Role = "" }, "/participants/1/role"},
		"participant's name":        {func(c *Conversation) { c.Participants[0].Name = "\xff" }, "/participants/0/name"},
		"message without id":        {func(c *Conversation) { c.Messages[0].ID = "" }, "/messages/0/id"},
		"same id twice":             {func(c *Conversation) { c.Messages[1].ID = "a" }, "/messages/1/id"},
		"unknown role":              {func(c *Conversation) { c.Messages[2].Role = "function" }, "/messages/2/role"},
		"message without time":      {func(c *Conversation) { c.Messages[2].CreatedAt = "" }, "/messages/2/created_at"},
		"zero fraction":             {func(c *Conversation) { c.Messages[2].CreatedAt = "2026-01-05T10:00:00.000000Z" }, "/messages/2/created_at"},
		"no such day":               {func(c *Conversation) { c.Messages[2].CreatedAt = "2026-02-30T10:00:00Z" }, "/messages/2/created_at"},
		"unknown content":           {func(c *Conversation) { c.Messages[0].Content.Type = "html" }, "/messages/0/content/type"},
		"text not UTF-8":            {func(c *Conversation) { c.Messages[0].Content.Text = ptr("\xed\xa0\x80") }, "/messages/0/content/text"},
		"text with parts":           {func(c *Conversation) { c.Messages[0].Content.Parts = []Part{{Type: "text"}} }, "/messages/0/content/parts"},
		"multipart with text":       {func(c *Conversation) { c.Messages[1].Content.Text = ptr("x") }, "/messages/1/content/text"},
		"unknown part":              {func(c *Conversation) { c.Messages[1].Content.Parts[1].Type = "picture" }, "/messages/1/content/parts/1/type"},
		"part's ref not UTF-8":      {func(c *Conversation) { c.Messages[1].Content.Parts[1].Ref = "\xff" }, "/messages/1/content/parts/1/ref"},
		"unknown attachment":        {func(c *Conversation) { c.Messages[0].Attachments[0].Type = "code" }, "/messages/0/attachments/0/type"},
		"negative size":             {func(c *Conversation) { c.Messages[0].Attachments[0].SizeBytes = ptr(int64(-1)) }, "/messages/0/attachments/0/size_bytes"},
		"negative tokens":           {func(c *Conversation) { c.Messages[1].TokenCount = ptr(int64(-5)) }, "/messages/1/token_count"},
		"too many tokens":           {func(c *Conversation) { c.Messages[1].TokenCount = ptr(int64(1 << 53)) }, "/messages/1/token_count"},
		"relative citation":         {func(c *Conversation) { c.Messages[2].Citations[0].URL = "/wiki/Nut" }, "/messages/2/citations/0/url"},
		"citation with a space":     {func(c *Conversation) { c.Messages[2].Citations[0].URL = "https://example.org/a b" }, "/messages/2/citations/0/url"},
		"tool without a name":       {func(c *Conversation) { c.Messages[2].ToolCalls[2].Name = "" }, "/messages/2/tool_calls/2/name"},
		"tool input an array":       {func(c *Conversation) { c.Messages[2].ToolCalls[0].Input = RawJSON(`[1]`) }, "/messages/2/tool_calls/0/input"},
		"raw not JSON":              {func(c *Conversation) { c.Messages[1].RawMetadata = RawJSON(`{"a":}`) }, "/messages/1/raw_metadata"},
		"raw empty":                 {func(c *Conversation) { c.Messages[1].RawMetadata = RawJSON{} }, "/messages/1/raw_metadata"},
		"raw an array":              {func(c *Conversation) { c.RawMetadata = RawJSON(`[]`) }, "/raw_metadata"},
		"raw a string":              {func(c *Conversation) { c.RawMetadata = RawJSON(`"x"`) }, "/raw_metadata"},
		"raw with spaces":           {func(c *Conversation) { c.RawMetadata = RawJSON(`{"a": 1}`) }, "/raw_metadata"},
		"raw with spaces around":    {func(c *Conversation) { c.RawMetadata = RawJSON(`{"a":1} `) }, "/raw_metadata"},
		"raw with a duplicate":      {func(c *Conversation) { c.RawMetadata = RawJSON(`{"a":{"b":1,"b":2}}`) }, "/raw_metadata"},
		"raw with half a pair":      {func(c *Conversation) { c.RawMetadata = RawJSON(`{"a":"\ud800"}`) }, "/raw_metadata"},
		"raw not UTF-8":             {func(c *Conversation) { c.RawMetadata = RawJSON("{\"a\":\"\xff\"}") }, "/raw_metadata"},
		"bad tag":                   {func(c *Conversation) { c.Tags = []string{"ok", "Not Ok"} }, "/tags/1"},
		"importer":                  {func(c *Conversation) { c.Import.Importer = "pamline/1.0" }, "/import_metadata/importer"},
		"imported at":               {func(c *Conversation) { c.Import.ImportedAt = "now" }, "/import_metadata/imported_at"},
		"source checksum":           {func(c *Conversation) { c.Import.SourceChecksum = "sha256:AB" }, "/import_metadata/source_checksum"},
		"parent that is not there":  {func(c *Conversation) { c.Messages[1].ParentID = "x" }, "/messages/1/parent_id"},
		"child that is not there":   {func(c *Conversation) { c.Messages[0].ChildrenIDs = []string{"b", "c", "x"} }, "/messages/0/children_ids/2"},
		"child with another parent": {func(c *Conversation) { c.Messages[1].ChildrenIDs = []string{"c"} }, "/messages/1/children_ids/0"},
		"child without a parent":    {func(c *Conversation) { c.Messages[2].ParentID = "" }, "/messages/0/children_ids/1"},
		"parent without the child":  {func(c *Conversation) { c.Messages[0].ChildrenIDs = []string{"b"} }, "/messages/2/parent_id"},
		"child twice":               {func(c *Conversation) { c.Messages[0].ChildrenIDs = []string{"b", "b"} }, "/messages/0/children_ids/1"},
		"its own parent": {func(c *Conversation) {
			c.Messages[0].ParentID, c.Messages[0].ChildrenIDs = "a", []string{"a", "b", "c"}
		}, "/messages/0/parent_id"},
		"cycle": {func(c *Conversation) {
			c.Messages[0].ParentID, c.Messages[1].ChildrenIDs = "b", []string{"a"}
		}, "/messages/0/parent_id"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := sampleConversation()
			c.change(doc)
			var fault *CheckError
			if err := doc.Check(); !errors.As(err, &fault) || fault.Pointer != c.pointer {
				t.Errorf("%v, want a fault at %s", err, c.pointer)
			} else if strings.Contains(err.Error(), "walnuts") {
				t.Errorf("%v quotes the document", err)
			}
		})
	}
}

func TestCheckAcceptsLongChainsAndUnlinkedMessages(t *testing.T) {
	c := leastConversation()
	for i := range 50_000 {
		m := Message{ID: fmt.Sprint(i), Role: "user", CreatedAt: "2026-01-05T09:00:00Z"}
		if i > 0 {
			m.ParentID = fmt.Sprint(i - 1)
			c.Messages[i-1].ChildrenIDs = []string{m.ID}
		}
		c.Messages = append(c.Messages, m)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	c = leastConversation()
	c.Messages = []Message{{ID: "a", Role: "user", CreatedAt: "2026-01-05T09:00:00Z"}, {ID: "b", Role: "user", CreatedAt: "2026-01-05T09:00:00Z"}}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

func TestPatterns(t *testing.T) {
	for name, c := range map[string]struct {
		is       func(string) bool
		yes, nay []string
	}{
		"platform": {IsPlatform, []string{"ab", "chatgpt", "a-b_9", strings.Repeat("a", 32)}, []string{"", "a", "ChatGPT", "a b", strings.Repeat("a", 33), "claude\n", "é€"}},
		"tag":      {IsTag, []string{"a", "9", "web-scraping", "a_b"}, []string{"", "-a", "_a", "A", "a b", "a\n", "é"}},
		"system":   {IsSystem, []string{"a/1.2.3", "A_b-9/10.0.2"}, []string{"", "a", "a/1.2", "a/1.2.3.4", "/1.2.3", "a/1..3", "a/1.2.x", "a b/1.2.3", "a/1.2.3\n", "a.b/1.2.3", "a/b/1.2.3"}},
		"digest":   {IsDigest, []string{"sha256:" + strings.Repeat("0f", 32)}, []string{"", "sha256:", strings.Repeat("0f", 32), "sha256:" + strings.Repeat("0F", 32), "sha256:" + strings.Repeat("0f", 33)}},
		"uri": {IsAbsoluteURI,
			[]string{"https://example.org/", "http://[::1]:80/a?b=c#d", "mailto:a@b.c", "urn:x:y", "file-service://file-1", "https://e.org/%C3%A9", "a+b-c.d:x", "https://e.org/?a[]=1&b=100%", "https://e.org/a#:~:text=b#c"},
			[]string{"", "example.org", "/a", "//a/b", ":x", "1a:b", "http:", "https://e.org/a b", "https://e.org/é", "https://e.org/%zz", "https://e.org/%a", "https://e.org/<x>", "http://[::1/", "https://e.org/a|b", "https://e.org/\n"}},
	} {
		for _, s := range c.yes {
			if !c.is(s) {
				t.Errorf("%q is not a %s", s, name)
			}
		}
		for _, s := range c.nay {
			if c.is(s) {
				t.Errorf("%q is a %s", s, name)
			}
		}
	}
}
