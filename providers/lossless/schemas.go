package lossless

import (
	"fmt"

	"github.com/pamline/pamline/pamio"
)

// Schemas are those of the forms that a provider's format has had, by the name that a document
// notes in provider.export_format_version.
type Schemas map[string]*Schema

// RestoreOr gives the [Schema.Restore] of documents by the schema of their form; by that of the
// form otherwise, when nobody knows their own.
func (s Schemas) RestoreOr(otherwise string) func(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return func(dst []byte, doc *pamio.Conversation) ([]byte, error) {
		if own := s[doc.Provider.ExportFormatVersion]; own != nil {
			return own.Restore(dst, doc)
		}
		return s[otherwise].Restore(dst, doc)
	}
}

// RestoreKnown gives the [Schema.Restore] of documents by the schema of their form. A form that the
// importer does not know is an error.
func (s Schemas) RestoreKnown(importer string) func(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return func(dst []byte, doc *pamio.Conversation) ([]byte, error) {
		own := s[doc.Provider.ExportFormatVersion]
		if own == nil {
			return dst, fmt.Errorf("restore conversation %s: %q is no format version of %s", doc.ID, doc.Provider.ExportFormatVersion, importer)
		}
		return own.Restore(dst, doc)
	}
}
