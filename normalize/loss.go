package normalize

// Loss accounts for every leaf of a source unit: where did it go?
type Loss struct {
	Mapped  int `json:"mapped"`  // into a PAM field
	Raw     int `json:"raw"`     // into raw_metadata
	Asset   int `json:"asset"`   // into an asset file
	Skipped int `json:"skipped"` // nowhere, with a reason counted beside it
}

// Add sums two accounts.
func (l *Loss) Add(o Loss) {
	l.Mapped += o.Mapped
	l.Raw += o.Raw
	l.Asset += o.Asset
	l.Skipped += o.Skipped
}
