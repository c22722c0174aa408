package exchange

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"

	"github.com/pamline/pamline/cmd/internal/storefile"
)

// Recipients reads those who may decrypt an export: age recipients (age1…) and SSH public keys, or
// files of them with one a line.
func Recipients(names []string) (all []age.Recipient, err error) {
	for _, name := range names {
		found, err := recipient(name)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func recipient(name string) ([]age.Recipient, error) {
	switch {
	case strings.HasPrefix(name, "age1"):
		r, err := age.ParseX25519Recipient(name)
		if err != nil {
			return nil, fmt.Errorf("read recipient: %w", err)
		}
		return []age.Recipient{r}, nil
	case strings.HasPrefix(name, "ssh-"):
		r, err := agessh.ParseRecipient(name)
		if err != nil {
			return nil, fmt.Errorf("read recipient: %w", err)
		}
		return []age.Recipient{r}, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read recipient: %q is neither an age recipient (age1…), nor an SSH public key, nor a file of them: %w", name, err)
	}
	var all []age.Recipient
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if !strings.HasPrefix(line, "age1") && !strings.HasPrefix(line, "ssh-") {
			return nil, fmt.Errorf("read recipients of %s: a line is neither an age recipient nor an SSH public key", name)
		}
		found, err := recipient(line)
		if err != nil {
			return nil, fmt.Errorf("read recipients of %s: %w", name, err)
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("read recipients of %s: there are none", name)
	}
	return all, nil
}

// Encrypted has an export written to o.To as one encrypted file, a zip of a bundle or the JSON of a
// store; nothing is written in the clear but scratch files of this user. run gets the options to
// export with.
func Encrypted(o Options, to []age.Recipient, run func(Options) error) error {
	encrypt := func(w io.Writer) error {
		sealed, err := age.Encrypt(w, to...)
		if err != nil {
			return fmt.Errorf("encrypt export: %w", err)
		}
		inner := o
		inner.To, inner.Stdout = Stdout, sealed
		if err := run(inner); err != nil {
			return err
		}
		if err := sealed.Close(); err != nil {
			return fmt.Errorf("encrypt export: %w", err)
		}
		return nil
	}
	if o.To == Stdout {
		return encrypt(o.Stdout)
	}
	if _, err := os.Lstat(o.To); err == nil {
		return fmt.Errorf("write %s: %w", o.To, ErrExists)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: %w", o.To, err)
	}
	return storefile.Create(o.To, encrypt)
}
