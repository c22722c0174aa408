package stagetest

import (
	"context"
	"flag"
	"io"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/sealed"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// encrypted makes the stores of all rigs encrypted ones: the same tests run on them.
var encrypted = flag.Bool("encrypted", false, "run the tests of the stages on encrypted stores")

// zeros makes equal contents of a key look equal, so that stores can be compared.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Seal gives a store as a process sees it: decrypted, if the stores of rigs are encrypted.
func Seal(s blob.Store) blob.Store {
	if !*encrypted || sealed.Of(s) != nil { // that of another rig is decrypted already
		return s
	}
	m, err := sealed.ParseMaster([]byte("PAMLINE-MASTER-KEY-1:"+strings.Repeat("A", 43)), zeros{})
	if err != nil {
		panic(err) // the line above is wrong
	}
	return sealed.New(s, sealed.NewKeyring(s, m, zeros{}), state.Sealed)
}

// NewData gives the objects of a rig.
func NewData() *statetest.Store {
	data := statetest.New()
	if *encrypted {
		data.OpenWith(open)
	}
	return data
}

// NewStore gives a store whose calls encrypt and decrypt, if the stores of rigs are encrypted: a
// call with the look at its key is one step. It is for searches of every order of calls.
func NewStore() *statetest.Store {
	s := statetest.New()
	if *encrypted {
		s.Through(Seal)
	}
	return s
}

// open decrypts an object for a test. One that a test has damaged stays as it is.
func open(s *statetest.Store, key, body string) string {
	rc, _, err := Seal(s).Get(context.Background(), key, blob.Range{})
	if err != nil {
		return body
	}
	text, err := io.ReadAll(rc)
	if err != nil || rc.Close() != nil {
		return body
	}
	return string(text)
}
