package mif_test

import "testing"

// holes are what a known reader of the format lets pass or cannot read, each with the test that
// shows that this package does not. Those of converting are in interop/convert, those of imports in
// cmd/pamline. docs/formats.md has the same table.
var holes = map[string]func(*testing.T){
	"a checksum covers counts alone and is never verified":           TestChecksumProfilesAreToldApart,
	"encryption is declared and not there":                           TestEncryptedDocumentOpensOnlyWithItsParameters,
	"nothing is validated":                                           TestWhatIsWrongWithADocumentIsFound,
	"a document of another major version is read":                    TestDocumentsOfOtherFormatsAndVersionsAreRefused,
	"neither YAML nor JSON Lines can be read":                        TestTheThreeFormsSayTheSame,
	"tags and aliases of YAML are taken":                             TestUnsafeYAMLIsRefused,
	"the whole document is in memory":                                TestADocumentOfManyRecordsIsReadRecordByRecord,
	"personal data of few forms is found, and what is none, as well": TestRedactionIsMeasured,
}

func TestHolesOfOtherMIFReadersAreClosed(t *testing.T) {
	for hole, closed := range holes {
		t.Run(hole, closed)
	}
}
