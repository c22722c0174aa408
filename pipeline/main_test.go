package pipeline

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets more tests run side by side than there are processors: most of what they do is to wait, for files to be on the
// disk, for messages and for back-offs. -parallel on the command line counts more.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
