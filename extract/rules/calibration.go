package rules

import (
	_ "embed" // the calibration
	"fmt"
	"sync"

	"github.com/pamline/pamline/extract/lexicon"
)

//go:embed calibration.yaml
var calibrationText []byte

// worth is what a family is worth in every language.
type worth struct {
	Type       string  `yaml:"type"`
	Confidence float64 `yaml:"confidence"`
	Chats      float64 `yaml:"chats"`
	Open       bool    `yaml:"open"`
}

// calibration is the worth of the families that several languages have, by name.
var calibration = sync.OnceValues(func() (map[string]worth, error) {
	all := map[string]worth{}
	if err := lexicon.DecodeTable(calibrationText, &all); err != nil {
		return nil, fmt.Errorf("parse calibration.yaml: %w", err)
	}
	return all, nil
})

// calibrate gives the families of a table their worth. What a table says itself does not count for
// those.
func calibrate(families []family) error {
	all, err := calibration()
	if err != nil {
		return err
	}
	for i := range families {
		f := &families[i]
		if w, ok := all[f.Name]; ok {
			f.Type, f.Confidence, f.Chats, f.Open = w.Type, w.Confidence, w.Chats, f.Open || w.Open
		}
	}
	return nil
}
