package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/pamline/pamline/cmd/internal/exchange"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/storefile"
	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/interop/mif"
	"github.com/pamline/pamline/pamio"
)

// mifFlags are the parameters of an encrypted MIF document, which the format does not name.
type mifFlags struct {
	MIFPassword string `name:"mif-password-file" placeholder:"FILE" type:"path" help:"Open an encrypted MIF document with the password in FILE."`
	MIFSalt     string `name:"mif-salt" placeholder:"HEX" help:"Salt of the key derivation (Argon2id) of an encrypted MIF document."`
	MIFTime     uint32 `name:"mif-time" default:"3" help:"Passes of Argon2id."`
	MIFMemory   uint32 `name:"mif-memory" default:"65536" help:"Memory of Argon2id in KiB."`
	MIFThreads  uint8  `name:"mif-threads" default:"4" help:"Threads of Argon2id."`
}

// openMIF opens the path if it is a MIF document, and decrypts it; nil if it is none.
func (c *convertCommand) openMIF() (_ *mif.Document, err error) {
	d, err := mif.Open(c.Paths[0])
	if errors.Is(err, mif.ErrVersion) || errors.Is(err, mif.ErrUnsafe) {
		return nil, exit.With(malformed, err)
	}
	if err != nil {
		return nil, nil //nolint:nilerr // whoever opens it as another format says what it is not
	}
	if !d.IsEncrypted() {
		return d, nil
	}
	defer func() { err = errors.Join(err, d.Close()) }() // what is in it lies in memory
	if c.MIFPassword == "" || c.MIFSalt == "" {
		return nil, exit.With(exit.Usage, fmt.Errorf("%w: give --mif-password-file and --mif-salt", mif.ErrEncrypted))
	}
	p, err := c.parameters()
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	return d.Decrypt(p)
}

// fromMIF converts a MIF document.
func (c *convertCommand) fromMIF(a *app, report *convertReport, d *mif.Document, o convert.Options) (err error) {
	if d == nil {
		return nil // opening it failed
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if c.To != "pam" {
		return exit.With(exit.Usage, fmt.Errorf("%s is a MIF document: convert it to PAM first", c.Paths[0]))
	}
	return c.write(a, func(out mem.Output) (err error) {
		report.Report, err = convert.PAMFromMIF(a.ctx, d, time.Now(), o, convert.Output(out))
		return err
	})
}

// toMIF writes a MIF document.
func (c *convertCommand) toMIF(a *app, report *convertReport, o convert.Options) (err error) {
	b, err := pamio.OpenBundle(c.Paths[0])
	if err != nil {
		return exit.With(malformed, err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	write := func(w io.Writer) (err error) {
		report.Report, err = convert.MIFFromPAM(a.ctx, b, o, w)
		return err
	}
	if c.Out == exchange.Stdout {
		return write(a.stdout)
	}
	return storefile.Create(c.Out, write)
}

func (c *convertCommand) parameters() (p mif.Argon2, err error) {
	if p.Password, err = os.ReadFile(c.MIFPassword); err != nil {
		return p, fmt.Errorf("read password: %w", err)
	}
	for n := len(p.Password); n > 0 && (p.Password[n-1] == '\n' || p.Password[n-1] == '\r'); n-- {
		p.Password = p.Password[:n-1]
	}
	if _, err := fmt.Sscanf(c.MIFSalt, "%x", &p.Salt); err != nil {
		return p, fmt.Errorf("read --mif-salt: %w", err)
	}
	p.Time, p.Memory, p.Threads = c.MIFTime, c.MIFMemory, c.MIFThreads
	return p, nil
}
