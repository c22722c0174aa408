// Package chat reads the chats of Open WebUI and of the assistants that are built on it, such as
// Qwen Chat. They share a skeleton and differ in what a message holds:
//
//	{"id":"…","user_id":"…","title":"…","chat":{
//	   "models":["…"],"params":{"system":"…"},
//	   "history":{"currentId":"…","messages":{"<id>":{"id":"…","parentId":null,"childrenIds":["…"],"role":"user",…},…}},
//	   "messages":[…]},
//	 "created_at":1767323045,"updated_at":…,"archived":false,"pinned":false,"meta":{"tags":["…"]},"folder_id":null}
//
// The row around the chat is missing in files that hold a single chat. history.messages is the
// whole tree; messages repeats the branch that was shown last, and is all there is in old rows.
package chat
