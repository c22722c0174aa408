package importer

import "path"

// Above gives folders and all folders that they lie in, "." among them, unless there are none.
func Above(folders map[string]bool) map[string]bool {
	above := make(map[string]bool, len(folders))
	for dir := range folders {
		for !above[dir] {
			above[dir] = true
			dir = path.Dir(dir)
		}
	}
	return above
}
