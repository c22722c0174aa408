package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/pamio/did"
	"github.com/pamline/pamline/pamio/keys"
)

type keygenCommand struct {
	Algorithm string `enum:"Ed25519,ES256,ES384,RS256,RS384,RS512" default:"Ed25519" help:"Signature algorithm of the key: Ed25519, ES256, ES384, RS256, RS384 or RS512."`
	JWK       bool   `name:"jwk" help:"Write JSON Web Keys instead of PEM."`
	Out       string `short:"o" required:"" placeholder:"FILE" type:"path" help:"File for the private key. The public key goes to FILE.pub. Existing files are never replaced."`
	format
}

func (keygenCommand) Help() string {
	return "Makes a key pair that signs exports. The private key is readable by you only and is not encrypted: keep it where you keep other\n" +
		"secrets, and make a backup. Give the public key, or the DID that is printed, to those who verify your exports.\n\n" +
		"Example:\n  pamline keygen -o my.key\n  pamline keygen --algorithm ES256 --jwk -o my.jwk"
}

// generated is the report of keygen.
type generated struct {
	Algorithm   keys.Algorithm `json:"algorithm"`
	Private     string         `json:"private_key_file"`
	Public      string         `json:"public_key_file"`
	Fingerprint string         `json:"fingerprint"`
	DID         string         `json:"did"`
}

func (g *generated) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("Key pair for %s", g.Algorithm)
	p.field("private key", "%s (keep it secret)", g.Private)
	p.field("public key", "%s", g.Public)
	p.field("fingerprint", "%s", g.Fingerprint)
	p.field("DID", "%s", g.DID)
	return p.err
}

func (c *keygenCommand) Run(a *app) error {
	key, err := keys.Generate(keys.Algorithm(c.Algorithm))
	if err != nil {
		return err
	}
	public := key.Public()
	privateText, publicText := key.PEM(), public.PEM()
	if c.JWK {
		privateText, publicText = append(key.JWK(), '\n'), append(public.JWK(), '\n')
	}
	if err := writeNew(c.Out, privateText); err != nil {
		return err
	}
	if err := writeNew(c.Out+".pub", publicText); err != nil {
		// A private key whose public half is missing helps nobody.
		return errors.Join(err, os.Remove(c.Out))
	}
	return c.print(a, &generated{key.Algorithm(), c.Out, c.Out + ".pub", public.Fingerprint(), did.OfKey(public)})
}

// writeNew writes a file that is readable by its user only and must not exist before.
func writeNew(name string, text []byte) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return exit.With(exit.Usage, fmt.Errorf("write key: %s exists and is not replaced; choose another name", name))
	}
	if err != nil {
		return fmt.Errorf("write key: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("write key: %w", err), os.Remove(name))
	}
	return nil
}

// readKey reads the text of a key file.
func readKey(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("read key: %w", err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, keys.MaxKeyText+1))
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("read key: %w", err))
	}
	return text, nil
}
