package wiring

import (
	"context"
	"fmt"
	"io"

	"github.com/pamline/pamline/cmd/internal/exchange"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/publish"
)

// Generator is the name and version that files of other formats have of the program which wrote
// them.
const Generator = "pamline/1.0.0"

// publishedFormats are the formats that the setting publish.formats names. Their files are those
// that pamline convert writes.
func publishedFormats(c *config.Config) (all []publish.Format, err error) {
	for _, name := range c.Publish.FormatNames() {
		switch name {
		case "mem":
			all = append(all, publish.Format{Name: name, End: ".mem.zip", Write: writeMem})
		case "mif":
			all = append(all, publish.Format{Name: name, End: ".mif.json", Write: writeMIF})
		default:
			return nil, fmt.Errorf("read publish.formats: there is no format %q: it names mem and mif", name)
		}
	}
	return all, nil
}

func writeMem(ctx context.Context, b *pamio.Bundle, scratch string, w io.Writer) error {
	return exchange.WriteFiles(exchange.Stdout, w, false, func(add func(string, func(io.Writer) error) error) error {
		_, err := convert.MemFromPAM(ctx, b, convert.Options{Scratch: scratch, Generator: Generator}, mem.WriteOptions{Generator: Generator, Level: "L2"}, add)
		return err
	})
}

func writeMIF(ctx context.Context, b *pamio.Bundle, scratch string, w io.Writer) error {
	_, err := convert.MIFFromPAM(ctx, b, convert.Options{Scratch: scratch, Generator: Generator}, w)
	return err
}
