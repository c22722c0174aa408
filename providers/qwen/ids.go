package qwen

// The rules of ids are frozen: what was named once keeps its name in every later version.
//
//   - A conversation is named by the id of its row, in the space of the provider.
//   - A chat without a row is named by its own id if it has one, else by the id of its oldest
//     message without a parent, as "first message", NUL, id.
//   - A message has the id that history.messages has for it; what is made of a part of it has that
//     id, "#" and a number.
const provider = "qwen"
