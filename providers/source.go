package providers

import (
	"fmt"
	"regexp"

	"github.com/pamline/pamline/providers/importer"
)

// sourcePattern is that of a platform (PAM §11.4).
var sourcePattern = regexp.MustCompile(`^[a-z0-9_-]{2,32}$`)

// ofSource is an importer for texts of a source.
func ofSource(i Importer, source string, has bool) (Importer, error) {
	if !has {
		return i, nil
	}
	s, ok := i.(importer.OfSource)
	if !ok {
		return nil, fmt.Errorf("select importer: the files of %s say which assistant they are of; a source belongs to the importer manual", i.Name())
	}
	if !sourcePattern.MatchString(source) {
		return nil, fmt.Errorf("select importer: the source %q is no name of a provider: 2 to 32 of a to z, 0 to 9, _ and -, for example chatgpt", source)
	}
	return s.OfSource(source), nil
}
