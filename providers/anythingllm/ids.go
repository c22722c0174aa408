package anythingllm

import "github.com/pamline/pamline/providers/localapp"

// The rules of ids are frozen: what was named once keeps its name in every later version.
//
//   - A thread of the database is named by its slug, which is a UUID, in the space
//     "local/anythingllm"; one whose row is gone by "thread", NUL, workspace, NUL, the number of
//     the thread.
//   - The chats of a workspace without a thread are named by "workspace", NUL, the workspace's
//     slug, NUL, the user's number, NUL, the session of the API. What is absent is empty.
//   - The rows of an export are named by "export", NUL, the workspace's name, NUL, the user's name.
//   - A line of JSONL is named by "line", NUL, its first question; the elements of Alpaca by
//     "alpaca", NUL, their instruction.
//   - An answer has the number of its row; the question that and "#0", what was thought that and
//     "#1". Without numbers, they are numbered by the engine.
var space = localapp.Space("anythingllm")
