// Package masterkey finds the master key of encrypted stores: in a file of its user, or by a
// command that asks a password manager or key service.
package masterkey

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pamline/pamline/blob/sealed"
	"github.com/pamline/pamline/config"
)

// ErrNone: there is no master key yet.
var ErrNone = errors.New("there is no master key")

// commandTimeout bounds a key command, which may ask a person.
const commandTimeout = 2 * time.Minute

// maxText bounds the text of a key, in bytes.
const maxText = 64 << 10

// Path is the file of the master key.
func Path(c config.Encryption) (string, error) {
	if c.KeyFile != "" {
		return c.KeyFile, nil
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find master key: %w: name its file in encryption.key_file", err)
	}
	return filepath.Join(folder, "pamline", "master.key"), nil
}

// Read reads the master key. Without a file it is [ErrNone].
func Read(ctx context.Context, c config.Encryption) (*sealed.LocalMaster, error) {
	if c.KeyCommand != "" {
		return askCommand(ctx, c.KeyCommand)
	}
	path, err := Path(c)
	if err != nil {
		return nil, err
	}
	return ReadFile(path)
}

// ReadFile reads a key file. One that others can read is refused.
func ReadFile(path string) (*sealed.LocalMaster, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s", ErrNone, path)
	}
	if err != nil {
		return nil, fmt.Errorf("read master key: %w", err)
	}
	if !isPrivate(path, info) {
		return nil, fmt.Errorf("read master key: others can read %s (mode %04o): chmod 600 it", path, info.Mode().Perm())
	}
	if info.Size() > maxText {
		return nil, fmt.Errorf("read master key: %s is no key file", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read master key: %w", err)
	}
	m, err := sealed.ParseMaster(text, rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, path)
	}
	return m, nil
}

// askCommand runs the key command. What it prints is in no error.
func askCommand(ctx context.Context, command string) (*sealed.LocalMaster, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, errors.New("run encryption.key_command: it is empty")
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr // it may ask a person
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run encryption.key_command: %w", err)
	}
	m, err := sealed.ParseMaster(text, rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("run encryption.key_command: %w", err)
	}
	return m, nil
}

// Make makes a master key and its file, which must not be there.
func Make(path string) (*sealed.LocalMaster, error) {
	m, err := sealed.NewMaster(rand.Reader)
	if err != nil {
		return nil, err
	}
	return m, WriteNew(path, m)
}

// WriteNew writes a key file that is not there yet.
func WriteNew(path string, m *sealed.LocalMaster) error {
	temporary, err := writeBeside(path, m)
	if err != nil {
		return err
	}
	return errors.Join(os.Link(temporary, path), os.Remove(temporary))
}

// Replace writes a key file in the place of another one.
func Replace(path string, m *sealed.LocalMaster) error {
	temporary, err := writeBeside(path, m)
	if err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// writeBeside writes a key file, whole and durable, beside its place. It is private from the start.
func writeBeside(path string, m *sealed.LocalMaster) (name string, err error) {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("write master key: %w", err)
	}
	f, err := os.CreateTemp(folder, ".master-*")
	if err != nil {
		return "", fmt.Errorf("write master key: %w", err)
	}
	_, err = f.Write(m.Text())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("write master key: %w", err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}
