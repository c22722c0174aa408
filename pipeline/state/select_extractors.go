package state

import (
	"errors"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/fault"
)

// SelectExtractors gives the extractors that a request names; none named: all.
func SelectExtractors(known *extract.Registry, names []string) ([]extract.Extractor, error) {
	list, err := known.Select(names...)
	var unknown *extract.UnknownError
	if errors.As(err, &unknown) {
		return nil, &fault.Fault{Class: fault.Permanent, Err: err, Hint: "`pamline version` lists the extractors"}
	}
	return list, err
}

// ExtractorVersions are the versions of extractors, in their order.
func ExtractorVersions(list []extract.Extractor) []string {
	var out []string
	for _, e := range list {
		out = append(out, e.Version())
	}
	return out
}
