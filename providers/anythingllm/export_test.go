package anythingllm

import "github.com/pamline/pamline/pamio"

// RestoreRows is for tests that divide rows of a database and put them together again.
func RestoreRows(doc *pamio.Conversation) ([]byte, error) {
	return restore(nil, schemas[formDatabase], doc)
}
