//go:build !frozen

package frozen

import "embed"

var tables embed.FS // has no files
