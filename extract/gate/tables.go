package gate

import (
	"embed"
	"sync"

	"github.com/pamline/pamline/extract/frozen"
)

// Topics of the tables' phrases (tables/README.md).
const (
	topicOverride  = "override"
	topicInject    = "inject"
	topicPlanted   = "planted"
	topicUnsafe    = "unsafe"
	topicOnce      = "once"
	topicLasting   = "lasting"
	topicThis      = "this"
	topicMomentary = "momentary"
)

var knownTopics = map[string]bool{
	topicOverride: true, topicInject: true, topicPlanted: true, topicUnsafe: true,
	topicOnce: true, topicLasting: true, topicThis: true, topicMomentary: true,
}

//go:embed tables/*.txt
var tableFiles embed.FS

//go:embed labels.txt
var labelTable string

// phrases are the tables, compiled: what every text is read for (orders and labels), and what only
// candidates from talk are.
type phrases struct {
	text, talk *book
}

// tables reads the embedded files once. A file that cannot be read is a fault of the build, which a
// test finds.
var tables = sync.OnceValue(func() phrases {
	p, err := frozen.Table(frozenName, readTables)
	if err != nil {
		panic(err)
	}
	return p
})

// frozenName is the name under which the compiled tables are frozen.
const frozenName = "gate"

// Freeze compiles the tables for package frozen.
func Freeze() (frozen.Frozen, error) {
	p, err := readTables()
	return frozen.Freeze(frozenName, p, err)
}

func readTables() (phrases, error) {
	var p phrases
	entries, err := tableFiles.ReadDir("tables")
	if err != nil {
		return p, err
	}
	p.text = newBook(topicOverride, topicInject)
	for topic := range labels {
		p.text.topics[topic] = true
	}
	p.talk = newBook(topicPlanted, topicUnsafe, topicOnce, topicLasting, topicThis, topicMomentary)
	for _, e := range entries {
		name := "tables/" + e.Name()
		text, err := tableFiles.ReadFile(name)
		if err != nil {
			return p, err
		}
		for _, b := range []*book{p.text, p.talk} {
			if err := b.addTable(name, string(text)); err != nil {
				return p, err
			}
		}
	}
	err = p.text.addTable("labels.txt", labelTable)
	p.text.close()
	p.talk.close()
	return p, err
}
