package chatgpt_test

import (
	"fmt"

	"github.com/pamline/pamline/providers/chatgpt"
	"github.com/pamline/pamline/providers/importer"
)

// An element becomes a document, and an edited document the edited element.
func ExampleImporter_Restore() {
	element := `{"title":"Tea","create_time":1700000000.5,"conversation_id":"c1","id":"c1","is_archived":false,"mapping":{"m":{"id":"m","message":{"id":"m","author":{"role":"user"},"create_time":1700000001,"content":{"content_type":"text","parts":["Green?"]},"weight":1.0},"parent":null,"children":[]}}}`
	chats := chatgpt.New()
	items, err := chats.Decode(importer.Unit{Role: "conversations", Raw: []byte(element)})
	if err != nil {
		fmt.Println(err)
		return
	}
	doc := items[0].Conversation.Doc
	fmt.Println(doc.Messages[0].CreatedAt, *doc.Messages[0].Content.Text, string(doc.Messages[0].RawMetadata))

	*doc.Messages[0].Content.Text = "Black?"
	restored, err := chats.Restore(nil, doc)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(restored))
	// Output:
	// 2023-11-14T22:13:21Z Green? {"weight":1.0}
	// {"title":"Tea","create_time":1700000000.500000,"conversation_id":"c1","id":"c1","is_archived":false,"mapping":{"m":{"id":"m","message":{"id":"m","author":{"role":"user"},"create_time":1700000001,"content":{"content_type":"text","parts":["Black?"]},"weight":1.0},"parent":null,"children":[]}}}
}
