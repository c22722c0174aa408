package ollama

import "github.com/pamline/pamline/providers/localapp"

// The rules of ids are frozen: what was named once keeps its name in every later version.
//
//   - A conversation is named by chats.id, in the space "local/ollama".
//   - A message has the number of its row, messages.id; its thought has that and "#0".
var space = localapp.Space("ollama")
