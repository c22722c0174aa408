package openwebui

import "github.com/pamline/pamline/providers/localapp"

// The rules of ids are frozen: what was named once keeps its name in every later version.
//
//   - A conversation with a row is named by the id of the row, in the space "local/openwebui".
//   - A chat without a row is named by its own id if it has one, else by the id of its oldest
//     message without a parent, as "first message", NUL, id.
//   - A message has the id that history.messages has for it. In the table chat_message that is the
//     id of the row without the chat's id and a "-" before it.
//   - A message that was made of a part of another has its id, "#" and a number: see package chat.
var space = localapp.Space("openwebui")
