package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/google/uuid"

	"github.com/pamline/pamline/cmd/internal/exchange"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/storefile"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/did"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/signature"
	"github.com/pamline/pamline/pamio/sums"
)

type signCommand struct {
	Key       string `required:"" placeholder:"FILE" type:"path" help:"The private key: PEM or JSON Web Key."`
	Algorithm string `enum:",Ed25519,ES256,ES384,RS256,RS384,RS512" default:"" help:"Signature algorithm. Default: the one that the key is for."`
	KeyID     string `name:"key-id" placeholder:"DID-URL" help:"Name of the key for those who verify. Default: the did:key of the key, unless owner.did is another DID."`
	Complete  bool   `help:"Give a store without export_id, export_date or integrity block these fields. A signature needs them."`
	Out       string `short:"o" placeholder:"OUT" type:"path" help:"Write the signed store, or zip, to this file; of an owner: a folder, FILE.zip or FILE.json as export does. Default: replace the store in PATH."`
	Data      string `placeholder:"DIR" type:"path" help:"For the name of an owner: the data folder. Default: the user data folder."`
	Path      string `arg:"" type:"path" help:"A store file, a bundle (folder or zip), or an owner of the data folder, whose bundle is exported and signed."`
	settings
	format
}

func (signCommand) Help() string {
	return "Signs a store (PAM §18). The checksum of the memories is computed first; a store whose own checksum does not match is not signed. An\n" +
		"earlier signature is replaced. The signature covers the memories, export_id, export_date and owner.id, nothing else. In a bundle,\n" +
		"SHA256SUMS, the list of the digests of all files, is signed, too: SHA256SUMS.sig covers the whole bundle. Published stores of an\n" +
		"owner are signed by the setting sign.key_file; this command signs a copy of what is published.\n\n" +
		"Examples:\n  pamline sign --key my.key my-memories\n  pamline sign --key my.key -o signed.json memory-store.json\n" +
		"  pamline sign --key my.key -o signed.zip me"
}

// signedReport is the report of sign.
type signedReport struct {
	Path        string         `json:"path"`
	Algorithm   keys.Algorithm `json:"algorithm"`
	Fingerprint string         `json:"fingerprint"`
	KeyID       string         `json:"key_id,omitempty"`
	SignedAt    string         `json:"signed_at"`
	ExportID    string         `json:"export_id"`
	Memories    int64          `json:"memories"`
	// Replaced tells that there was a signature before.
	Replaced bool `json:"replaced"`
	// Files tells that SHA256SUMS is signed, too, and with it all files of the bundle.
	Files bool `json:"files"`
}

func (s *signedReport) WriteText(w io.Writer) error {
	p := printTo(w)
	what := "signed"
	if s.Replaced {
		what = "signed; the earlier signature is gone"
	}
	p.line("%s: %s", s.Path, what)
	p.field("signature", "%s, %s", s.Algorithm, s.SignedAt)
	p.field("key", "%s", s.Fingerprint)
	p.field("covers", "%s, export_id, export_date, owner.id", pluralNoun(s.Memories, "memory"))
	if s.Files {
		p.field("", "and by %s, which is signed, too, all files of the bundle", sums.File)
	}
	return p.err
}

func (c *signCommand) Run(a *app) (err error) {
	text, err := readKey(c.Key)
	if err != nil {
		return err
	}
	key, err := keys.ParsePrivate(text)
	if err != nil {
		return exit.With(exit.Usage, fmt.Errorf("%s: %w", c.Key, err))
	}
	remove, err := c.exportOwner(a)
	if err != nil {
		return err
	}
	report, err := c.sign(a.ctx, key)
	if err != nil {
		return errors.Join(err, remove())
	}
	return c.print(a, report)
}

// exportOwner exports the bundle of the owner that the path names, if it does, to where the signed
// one is wanted, to be signed there. remove takes it away again.
func (c *signCommand) exportOwner(a *app) (remove func() error, err error) {
	path, removeBundle, err := bundleNamed(a, c.settings, c.Data, c.Path, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, removeBundle()) }()
	if path == c.Path {
		return func() error { return nil }, nil
	}
	if c.Out == "" {
		return nil, exit.With(exit.Usage, fmt.Errorf("sign %s: the published store of an owner is signed by the setting sign.key_file; -o OUT writes a signed copy of its bundle", c.Path))
	}
	folder, removeScratch, err := scratch("")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, removeScratch()) }()
	if _, err := exchange.Merge(exchange.Options{Scratch: folder, To: c.Out}, path); err != nil {
		return nil, exchangeError(err)
	}
	out := c.Out
	c.Path, c.Out = out, ""
	return func() error { return os.RemoveAll(out) }, nil
}

// sign signs the store or bundle in the path with a key.
func (c *signCommand) sign(ctx context.Context, key keys.Private) (report *signedReport, err error) {
	file, err := storefile.Open(c.Path)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	folder, remove, err := scratch("")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	limits := pamio.Limits{Scratch: folder}
	in, scalars, err := pamio.ReadIntegrity(file.Source(), limits)
	if err != nil {
		return nil, err
	}
	now := pamio.FormatTime(time.Now())
	if err := c.complete(scalars, in, now); err != nil {
		return nil, err
	}
	claims := signature.Of(scalars).Claims
	claims.Checksum = in.Checksum
	algorithm := keys.Algorithm(cmp.Or(c.Algorithm, string(key.Algorithm())))
	sig, err := signature.Sign(claims, key, algorithm, now, c.keyID(scalars.Owner.DID, key.Public()))
	if err != nil {
		return nil, err
	}
	write := func(w io.Writer) error { return pamio.WriteSigned(w, file.Source(), limits, scalars, in, sig) }
	beside, err := c.signFiles(ctx, file, folder, write, func(digest string) ([]byte, error) {
		return signature.SignSums(claims, digest, key, algorithm, now, sig.KeyID)
	})
	if err != nil {
		return nil, err
	}
	if err := file.Replace(c.Out, write, beside...); err != nil {
		return nil, err
	}
	return &signedReport{
		Path: cmp.Or(c.Out, c.Path), Algorithm: algorithm, Fingerprint: key.Public().Fingerprint(), KeyID: sig.KeyID, SignedAt: now,
		ExportID: scalars.ExportID, Memories: in.TotalMemories, Replaced: scalars.Signature != nil, Files: len(beside) > 0,
	}, nil
}

// complete checks the fields that a signature covers, and fills in missing ones if the person asked
// for it.
func (c *signCommand) complete(s *pamio.Scalars, in pamio.Integrity, now string) error {
	if s.Integrity != nil && (s.Integrity.Checksum != in.Checksum || s.Integrity.TotalMemories != in.TotalMemories) {
		return fmt.Errorf("sign: the memories are not those of the store's integrity block, so the store was changed or damaged; see pamline validate %s", c.Path)
	}
	if s.Owner.ID == "" {
		return errors.New("sign: the store has no owner.id, which a signature covers")
	}
	if !c.Complete && (s.ExportID == "" || s.ExportDate == "" || s.Integrity == nil) {
		return errors.New("sign: the store lacks export_id, export_date or its integrity block, which a signature covers; --complete adds what is missing")
	}
	if s.ExportID == "" {
		s.ExportID = uuid.NewString()
	}
	s.ExportDate = cmp.Or(s.ExportDate, now)
	return nil
}

// keyID names the key: by its did:key where the owner has no other DID.
func (c *signCommand) keyID(owner string, key keys.Public) string {
	if c.KeyID == "" && (owner == "" || owner == did.OfKey(key)) {
		return did.KeyID(key)
	}
	return c.KeyID
}
