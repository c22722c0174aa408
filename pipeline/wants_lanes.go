package pipeline

import "strings"

func joined(importers []string) string { return strings.Join(importers, ",") }
