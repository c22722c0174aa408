package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type addInput struct {
	Text string `json:"text" jsonschema:"one statement about the person, in the third person without a subject, for example: Lives in Lisbon."`
	Type string `json:"type" jsonschema:"fact, preference, skill, context, relationship, goal, instruction, identity, environment or project"`
}

type correctInput struct {
	ID   string `json:"id" jsonschema:"the id of the memory, or its first characters"`
	Text string `json:"text" jsonschema:"what is true instead"`
}

type importInput struct {
	Text string `json:"text" jsonschema:"the answer of an assistant that was asked for its memories: lines such as [2026-01-02] - Likes tea., below headings; or a PAM store"`
}

// addWriting adds the tools that change the store. Each change is recorded as pamline edit and
// pamline import record it, and can be taken back.
func (t *mcpTools) addWriting(s *mcp.Server) {
	mcp.AddTool(s, writingTool("add_memory", "Add a memory", "Add one memory. Only what the person has said themselves, and wants to be remembered.", false),
		func(ctx context.Context, _ *mcp.CallToolRequest, in addInput) (*mcp.CallToolResult, any, error) {
			return t.answer(ctx, t.edit(editCommand{Add: in.Text, Type: in.Type}))
		})
	mcp.AddTool(s, writingTool("correct_memory", "Correct a memory", "Replace a memory with what is true instead. The old one stays in the history.", true),
		func(ctx context.Context, _ *mcp.CallToolRequest, in correctInput) (*mcp.CallToolResult, any, error) {
			if in.Text == "" {
				return nil, nil, errors.New("text is empty: retract_memory marks a memory as wrong")
			}
			return t.answer(ctx, t.edit(editCommand{Replace: in.Text, Memory: in.ID}))
		})
	mcp.AddTool(s, writingTool("retract_memory", "Retract a memory", "Mark a memory as wrong or outdated. It is not erased.", true),
		func(ctx context.Context, _ *mcp.CallToolRequest, in idInput) (*mcp.CallToolResult, any, error) {
			return t.answer(ctx, t.edit(editCommand{Retract: true, Memory: in.ID}))
		})
	mcp.AddTool(s, writingTool("import_memory", "Import memories", "Import a list of memories that another assistant gave, a MIF document, or a PAM store.", false),
		func(ctx context.Context, _ *mcp.CallToolRequest, in importInput) (*mcp.CallToolResult, any, error) {
			text, err := t.importText(ctx, in.Text)
			if err != nil {
				return nil, nil, err
			}
			return textResult(text)
		})
}

func writingTool(name, title, description string, destructive bool) *mcp.Tool {
	closed := false
	return &mcp.Tool{Name: name, Title: title, Description: description, Annotations: &mcp.ToolAnnotations{DestructiveHint: &destructive, OpenWorldHint: &closed}}
}

func (t *mcpTools) edit(c editCommand) *editCommand {
	c.Data, c.Owner, c.settings, c.format = t.Data, t.Owner, t.settings, format{mcpJSON}
	return &c
}

// importText imports a text as a file would be: by its content, or else as a list of memories.
func (t *mcpTools) importText(ctx context.Context, text string) (answer string, err error) {
	folder, remove, err := scratch("")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, remove()) }()
	name := filepath.Join(folder, "import_memory.txt")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("import memories: %w", err)
	}
	c := &importCommand{Data: t.Data, Owner: t.Owner, Files: []string{name}, settings: t.settings, format: format{mcpJSON}}
	if !isJSONText(text) {
		c.Provider = "manual"
	}
	return t.call(ctx, c)
}

// isJSONText tells a document from a list for people.
func isJSONText(text string) bool {
	for _, r := range text {
		switch r {
		case ' ', '\t', '\r', '\n', '\ufeff':
			continue
		}
		return r == '{'
	}
	return false
}
