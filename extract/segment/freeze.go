package segment

import "github.com/pamline/pamline/extract/frozen"

// Freeze compiles the cues and the table of languages for package frozen.
func Freeze() ([]frozen.Frozen, error) {
	cues, err := compileCues()
	first, err := frozen.Freeze(cuesName, cues, err)
	if err != nil {
		return nil, err
	}
	l, err := compileLanguages()
	second, err := frozen.Freeze(languagesName, l, err)
	if err != nil {
		return nil, err
	}
	return []frozen.Frozen{first, second}, nil
}
