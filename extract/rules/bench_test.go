package rules

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// chatter makes a conversation of about so many bytes of the person's text: statements, questions, small talk and prose
// about other things, in messages of one to twelve sentences. A sentence in fifteen
// states something about the person, which is more than in real chats with assistants.
func chatter(seed uint64, size int) *pamio.Conversation {
	r := rand.New(rand.NewPCG(seed, seed))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	noun := func() string {
		return pick("dog", "garden", "camera", "train", "bakery", "river", "violin", "kitchen", "mountain", "novel", "market", "bicycle")
	}
	sentence := func() string {
		switch r.IntN(30) {
		case 0:
			return "I " + pick("like", "really love", "don't like", "bought", "have") + " " + pick("a new", "my old", "the") + " " + noun() + "."
		case 1:
			return "My " + noun() + " is " + pick("blue", "too old", "in the shop") + ", and I " + pick("walk", "cook", "paint") + " near the " + noun() + "."
		case 2, 3, 4, 5, 6:
			return "Can you explain how a " + noun() + " works when the " + noun() + " is closed?"
		case 7, 8, 9, 10:
			return "I think that the " + noun() + " would be better if it had a " + noun() + "."
		case 11, 12, 13:
			return "He said the " + noun() + " belongs to the " + noun() + " of the town."
		default:
			return "The " + noun() + " near the " + noun() + " was " + pick("opened", "painted", "sold") + " long before the " + noun() + " and the " + noun() + "."
		}
	}
	doc := &pamio.Conversation{ID: "bench"}
	doc.Provider.Name = "local"
	for total := 0; total < size; {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteString(sentence() + pick(" ", " ", " ", "\n"))
		}
		text := b.String()
		total += len(text)
		doc.Messages = append(doc.Messages, pamio.Message{ID: "m", Role: "user", Content: &pamio.Content{Type: "text", Text: &text}})
	}
	return doc
}

// BenchmarkRules reports bytes of the person's text; the aim is 10 MB/s on one core.
func BenchmarkRules(b *testing.B) {
	doc := chatter(1, 1<<20)
	total := 0
	for i := range doc.Messages {
		total += len(doc.Messages[i].PlainText())
	}
	x := New()
	x.Extract(said("I live in Berlin."), nil) // compiles the tables
	b.SetBytes(int64(total))
	b.ReportAllocs()
	for b.Loop() {
		x.Extract(doc, nil)
	}
}

// BenchmarkCompile is what the first conversation of a process pays.
func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		sources, err := builtin()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := newBook(sources); err != nil {
			b.Fatal(err)
		}
	}
}
