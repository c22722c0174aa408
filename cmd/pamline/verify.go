package main

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/storefile"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/did"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/signature"
)

type verifyCommand struct {
	Key     []string `placeholder:"FILE" type:"path" help:"A public key that you trust: PEM or JSON Web Key. May be repeated."`
	Trust   []string `placeholder:"DID" help:"A DID whose keys you trust: did:key, or did:web with --resolve. May be repeated."`
	Resolve bool     `help:"Ask the web server of a did:web for its keys. Without this flag nothing is sent anywhere."`
	Path    string   `arg:"" type:"path" help:"A store file, a bundle (folder or zip), or an owner of the data folder."`
	Data    string   `placeholder:"DIR" type:"path" help:"For the name of an owner: the data folder. Default: the user data folder."`
	settings
	format
}

func (verifyCommand) Help() string {
	return "Verifies the signature of a store (PAM §18.4). The key that verifies stands in the store itself, so whoever forges a store can\n" +
		"sign it, too: only a key or DID that you name makes a signature trusted. owner.did is compared with the key, but proves nothing\n" +
		"by itself. The files of a bundle are compared with SHA256SUMS, and SHA256SUMS with its signature, if they exist.\n\n" +
		"Exit codes: 0 valid and trusted; 3 valid, but by a key that you did not name; 1 invalid, or not signed; 2 malformed, or not a\n" +
		"store that can be read.\n\n" +
		"Examples:\n  pamline verify --key my.key.pub my-memories\n  pamline verify --trust did:web:example.org --resolve memory-store.json"
}

// malformed is the exit code for what cannot be verified; it is that of wrong use, too.
const malformed = 2

// verifyCodes are the exit codes of the verdicts.
var verifyCodes = map[signature.Verdict]int{
	signature.Trusted: exit.Done, signature.SelfAsserted: exit.Partial, signature.Absent: exit.Failed, signature.Invalid: exit.Failed,
	signature.Malformed: malformed,
}

func (c *verifyCommand) Run(a *app) (err error) {
	trusted, err := c.trusted(a)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	path, removeBundle, err := bundleNamed(a, c.settings, c.Data, c.Path, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeBundle()) }()
	file, err := storefile.Open(path)
	if err != nil {
		return exit.With(malformed, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	folder, remove, err := scratch("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	result, scalars, err := signature.CheckStore(file.Source(), pamio.Limits{Scratch: folder}, trusted...)
	if err != nil {
		return exit.With(malformed, err)
	}
	files, err := c.checkFiles(a.ctx, file, folder, scalars, result, trusted)
	if err != nil {
		return exit.With(malformed, err)
	}
	result.Verdict, result.Problems = max(result.Verdict, files.verdict), append(result.Problems, files.problems...)
	report := newVerified(c.Path, result, scalars)
	report.Files = files
	if files.State == filesSigned && result.Verdict.IsValid() {
		report.Covered, report.NotCovered = append(slices.Clone(report.Covered), "all files of the bundle"), nil
	}
	report.Owner = c.ownerDID(a, scalars.Owner.DID, result.Key)
	if err := c.print(a, report); err != nil {
		return err
	}
	if code := verifyCodes[result.Verdict]; code != exit.Done {
		return exit.With(code, nil)
	}
	return nil
}

// resolver uses the network only if the person allows it.
func (c *verifyCommand) resolver() did.Resolver {
	if !c.Resolve {
		return did.Resolver{}
	}
	return did.Resolver{Client: &http.Client{Timeout: 15 * time.Second}}
}

// trusted reads the keys that the person names.
func (c *verifyCommand) trusted(a *app) (all []keys.Public, err error) {
	for _, name := range c.Key {
		text, err := readKey(name)
		if err != nil {
			return nil, err
		}
		k, err := keys.ParsePublic(text)
		if errors.Is(err, keys.ErrPrivate) {
			return nil, fmt.Errorf("%s: %w; pamline keygen has written it to a file that ends with .pub", name, err)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, k)
	}
	for _, text := range c.Trust {
		u, err := did.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("--trust: %w", err)
		}
		found, err := c.resolver().Keys(a.ctx, u)
		switch {
		case errors.Is(err, did.ErrMethod) && u.Method == did.WebMethod:
			return nil, fmt.Errorf("--trust %s: a web server must be asked for the keys; add --resolve to allow that", text)
		case errors.Is(err, did.ErrMethod):
			return nil, fmt.Errorf("--trust %s: DIDs of this method are not resolved here; give the key with --key", text)
		case err != nil:
			return nil, fmt.Errorf("--trust %s: %w", text, err)
		}
		all = append(all, found...)
	}
	return all, nil
}
