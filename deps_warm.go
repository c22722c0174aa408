//go:build depswarm

package pamline

import (
	_ "golang.org/x/net/html"
	_ "modernc.org/sqlite"
)
