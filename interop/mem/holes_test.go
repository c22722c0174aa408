package mem_test

import (
	"testing"

	"github.com/pamline/pamline/interop/mem"
)

// holes are what a known reader lets pass, loses or brings back, each with the test that shows that
// this package does not. docs/formats.md has the same table.
var holes = map[string]func(*testing.T){
	"small and large numbers are written in another form than read": TestCanonicalFormOfNumbersStringsAndKeys,
	"NaN is a number": TestMalformedRecordsAreFound,
	"a damaged late stream leaves half of a bundle imported":            TestNothingIsGivenOfAnInvalidBundle,
	"tombstones and log are not validated":                              TestMalformedRecordsAreFound,
	"a bundle of a later major version is imported":                     TestDamageIsFound,
	"ids that a tombstone derives come back with an old bundle":         TestDerivedRowsAndOrphansGoWithTheirTarget,
	"a row whose only evidence is erased comes back":                    TestDerivedRowsAndOrphansGoWithTheirTarget,
	"the tombstone of one kind erases a row of another":                 TestTombstoneOfOneKindDoesNotEraseARowOfAnother,
	"tombstones of natural keys and of foreign kinds erase nothing":     TestErasedRowsOfEveryKindStayErasedWhenAnOldBundleComes,
	"a bundle that is imported twice doubles its tombstones":            TestErasedRowsOfEveryKindStayErasedWhenAnOldBundleComes,
	"the foreign stream of a second bundle replaces that of the first":  TestForeignRowsOfSeveralBundlesAreUnited,
	"anybody's unsigned bundle erases":                                  TestDeletionsNeedAnAcceptedAuthority,
	"files that nothing lists, and a CHECKSUMS that is none, pass":      TestDamageIsFound,
	"the import does not compare digests, sizes and counts":             TestNothingIsGivenOfAnInvalidBundle,
	"the skeleton of a redacted row is refused as erased":               TestRedactionLeavesASkeletonThatTravels,
	"deep nesting ends the program":                                     TestMalformedRecordsAreFound,
	"of two rows with one id the last wins, and no line end is too odd": TestMalformedRecordsAreFound,
	"files are read again by name after they were verified":             TestRecordsNoticeAFileThatChangedSinceItWasVerified,
	"foreign fields of native kinds are dropped":                        TestWrittenBundleOfAllKindsIsValid,
	"an incremental bundle misses edits of old rows":                    TestBundlesAreWhole,
	"a zip unpacks over files outside of it":                            TestNamesThatAZipHidesAreFound,
}

func TestHolesOfOtherMemReadersAreClosed(t *testing.T) {
	for hole, closed := range holes {
		t.Run(hole, closed)
	}
}

// TestBundlesAreWhole: a bundle has every row, whenever it was edited last. There is no cursor that
// an edit could be behind.
func TestBundlesAreWhole(t *testing.T) {
	t.Parallel()
	files := build(t, mem.WriteOptions{}, everything()...)
	m := open(t, files).Manifest
	if m.ExportMode != "full" || m.Since != "" {
		t.Errorf("%s since %q", m.ExportMode, m.Since)
	}
	for kind := range rows {
		if m.Counts[kind] != 1 {
			t.Errorf("%d of %s", m.Counts[kind], kind)
		}
	}
}
