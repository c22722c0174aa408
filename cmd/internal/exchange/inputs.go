package exchange

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/pamline/pamline/cmd/internal/storefile"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/signature"
)

// Options set how bundles are merged and compared.
type Options struct {
	// Scratch is a folder for temporary files.
	Scratch string
	// To is where the result goes; see [Merge].
	To string
	// Stdout is standard output.
	Stdout io.Writer
	// AnyBase accepts deltas of another base; AnySignature accepts inputs with a signature that
	// does not hold.
	AnyBase, AnySignature bool
}

// Signed says what became of the signature of one input.
type Signed struct {
	Input   string            `json:"input"`
	Verdict signature.Verdict `json:"verdict"`
}

// Files counts the files beside the store in the result.
type Files struct {
	Conversations int64 `json:"conversations"`
	Assets        int64 `json:"assets"`
	// Missing are conversation files that the index names and no input has.
	Missing int64 `json:"missing,omitempty"`
}

// inputs are the bundles that a command reads, the base first.
type inputs struct {
	names  []string
	files  []*storefile.File
	signed []Signed
}

func openInputs(names ...string) (*inputs, error) {
	in := &inputs{names: names}
	for _, name := range names {
		f, err := storefile.Open(name)
		if err != nil {
			return nil, errors.Join(err, in.close())
		}
		in.files = append(in.files, f)
	}
	return in, nil
}

func (in *inputs) close() error {
	var errs []error
	for _, f := range in.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// withFiles tells whether any input may have files beside its store.
func (in *inputs) withFiles() bool {
	for _, f := range in.files {
		if f.IsBundle() {
			return true
		}
	}
	return false
}

// check verifies the signature of an input, if it has one.
func (in *inputs) check(o Options) func(int, *pamio.Scalars, string) error {
	return func(i int, s *pamio.Scalars, computed string) error {
		r := signature.Check(signature.Of(s), computed)
		in.signed = append(in.signed, Signed{in.names[i], r.Verdict})
		if r.Verdict == signature.Absent || r.Verdict.IsValid() || o.AnySignature {
			return nil
		}
		return fmt.Errorf("the signature is %v: %v; --any-signature accepts it", r.Verdict, r.Problems)
	}
}

// embeddings is the embeddings file of an input, nil if it has none.
func (in *inputs) embeddings(i int) (*pamio.Source, error) {
	f := in.files[i]
	if !f.IsBundle() {
		return nil, nil //nolint:nilnil // none is an answer
	}
	b := f.Bundle()
	switch _, err := fs.Stat(b.FS(), pamio.EmbeddingsFile); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil //nolint:nilnil // none is an answer
	case err != nil:
		return nil, fmt.Errorf("open embeddings: %w", err)
	}
	name := filepath.Base(in.names[i]) + "/" + pamio.EmbeddingsFile
	return &pamio.Source{Name: name, Open: func() (io.ReadCloser, error) { return b.OpenEmbeddings() }}, nil
}

// newest opens a file of the last input that has it.
func (in *inputs) newest(ref string) (fs.File, error) {
	for i := len(in.files) - 1; i >= 0; i-- {
		if !in.files[i].IsBundle() {
			continue
		}
		f, err := in.files[i].Bundle().Open(ref)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, fs.ErrNotExist
}
