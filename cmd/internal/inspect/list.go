package inspect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// Memory is one memory of a list.
type Memory struct {
	ID         string   `json:"id"`
	Type       string   `json:"type"`
	Status     string   `json:"status"`
	Content    string   `json:"content"`
	Confidence *float64 `json:"confidence,omitempty"`
	Created    string   `json:"created_at,omitempty"`
	Provider   string   `json:"provider,omitempty"`
	Tags       []string `json:"tags,omitempty"`
}

// Conversation is one conversation of a list.
type Conversation struct {
	Entry
	Updated string `json:"updated_at,omitempty"`
	// File is where the bundle keeps it.
	File string `json:"file,omitempty"`
}

// Memories lists the memories of a bundle that are wanted (nil: all) by type, active ones first,
// then by time and id. scratch is a folder for what does not fit in memory.
func Memories(ctx context.Context, b *pamio.Bundle, scratch string, wanted func(*pamio.Memory) bool) iter.Seq2[Memory, error] {
	return sorted[Memory](b, scratch, func(add func(key []string, v Memory) error) pamio.Visitor {
		return pamio.Visitor{Memory: func(e pamio.Element) error {
			m, err := pamio.ParseMemory(e.Raw)
			if err != nil {
				return fmt.Errorf("%w: pamline validate says what is wrong with the store", err)
			}
			if wanted != nil && !wanted(m) {
				return ctx.Err()
			}
			v := Memory{ID: m.ID, Type: typeName(m), Status: m.Status, Content: m.Content, Created: known(m.Temporal.CreatedAt), Provider: m.Provenance.Platform, Tags: m.Tags}
			if m.Confidence != nil {
				v.Confidence = &m.Confidence.Current
			}
			rank := "1" + m.Status
			if m.Status == "active" {
				rank = "0"
			}
			return cmp.Or(add([]string{v.Type, rank, v.Created, v.ID}, v), ctx.Err())
		}}
	})
}

// Conversations lists the conversations of a bundle's index that are wanted (nil: all) by the time at
// which they began, or the newest first; those without a time come last.
func Conversations(ctx context.Context, b *pamio.Bundle, scratch string, newestFirst bool, wanted func(*pamio.IndexEntry) bool) iter.Seq2[Conversation, error] {
	return sorted[Conversation](b, scratch, func(add func(key []string, v Conversation) error) pamio.Visitor {
		return pamio.Visitor{IndexEntry: func(e pamio.Element) error {
			x, err := pamio.ParseIndexEntry(e.Raw)
			if err != nil {
				return fmt.Errorf("%w: pamline validate says what is wrong with the store", err)
			}
			if wanted != nil && !wanted(x) {
				return ctx.Err()
			}
			v := Conversation{Entry: entryOf(x), Updated: known(x.Temporal.UpdatedAt)}
			if x.Storage != nil && x.Storage.Type == "file" {
				v.File = x.Storage.Ref
			}
			at := v.Created
			if newestFirst {
				at = descending(at)
			}
			return cmp.Or(add([]string{cmp.Or(at, "~"), v.ID}, v), ctx.Err())
		}}
	})
}

// descending is a time as a key that sorts later times first, before "~".
func descending(at string) string {
	return strings.Map(func(r rune) rune { return '~' - r%('~'-' ') }, at)
}

// known is a time that the source tells, else "".
func known(at string) string {
	if at == unknownTime {
		return ""
	}
	return at
}

// sorted visits a store and gives what it adds in the order of the keys.
func sorted[T any](b *pamio.Bundle, scratch string, visit func(add func(key []string, v T) error) pamio.Visitor) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		s := extsort.New(scratch, extsort.DefaultBudget)
		stopped := false
		err := func() error {
			err := readStore(b, visit(func(key []string, v T) error {
				body, err := json.Marshal(v)
				if err != nil {
					return err
				}
				return s.Add([]byte(strings.Join(key, "\x00")), body)
			}))
			if err != nil {
				return err
			}
			for r, err := range s.Sorted() {
				if err != nil {
					return err
				}
				var v T
				if err := json.Unmarshal(r.Value, &v); err != nil {
					return err
				}
				if stopped = !yield(v, nil); stopped {
					return nil
				}
			}
			return nil
		}()
		if err = errors.Join(err, s.Close()); err != nil && !stopped {
			yield(none, fmt.Errorf("list store: %w", err))
		}
	}
}

// WriteList writes a list as lines for a person or, with asJSON, as an array with one element a
// line. It gives how many there are.
func WriteList[T interface {
	WriteLine(w io.Writer, last T) error
}](w io.Writer, list iter.Seq2[T, error], asJSON bool) (n int, err error) {
	var last T
	for v, err := range list {
		if err != nil {
			return n, err
		}
		if asJSON {
			err = writeElement(w, n, v)
		} else {
			err = v.WriteLine(w, last)
		}
		if err != nil {
			return n, fmt.Errorf("write list: %w", err)
		}
		n, last = n+1, v
	}
	if !asJSON {
		return n, nil
	}
	end := "\n]\n"
	if n == 0 {
		end = "[]\n"
	}
	_, err = io.WriteString(w, end)
	return n, err
}

func writeElement(w io.Writer, n int, v any) error {
	before := ",\n "
	if n == 0 {
		before = "[\n "
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, before+strings.TrimSuffix(b.String(), "\n"))
	return err
}

// WriteLine writes a memory, below a heading when its type is another than that of the one before.
func (m Memory) WriteLine(w io.Writer, last Memory) error {
	if m.Type != last.Type {
		if _, err := fmt.Fprintf(w, "%s\n", line(m.Type, width)); err != nil {
			return err
		}
	}
	status := ""
	if m.Status != "active" {
		status = " (" + line(m.Status, width) + ")"
	}
	_, err := fmt.Fprintf(w, "  %.8s  %-10s  %s%s\n", line(m.ID, width), day(m.Created), line(m.Content, 10*width), status)
	return err
}

// WriteLine writes a conversation.
func (c Conversation) WriteLine(w io.Writer, _ Conversation) error {
	_, err := fmt.Fprintf(w, "%.8s  %-10s  %-10s %6d messages  %s\n", line(c.ID, width), day(c.Created), line(c.Platform, width), c.Messages, title(c.Title))
	return err
}
