package builtin_test

import (
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/builtin"
)

// All extractors read the conversation for warming up, and doing it twice at once is safe.
func TestEveryExtractorWarmsUp(t *testing.T) {
	done := make(chan bool)
	go func() {
		extract.WarmUp(builtin.Registry().All())
		close(done)
	}()
	extract.WarmUp(builtin.Registry().All())
	<-done
}
