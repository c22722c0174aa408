package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pamline/pamline/interop/render"
)

const (
	maxAnswer = 1 << 20  // bytes of an answer
	pageBytes = 24 << 10 // bytes of a conversation that are given at once
	maxListed = 200      // elements of a list
	maxFound  = 50       // results of a search
	mcpJSON   = "json"
)

// mcpTools are the commands as tools. Each call reads the store as it is then.
type mcpTools struct {
	*app
	*mcpCommand
	mu sync.Mutex // one call at a time: they share the search index
}

// limitedBuffer keeps what an answer may have.
type limitedBuffer struct {
	bytes.Buffer
	cut bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxAnswer {
		b.cut = true
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

type periodInput struct {
	Since    string `json:"since,omitempty" jsonschema:"only from this date on, for example 2025, 2025-03-31 or 30d"`
	Until    string `json:"until,omitempty" jsonschema:"only up to this date, which is included"`
	Provider string `json:"provider,omitempty" jsonschema:"only from this assistant, for example chatgpt or claude"`
}

func (p periodInput) period() period { return period(p) }

type searchInput struct {
	Query string   `json:"query" jsonschema:"words to find, all of them; a phrase in double quotes, begin* for a beginning, -word for a word that must not occur"`
	In    []string `json:"in,omitempty" jsonschema:"only in messages, memories, titles or assets; default: everywhere"`
	Role  string   `json:"role,omitempty" jsonschema:"only messages of user, assistant, system or tool"`
	Sort  string   `json:"sort,omitempty" jsonschema:"relevance (the default) or time"`
	Limit int      `json:"limit,omitempty" jsonschema:"how many results, at most 50; default 20"`
	periodInput
}

type memoriesInput struct {
	Type   []string `json:"type,omitempty" jsonschema:"fact, preference, skill, context, relationship, goal, instruction, identity, environment, project or custom"`
	Status []string `json:"status,omitempty" jsonschema:"active (the default), superseded, retracted, archived or deprecated"`
	Topic  []string `json:"topic,omitempty" jsonschema:"tags, for example health or food"`
	Limit  int      `json:"limit,omitempty" jsonschema:"how many, at most 200; default 100"`
	periodInput
}

type idInput struct {
	ID string `json:"id" jsonschema:"the id, or its first characters"`
}

type conversationsInput struct {
	Title string `json:"title,omitempty" jsonschema:"words of the title"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many, at most 200; default 50"`
	periodInput
}

type conversationInput struct {
	ID     string `json:"id" jsonschema:"the id of a conversation or message, or its first characters; CONVERSATION/MESSAGE shows a message with its neighbors"`
	Branch int    `json:"branch,omitempty" jsonschema:"the number of a branch; default: the newest"`
	Unfold bool   `json:"unfold,omitempty" jsonschema:"thoughts and tool calls in full"`
	Offset int    `json:"offset,omitempty" jsonschema:"where to go on, from next_offset of an earlier answer"`
}

type exportInput struct {
	Form      string `json:"form,omitempty" jsonschema:"markdown (the default), mif (a document of the Memory Interchange Format with all memories; only with sensitive, for it has those too), chatgpt, claude, gemini, copilot or system-prompt"`
	Limit     int    `json:"limit,omitempty" jsonschema:"characters of each part; default: that of the form"`
	Sensitive bool   `json:"sensitive,omitempty" jsonschema:"memories about health, faith and the like, too; only if the person asks for them"`
}

// addReading adds the tools that only read.
func (t *mcpTools) addReading(s *mcp.Server) {
	mcp.AddTool(s, readingTool("search", "Search", "Full-text search over all conversations and memories of the person, with snippets, dates and ids. If few places have the words, other forms of them follow."),
		func(ctx context.Context, _ *mcp.CallToolRequest, in searchInput) (*mcp.CallToolResult, any, error) {
			limit, err := limitOf(in.Limit, 20, maxFound)
			if err != nil {
				return nil, nil, err
			}
			return t.answer(ctx, &searchCommand{period: in.period(), Role: orDefault(in.Role, "any"), In: in.In, Sort: orDefault(in.Sort, "relevance"),
				Limit: limit, Bundle: t.Path, Words: []string{in.Query}, bundleFlags: t.bundleFlags, format: format{mcpJSON}, outgoing: true})
		})
	mcp.AddTool(s, readingTool("list_memories", "List memories", "Memories about the person by type, with id, date, confidence and topics. Only active ones hold now."),
		func(ctx context.Context, _ *mcp.CallToolRequest, in memoriesInput) (*mcp.CallToolResult, any, error) {
			limit, err := limitOf(in.Limit, 100, maxListed)
			if err != nil {
				return nil, nil, err
			}
			if len(in.Status) == 0 {
				in.Status = []string{"active"}
			}
			return t.answer(ctx, &memoriesCommand{period: in.period(), Type: in.Type, Status: in.Status, Topic: in.Topic, Sensitive: "any", Limit: limit,
				Path: t.Path, bundleFlags: t.bundleFlags, format: format{mcpJSON}, outgoing: true})
		})
	mcp.AddTool(s, readingTool("read_memory", "Read a memory", "One memory with its evidence (the words, conversation and date it comes from), its history and relations."),
		func(ctx context.Context, _ *mcp.CallToolRequest, in idInput) (*mcp.CallToolResult, any, error) {
			return t.answer(ctx, t.show(in.ID, mcpJSON))
		})
	mcp.AddTool(s, readingTool("list_conversations", "List conversations", "Conversations with id, date, provider, number of messages and title, the newest first."),
		func(ctx context.Context, _ *mcp.CallToolRequest, in conversationsInput) (*mcp.CallToolResult, any, error) {
			limit, err := limitOf(in.Limit, 50, maxListed)
			if err != nil {
				return nil, nil, err
			}
			return t.answer(ctx, &conversationsCommand{period: in.period(), Title: in.Title, Limit: limit, Path: t.Path, bundleFlags: t.bundleFlags, format: format{mcpJSON}})
		})
	mcp.AddTool(s, readingTool("read_conversation", "Read a conversation", "The text of a conversation, or of a message with its neighbors, a part at a time."),
		func(ctx context.Context, _ *mcp.CallToolRequest, in conversationInput) (*mcp.CallToolResult, any, error) {
			c := t.show(in.ID, "text")
			c.Branch, c.Unfold = in.Branch, in.Unfold
			text, err := t.call(ctx, c)
			if err != nil {
				return nil, nil, err
			}
			page, err := pageOfText(text, in.Offset)
			if err != nil {
				return nil, nil, err
			}
			return textResult(page)
		})
	mcp.AddTool(s, readingTool("export_memory", "Export memories", "All active memories in one text, in the form that an assistant takes. Those that must not be exported are left out."),
		func(ctx context.Context, _ *mcp.CallToolRequest, in exportInput) (*mcp.CallToolResult, any, error) {
			form := orDefault(in.Form, "markdown")
			if form == "mif" {
				if !in.Sensitive {
					return nil, nil, errors.New("a MIF document has all memories, those about health, faith and the like too: ask the person, then call again with sensitive: true, or use another form")
				}
				text, err := t.exportMIF(ctx)
				if err != nil {
					return nil, nil, err
				}
				return textResult(text)
			}
			if form == notesForm {
				return nil, nil, fmt.Errorf("there is no form %q: use one of %s", form, strings.Join(render.Targets(), ", "))
			}
			return t.answer(ctx, &renderCommand{For: form, Limit: in.Limit, Sensitive: in.Sensitive, Sources: true, Path: t.Path, bundleFlags: t.bundleFlags})
		})
}

func (t *mcpTools) show(id, form string) *showCommand {
	return &showCommand{ID: id, Path: t.Path, bundleFlags: t.bundleFlags, format: format{form}, outgoing: true}
}

func (t *mcpTools) answer(ctx context.Context, c command) (*mcp.CallToolResult, any, error) {
	text, err := t.call(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	return textResult(text)
}

// limitOf gives how many elements are listed.
func limitOf(asked, usual, most int) (int, error) {
	switch {
	case asked < 0:
		return 0, fmt.Errorf("limit is %d: give a number from 1 to %d", asked, most)
	case asked == 0:
		return usual, nil
	}
	return min(asked, most), nil
}

func orDefault(value, usual string) string {
	if value == "" {
		return usual
	}
	return value
}

// pageOfText gives a part of a text, cut at a line, with a line that says where to go on.
func pageOfText(text string, offset int) (string, error) {
	if offset < 0 || offset > len(text) {
		return "", fmt.Errorf("offset is %d: the text has %d bytes", offset, len(text))
	}
	rest := text[offset:]
	if len(rest) <= pageBytes {
		return strings.ToValidUTF8(rest, ""), nil
	}
	end := strings.LastIndexByte(rest[:pageBytes], '\n') + 1
	if end == 0 {
		end = pageBytes
		for end > 0 && rest[end]&0xC0 == 0x80 { // not inside a character
			end--
		}
	}
	return fmt.Sprintf("%s\n[%d of %d bytes; next_offset: %d]\n", strings.ToValidUTF8(rest[:end], ""), offset+end, len(text), offset+end), nil
}
