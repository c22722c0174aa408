package lossless

import "github.com/pamline/pamline/pamio"

// Schemas are those of the forms that a provider's format has had, by the name that a document
// notes in provider.export_format_version.
type Schemas map[string]*Schema

// Restore is [Schema.Restore] by the schema of the document's form; by that of the form otherwise,
// when nobody knows its own.
func (s Schemas) Restore(dst []byte, doc *pamio.Conversation, otherwise string) ([]byte, error) {
	if own := s[doc.Provider.ExportFormatVersion]; own != nil {
		return own.Restore(dst, doc)
	}
	return s[otherwise].Restore(dst, doc)
}
