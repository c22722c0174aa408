//go:build frozen

package frozen

import "embed"

//go:embed tables/*.bin
var tables embed.FS
