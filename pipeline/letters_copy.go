package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nats-io/nats-server/v2/server"
)

// brokerFolder is where the embedded broker's files lie in a data folder.
const brokerFolder = "jetstream"

// CopyLetters copies the dead letters of a data folder into the folder into, from where OpenLocal shows them: what it opens
// it writes to, and a folder may be one that can only be read. Nobody may work in folder meanwhile. A folder that no
// broker has been in has no letters.
func CopyLetters(folder, into string) error {
	stream := filepath.Join(brokerFolder, server.JetStreamStoreDir, server.DEFAULT_GLOBAL_ACCOUNT, "streams", StreamDLQ)
	from := filepath.Join(folder, stream)
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("look for dead letters: %w: have the folder's owner let you read it", err)
	}
	if err := os.CopyFS(filepath.Join(into, stream), os.DirFS(from)); err != nil {
		return fmt.Errorf("copy dead letters from %s to look at them: %w: is it readable, and is there room in %s?", from, err, into)
	}
	return nil
}
