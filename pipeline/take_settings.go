package pipeline

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
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/state"
)

// dropSettings is what a person may say of one drop.
type dropSettings struct {
	importer   string
	extractors []string
}

// metadataPrefix begins the names of metadata that is meant for us.
const metadataPrefix = "pamline-"

// maxMarker bounds what a marker may hold.
const maxMarker = 64 << 10

// settingsOf reads the settings of a unit: the metadata of the object; of a folder, the lines of its marker, and over them
// the marker's metadata. The owner is no setting: it is where the drop lies.
func (d Deps) settingsOf(ctx context.Context, u inboxUnit) (s dropSettings, err error) {
	key := u.unit
	said := map[string]string{}
	if u.folder() {
		if !u.marked {
			return s, nil
		}
		key += completeName
		if said, err = d.markerLines(ctx, key); err != nil {
			return s, err
		}
	}
	o, err := d.Store.Head(ctx, key)
	if err != nil {
		return s, moving(err)
	}
	maps.Copy(said, ownMetadata(o.Metadata))
	return d.settings(said)
}

// ownMetadata is what of an object's metadata is meant for us, by the name without the prefix.
func ownMetadata(all map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range all {
		if name, ours := strings.CutPrefix(strings.ToLower(name), metadataPrefix); ours {
			out[name] = value
		}
	}
	return out
}

func (d Deps) markerLines(ctx context.Context, key string) (map[string]string, error) {
	body, o, err := d.Store.Get(ctx, key, blob.Range{})
	if err != nil {
		return nil, moving(err)
	}
	defer body.Close()
	if o.Size > maxMarker {
		return nil, fault.Permanentf("leave it empty, or write only settings into it", "read marker: it has %d bytes, more than %d", o.Size, maxMarker)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, moving(err)
	}
	said, err := parseMarker(string(text))
	if err != nil {
		return nil, &fault.Fault{Class: fault.Permanent, Err: err, Hint: hintMarker}
	}
	return said, nil
}

const hintMarker = "leave it empty, or write lines like `importer: chatgpt` and `extractors: harvest,rules`"

// parseMarker reads the lines of a marker: `name: value`. Empty ones and those that begin with # are passed over. Errors name
// the line by its number: what stands there may be anything.
func parseMarker(text string) (map[string]string, error) {
	out := map[string]string{}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		if !ok || name == "" {
			return nil, fmt.Errorf("read marker: line %d is not `name: value`", n)
		}
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("read marker: line %d sets something for the second time", n)
		}
		out[name] = strings.TrimSpace(value)
	}
	return out, nil
}

var settingForm = regexp.MustCompile(`^[a-z][a-z-]{0,24}$`)

// settings checks what was said. A name that is not known is refused: a drop must not be imported otherwise than somebody
// wished.
func (d Deps) settings(said map[string]string) (s dropSettings, err error) {
	for _, name := range slices.Sorted(maps.Keys(said)) {
		value := strings.TrimSpace(said[name])
		switch name {
		case "importer":
			s.importer = value
			err = ingest.CheckImporter(d.Registry, value)
		case "extractors":
			for e := range strings.SplitSeq(value, ",") {
				if e = strings.TrimSpace(e); e != "" {
					s.extractors = append(s.extractors, e)
				}
			}
			_, err = state.SelectExtractors(d.Extractors, s.extractors)
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
			return s, err
		}
	}
	return s, nil
}
