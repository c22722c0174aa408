package jsonscan_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// An export is read one conversation at a time; what stands around them comes last.
func ExampleFramer() {
	export := `{"version": 2, "conversations": [{"title": "Tea"}, {"title": }, {"title": "Nuts"}]}`
	f := jsonscan.NewFramer(strings.NewReader(export), jsonscan.FrameOptions{Wrappers: []string{"conversations"}})
	var buf []byte
	for {
		frame, err := f.Next(buf)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		buf = frame.Raw
		doc, err := jsonscan.Parse(frame.Raw, 0)
		switch {
		case err != nil:
			fmt.Printf("byte %d: %v\n", frame.Offset, err)
		case frame.Rest:
			fmt.Printf("rest: %s\n", frame.Raw)
		default:
			fmt.Printf("byte %d: %s\n", frame.Offset, doc.Root().Get("title").Str())
		}
	}
	// Output:
	// byte 33: Tea
	// byte 51: invalid JSON at byte 10: unexpected character '}'
	// byte 64: Nuts
	// rest: {"version": 2}
}
