package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pamline/pamline/cmd/internal/storefile"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/signature"
	"github.com/pamline/pamline/pamio/sums"
)

// verifiedFiles is what verify has found about the files of a bundle.
type verifiedFiles struct {
	State string `json:"state"`
	// Listed counts the files that were read.
	Listed int64 `json:"listed"`

	verdict  signature.Verdict
	problems []signature.Problem
}

// The states of the files of a bundle.
const (
	filesNone    = "no list"  // there is no SHA256SUMS
	filesListed  = "unsigned" // they are as SHA256SUMS says, which nobody has signed
	filesSigned  = "signed"
	filesDamaged = "damaged"
)

// maxDamaged is how many files of a bundle verify names.
const maxDamaged = 20

// checkFiles compares the files of a bundle with SHA256SUMS, and SHA256SUMS with its signature,
// which must be of the key of the store.
func (c *verifyCommand) checkFiles(ctx context.Context, file *storefile.File, folder string, store *pamio.Scalars, of signature.Result, trusted []keys.Public) (*verifiedFiles, error) {
	v := &verifiedFiles{State: filesNone}
	if !file.IsBundle() {
		return v, nil
	}
	bundle := file.Bundle().FS()
	read, err := sums.Check(ctx, bundle, folder, func(p sums.Problem) error {
		if v.State, v.verdict = filesDamaged, signature.Invalid; len(v.problems) < maxDamaged {
			v.problems = append(v.problems, signature.Problem{Code: signature.BadFile, Message: p.String()})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	v.Listed = read.Files
	text, err := fs.ReadFile(bundle, sums.SignatureFile)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read %s: %w", sums.SignatureFile, err)
	case v.State == filesDamaged:
		return v, nil
	case err != nil && read.Digest != "":
		v.State = filesListed
		return v, nil
	case err != nil:
		return v, nil
	}
	result := signature.CheckSums(text, read.Digest, store, trusted...)
	v.State, v.verdict, v.problems = filesSigned, result.Verdict, result.Problems
	switch {
	case !result.Verdict.IsValid():
		v.State = filesDamaged
		v.problems = append(v.problems, signature.Problem{Code: signature.BadFile, Field: sums.SignatureFile, Message: "the signature of " + sums.File + " is not that of this bundle"})
	case !result.Key.Equal(of.Key):
		v.State, v.verdict = filesDamaged, signature.Invalid
		v.problems = append(v.problems, signature.Problem{Code: signature.FileKey, Field: sums.SignatureFile, Message: sums.File + " was signed with another key than the store"})
	}
	return v, nil
}

// text says what the signature means for the files; "" if there is nothing to say.
func (v *verifiedFiles) text() string {
	if v == nil {
		return ""
	}
	switch v.State {
	case filesListed:
		return fmt.Sprintf("%s as %s says, which is not signed", pluralNoun(v.Listed, "file"), sums.File)
	case filesSigned:
		return fmt.Sprintf("%s as %s says, which is signed", pluralNoun(v.Listed, "file"), sums.File)
	case filesDamaged:
		return "not those of the bundle that was written"
	}
	return ""
}
