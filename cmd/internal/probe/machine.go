package probe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// little is the free space below which a folder deserves a warning, in bytes.
const little = 2 << 30

// Folder tries a folder that files are written to: name is what it is for. It is not made when it
// is not there.
func Folder(name, path string) Part {
	return Part{Name: name, Run: func(_ context.Context, say *Say) {
		there, err := existing(path)
		if err != nil {
			say.Fail("find "+path, err, "name another folder")
			return
		}
		if there != path {
			say.Note("find "+path, "it is not there yet and will be made in "+there)
		}
		if !say.Try("write into "+there, "give this user the right to write there, or name another folder", scratchFile(there)) {
			return
		}
		room(say, there)
	}}
}

// scratchFile makes and removes a file.
func scratchFile(folder string) error {
	f, err := os.CreateTemp(folder, ".pamline-check-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("check")
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
}

func room(say *Say, folder string) {
	free, err := freeBytes(folder)
	what := "room in " + folder
	switch {
	case err != nil:
		say.Note(what, "cannot be asked: "+err.Error())
	case free < little:
		say.Warn(what, fmt.Sprintf("%.1f GiB are free", float64(free)/(1<<30)), "free some: large archives are spooled and sorted there")
	default:
		say.OK(what, fmt.Sprintf("%.1f GiB are free", float64(free)/(1<<30)))
	}
}

// existing is the folder itself, or the nearest one above it that is there.
func existing(path string) (string, error) {
	for {
		info, err := os.Stat(path)
		switch {
		case err == nil && info.IsDir():
			return path, nil
		case err == nil:
			return "", fmt.Errorf("%s is a file", path)
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
		above := filepath.Dir(path)
		if above == path {
			return "", err
		}
		path = above
	}
}

// DropFolder tries the folder that archives are put into.
func DropFolder(path string) Part {
	return Part{Name: "drop folder", Run: func(_ context.Context, say *Say) {
		_, err := os.ReadDir(path)
		if errors.Is(err, fs.ErrNotExist) {
			say.Note("read "+path, "it is not there yet; pamline up makes it")
			return
		}
		say.Try("read "+path, "give this user the right to read there, or set drop.folder to another folder", err)
	}}
}

// HTTP tries whether the address of the endpoint can be listened on.
func HTTP(addr string) Part {
	return Part{Name: "http", Run: func(ctx context.Context, say *Say) {
		what := "listen on " + addr
		var listener net.ListenConfig
		l, err := listener.Listen(ctx, "tcp", addr)
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			say.Warn(what, "the port is in use", "by pamline itself, if a service is running; else set http.addr to another port")
			return
		case err != nil:
			say.Fail(what, err, "set http.addr to an address of this machine and a port that this user may open")
			return
		}
		say.Try(what, "", l.Close())
	}}
}
