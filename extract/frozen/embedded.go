//go:build frozen

package frozen

import _ "embed"

//go:embed tables/all.bin
var packed string
