package chatgpt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

type hashed struct {
	io.Reader
	sum hash.Hash
}

func (h hashed) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.sum.Write(p[:n])
	return n, err
}

func (hashed) Close() error { return nil }

// splitText cuts a text as a member of conversations. It gives the ids of the conversations that
// decode, the units that could not be cut out, and the digest of what the last reading of the
// member saw.
func splitText(t *testing.T, text string) (ids []string, bad []*importer.UnitError, sum []byte) {
	t.Helper()
	h := sha256.New()
	m := archive.NewMember("conversations.json", int64(len(text)), 0, func(context.Context) (io.ReadCloser, error) {
		h.Reset()
		return hashed{strings.NewReader(text), h}, nil
	})
	imp := New()
	limits := importer.Limits{}.WithDefaults()
	for u, err := range imp.Split(t.Context(), importer.Claim{Members: []importer.ClaimedMember{{Member: m, Role: roleConversations}}}, limits) {
		if err != nil {
			t.Fatal(err)
		}
		if u.Err != nil {
			bad = append(bad, u.Err)
			continue
		}
		items, err := imp.Decode(u)
		if err != nil {
			continue
		}
		for _, i := range items {
			if i.Conversation != nil {
				ids = append(ids, i.Conversation.Doc.Provider.ConversationID)
			}
		}
	}
	return ids, bad, h.Sum(nil)
}

func element(i int) string {
	return fmt.Sprintf(`{"title":"T, {\"title\": \"pasted\", \"mapping\": {}}","conversation_id":"c-%d","mapping":{"a":{"id":"a","message":{"id":"a","author":{"role":"user"},"create_time":1700000001,`+
		`"content":{"content_type":"text","parts":["Hello, {you}"]},"metadata":{"list":[{"title":"x"},{"title":"y"}]}},"parent":null,"children":[]}},"current_node":"a"}`, i)
}

func TestUnbalancedElementSpoilsNoNeighbours(t *testing.T) {
	damage := map[string]func(string) string{
		"a brace is missing":  func(s string) string { return strings.Replace(s, `"metadata":{"list"`, `"metadata":"list"`, 1) + "" },
		"a bracket is opened": func(s string) string { return strings.Replace(s, `"children":[]`, `"children":[[]`, 1) },
		"a brace is opened":   func(s string) string { return strings.Replace(s, `"mapping":{"a"`, `"mapping":{{"a"`, 1) },
		"a quote is missing":  func(s string) string { return strings.Replace(s, `"Hello,`, `Hello,`, 1) },
		"a brace is closed":   func(s string) string { return strings.Replace(s, `"children":[]}`, `"children":[]}}}`, 1) },
	}
	for name, hurt := range damage {
		for _, form := range []struct{ open, between, end string }{{"[", ",", "]"}, {"[\n", ",\n ", "\n]"}, {"", "\n", "\n"}} {
			t.Run(name+fmt.Sprintf("%q", form.between), func(t *testing.T) {
				var all, want []string
				for i := range 20 {
					e := element(i)
					if i == 7 || i == 13 {
						e = hurt(e)
					} else {
						want = append(want, fmt.Sprintf("c-%d", i))
					}
					all = append(all, e)
				}
				text := form.open + strings.Join(all, form.between) + form.end
				ids, bad, sum := splitText(t, text)
				if name == "a brace is closed" && form.open == "" {
					want = want[:0] // in lines, what is too much stands alone, and the conversation before it is whole
					for i := range 20 {
						want = append(want, fmt.Sprintf("c-%d", i))
					}
				}
				if !slices.Equal(ids, want) {
					t.Errorf("kept %v, want %v; %d units could not be cut out", ids, want, len(bad))
				}
				if whole := sha256.Sum256([]byte(text)); !bytes.Equal(sum, whole[:]) {
					t.Error("the member was not read to its end")
				}
			})
		}
	}
}

func TestFileThatEndsEarlyKeepsWhatCameBefore(t *testing.T) {
	text := "[" + element(0) + "," + element(1) + "," + element(2)[:60]
	ids, bad, _ := splitText(t, text)
	if !slices.Equal(ids, []string{"c-0", "c-1"}) || len(bad) != 1 || bad[0].Code != codeTruncated || bad[0].Offset != int64(len(element(0))*2+3) {
		t.Errorf("kept %v, bad %+v", ids, bad)
	}
}
