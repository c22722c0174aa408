package inbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

const (
	// metadataPrefix begins the names of metadata that are settings of pamline.
	metadataPrefix = "pamline-"
	// maxMarker is the most bytes that a marker may have.
	maxMarker  = 64 << 10
	hintMarker = "leave it empty, or write lines like `importer: chatgpt` and `extractors: harvest,rules`"
)

// readSettings reads the settings of an entry: the metadata of its object, or, for a folder, the
// lines of its marker and over them the marker's metadata. The owner is no setting: the place of
// the drop decides it.
func (in *Inbox) readSettings(ctx context.Context, e entry) (w job.Want, err error) {
	key := e.key
	settings := map[string]string{}
	if isFolder(e.key) {
		if !e.marked {
			return w, nil
		}
		key += markerName
		body, _, err := in.Store.Get(ctx, key, blob.Range{})
		if err != nil {
			return w, orChanged(err)
		}
		defer body.Close()
		if settings, err = readMarker(body); err != nil {
			return w, orChanged(err)
		}
	}
	o, err := in.Store.Head(ctx, key)
	if err != nil {
		return w, orChanged(err)
	}
	for name, value := range o.Metadata {
		if name, ours := strings.CutPrefix(strings.ToLower(name), metadataPrefix); ours {
			settings[name] = value
		}
	}
	return in.parseSettings(settings)
}

// readMarker reads the lines of a marker: `name: value`. Empty lines and those that begin with #
// are skipped. Errors name a line by its number, because its text may be anything.
func readMarker(r io.Reader) (map[string]string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxMarker+1))
	if err != nil {
		return nil, fmt.Errorf("read marker: %w", err)
	}
	if len(text) > maxMarker {
		return nil, fault.Permanentf("leave it empty, or write only settings into it", "read marker: it has more than %d bytes", maxMarker)
	}
	out := map[string]string{}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\uFEFF")) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		if !ok || name == "" {
			return nil, fault.Permanentf(hintMarker, "read marker: line %d is not `name: value`", n)
		}
		if _, twice := out[name]; twice {
			return nil, fault.Permanentf(hintMarker, "read marker: line %d sets something for the second time", n)
		}
		out[name] = strings.TrimSpace(value)
	}
	return out, nil
}

var settingForm = regexp.MustCompile(`^[a-z][a-z-]{0,24}$`)

// parseSettings checks settings. A name that is not known is refused: a drop must not be imported
// otherwise than somebody wished.
func (o Options) parseSettings(settings map[string]string) (w job.Want, err error) {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := strings.TrimSpace(settings[name])
		switch name {
		case "importer":
			w.Importer = value
			if _, unknown := o.Registry.Asked(value); unknown != nil {
				err = &fault.Fault{Class: fault.Permanent, Err: unknown, Hint: "`pamline version` lists the importers"}
			}
		case "extractors":
			for e := range strings.SplitSeq(value, ",") {
				if e = strings.TrimSpace(e); e != "" {
					w.Extractors = append(w.Extractors, e)
				}
			}
			_, err = state.SelectExtractors(o.Extractors, w.Extractors)
		default:
			if !settingForm.MatchString(name) {
				name = "…" // it may be anything, and logs hold no such text
			}
			err = fault.Permanentf("the settings of a drop are importer and extractors", "read settings of drop: there is no %q", name)
		}
		if err != nil {
			if f := (*fault.Fault)(nil); !errors.As(err, &f) {
				err = &fault.Fault{Class: fault.Permanent, Err: err, Hint: hintMarker}
			}
			return w, err
		}
	}
	return w, nil
}
