// Package llm is the extractor that asks a language model. It is optional: without it, harvest and
// rules do the work.
//
// A conversation is divided into questions of whole turns (chunk.go), of a size that the server's
// context has room for (context.go). The person's own plain talk is marked as evidence, and texts
// that they want worked on as drafts; what the assistant said, and what the person pasted, is
// context and cut short; what tools and programs put there is left out. The model answers with a
// list of memories and the quotes that prove them (system.txt, schema.json). Nothing that it says
// is believed: each quote is looked for in the person's words (locate.go), and what has no quote
// there, is about somebody else, names what nobody said, or matters only in the talk, is rejected
// with a reason (accept.go). What is merely doubtful is believed less (doubt.go). So a memory of
// this extractor has spans like one of the rules, and whatever a model makes up or is talked into
// can at worst choose among the person's own sentences.
//
// What leaves the machine is the talk itself, without secrets: package gate takes them out of a
// question before it is sent (redact.go), and out of what comes back before it is a memory.
// Conversations marked "do not remember" are not sent at all.
//
// # Asking and reading
//
// Ask gets answers and records each, Read makes candidates of what is recorded. An answer is kept
// under a digest of the extractor's version and the text of the question:
//
//	{"state":"ok","text":"{\"memories\":…}","model":…,"conversation":…,"usage":{…}}
//	{"state":"failed","reason":"refused",…}          counted by Read, and not asked again
//	{"state":"split","reason":"truncated-answer",…}  its halves have answers of their own
//	{"state":"pending","batch":"batch-…",…}          a batch has it
//
// Outages, a wrong key and an empty purse are errors of Ask (*extract.AskError) and are not
// recorded: the next Ask goes on there. An empty list and a failure are never the same thing.
//
// The version has the model's name and a digest of the prompt, the schema and what else shapes a
// question. Another model or another prompt is another extractor: nothing recorded is taken for its
// answers.
//
// # Holding a model to the form
//
// There are four ways, from strict to none: a JSON Schema, JSON mode, a forced tool call, and plain
// text. Which of them an endpoint understands, and what it calls its parameters, is found out once
// and remembered beside the answers (dialect.go). If the first question is answered, that is the
// way; if its form is refused, a probe with nothing personal in it goes down the ladder. An answer
// is read the same way whatever the rung: thoughts, fences and prose around the JSON are passed
// over (answer.go).
//
//	met                                     done
//	no connection, 408 409 425 429 5xx      repeated when the server says so, else after 0.5 s·2ⁿ;
//	                                        then an AskError, not permanent
//	401 402 403 404, no credit              AskError, permanent, with a hint
//	400 for the form                        down the ladder
//	400 for the length; answer cut off      divided, down to some 250 characters
//	thoughts until there is no room         recorded as thoughts-too-long;
//	                                        an AskError while nothing was answered yet
//	fewer tokens counted than were sent     AskError, permanent, with the context that is needed
//	no readable JSON, double keys, empty    repeated, then on each lower rung;
//	                                        then recorded as unreadable-answer
//	refusal, content filter                 recorded as refused
//	400 for this question alone             recorded as request-rejected, once a probe was taken
//	the next request could pass a limit     AskError, permanent, that names the setting
//
// Models that think before they answer spend their thoughts out of Options.MaxOutput.
// Options.Effort and Options.ExtraBody tell them to think less.
//
// # Batches
//
// With Options.Batch questions go through the batch API, in batches of at most 96 MiB. A batch is
// recorded before it is handed over, with a tag; after a crash it is looked for at the service and
// never handed over twice. Anthropic's service keeps no tag: there a batch of the right age and
// size is waited for, and known by the names of its requests. What a batch leaves open is asked in
// another one, and what came back cut off or unreadable is asked singly.
//
// # Quirks that are handled
//
//	max_tokens refused for max_completion_tokens     the probe changes the name
//	temperature refused (reasoning models)           the probe leaves it out
//	404 from a proxy for response_format or tools    a refused form, while there was no answer yet
//	arguments or content as object or list of parts  read
//	JSON mode wants the word "json" in the prompt    it is there
//	Ollama's copy of OpenAI's API cuts questions     its token count shows it;
//	                                                 its own API is told the context
//	thoughts in a field of their own, or in tags     passed over
//	400 for an account without credit (Anthropic)    AskError, not a rejected question
//	a bare list instead of the object                read
//	<|…|>, [INST] or <think> in the person's text    made harmless; quotes are found all the same
package llm
