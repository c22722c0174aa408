package validate

import "github.com/pamline/pamline/pamio/schema"

// elementParts are the schemas of the elements by their array, documentParts those of the objects
// around them.
var (
	elementParts = map[string]schema.Part{
		"memories":            schema.Memory,
		"relations":           schema.Relation,
		"conversations_index": schema.IndexEntry,
		"messages":            schema.Message,
		"embeddings":          schema.Embedding,
	}
	documentParts = map[kind]schema.Part{
		store:        schema.StoreDocument,
		conversation: schema.ConversationDocument,
		embeddings:   schema.EmbeddingsDocument,
	}
)
