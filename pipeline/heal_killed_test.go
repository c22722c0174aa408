package pipeline

import (
	"errors"
	"testing"

	"github.com/pamline/pamline/pipeline/state"
)

// A worker is killed between saying that a shard is done and removing its letter. The letter goes when its message comes again, which
// is the only one that knows of it.
func TestTheLetterOfAKilledWorkersShardGoesWhenItsMessageComesAgain(t *testing.T) {
	next := contests(t)
	for name, ends := range map[string]func(c *contested) error{
		"while the import goes on":       func(*contested) error { return nil },
		"when the import has ended":      func(c *contested) error { return c.assemble(t.Context(), c.assembly) },
		"when it has come, and is ended": func(c *contested) error { return errors.Join(c.extract(t.Context(), c.msg.Data()), c.end()) },
	} {
		t.Run(name, func(t *testing.T) {
			c := next(t)
			killed := c.slow(map[string]func() error{
				"before put " + c.marker(): c.giveUp,
				"after put " + c.marker():  func() error { return errCut },
			})
			if err := killed.extract(t.Context(), c.msg.Data()); !errors.Is(err, errCut) {
				t.Fatal(err)
			}
			if err := ends(c); err != nil {
				t.Fatal(err)
			}
			if err := c.extract(t.Context(), c.msg.Data()); err != nil {
				t.Fatal(err)
			}
			if err := c.end(); err != nil {
				t.Fatal(err)
			}
			c.agree(state.StateDone, 6, 0)
		})
	}
}

// An import ended without a shard, which was done since; its assembler is killed between the receipt and the removal of the letter.
func TestTheLettersOfAnImportThatIsWholeGoWhenItsMessageComesAgain(t *testing.T) {
	c := contests(t)(t)
	if err := errors.Join(c.giveUp(), c.end()); err != nil {
		t.Fatal(err)
	}
	c.agree(state.StateLosses, 3, 1)
	letters := NewLetters(c.Deps, c.js)
	for one, err := range letters.List(t.Context(), LetterFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := letters.redriveExtract(t.Context(), one); err != nil { // killed before it removes the letter
			t.Fatal(err)
		}
	}
	if err := c.extract(t.Context(), c.msg.Data()); err != nil {
		t.Fatal(err)
	}
	killed := c.slow(map[string]func() error{"after put " + state.ReceiptKey(c.owner, c.m.Import): func() error { return errCut }})
	if err := killed.assemble(t.Context(), c.assembly); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	if n := len(c.letters(t)); n != 1 {
		t.Fatalf("%d letters, and nobody has removed one", n)
	}
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
	c.agree(state.StateDone, 6, 0)
}
