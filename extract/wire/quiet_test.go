package wire

import (
	"io"
	"log"
)

// quiet takes what test servers write about handshakes that are meant to fail.
var quiet = log.New(io.Discard, "", 0)
