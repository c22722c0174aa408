package rules

import "github.com/pamline/pamline/extract/frozen"

// Freeze compiles all tables for package frozen.
func Freeze() ([]frozen.Frozen, error) {
	x, err := compileIndex()
	first, err := frozen.Freeze(indexName, x, err)
	if err != nil {
		return nil, err
	}
	files := []frozen.Frozen{first}
	for _, l := range x.languages {
		t, err := compileLanguage(l.name)
		f, err := frozen.Freeze(tableName(l.name), t, err)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		if !l.changing {
			continue
		}
		if f, err = frozen.Freeze(anchorsName(l.name), t.anchors(), nil); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// tableName is the name of the frozen table of a language.
func tableName(language string) string { return "rules-" + language }
