package main

// Tests that many requirements share.
const (
	bundles  = "pipeline/publish:TestEveryBundleMeetsTheRequirementsOfProducers/"
	faults   = "pamio/validate:TestEachCheckFindsItsFault/"
	harmless = "pamio/validate:TestWhatIsLeftToTheWriterIsNoFault/"
	scripts  = "cmd/pamline:TestScripts/"
	comeBack = "pipeline/publish:TestABundleOfEveryFixtureComesBackAsItIs"
)

var producer = []requirement{
	{"P01", "export and import, without loss", "§1.3", []string{comeBack, scripts + "import_pam"}},
	{"P02", "a database inside, files for interchange", "§1.3", []string{"pipeline/publish:TestTheStoreIsAFunctionOfTheInputSet"}},
	{"P03", "names and places of the files of a bundle", "§2", []string{bundles + "P03", "pipeline/publish:TestABundleHasTheStoreItsConversationsAndItsAssets"}},
	{"P04", "members that a store must have, and no unknown ones", "§3", []string{bundles + "P04"}},
	{"P05", "schema names", "§3.1", []string{bundles + "P05"}},
	{"P06", "form of schema_version", "§22", []string{bundles + "P06"}},
	{"P07", "one schema_version in all files", "§12, §14", []string{bundles + "P07"}},
	{"P08", "form of program names with versions", "§3, §11", []string{bundles + "P08"}},
	{"P09", "export_id is a random UUID, new for each export", "§3.2", []string{bundles + "P09", "pipeline/publish:TestANewKeySignsAgain"}},
	{"P10", "owner.id stays the same", "§17", []string{bundles + "P10", scripts + "owner"}},
	{"P11", "owner.id beside owner.did", "§17.2", []string{"pipeline/publish:TestAnIdentityIsPublishedAndVerified"}},
	{"P12", "owner.did is a DID that resolves", "§17.2", []string{"pamio/did:TestParse", "pamio/did:TestDidKeyIsResolvedWithoutTheNetwork", "pamio/did:TestDidWebIsResolvedOnRequest", scripts + "edit_access"}},
	{"P13", "times with an offset, here always UTC", "§4", []string{bundles + "P13", "pamio:TestOutputTimesHaveOneForm"}},
	{"P14", "members that a memory must have", "§4.1", []string{bundles + "P14", "normalize:TestMemoryIDsAreFrozen"}},
	{"P15", "ids are unique", "§4.1", []string{bundles + "P15"}},
	{"P16", "types of memories", "§5", []string{bundles + "P16"}},
	{"P17", "custom_type goes with the type custom", "§5.1", []string{bundles + "P17"}},
	{"P18", "custom types may be registered", "§19.4", []string{scripts + "edit_access", "pipeline/publish:TestAnIdentityIsPublishedAndVerified"}},
	{"P19", "content_hash", "§6", []string{bundles + "P19", "pamio:TestContentHashFollowsThePublishedVectors"}},
	{"P20", "form and uniqueness of tags", "§4.3", []string{bundles + "P20"}},
	{"P21", "statuses; a superseded memory names its successor", "§7", []string{bundles + "P21", "assemble:TestTimesOfASupersededMemory"}},
	{"P22", "transitions between statuses", "§7.1", []string{faults + "lifecycle-transition", "pamio/validate:TestAMemoryMayComeBackWithALaterTime", "assemble:TestADuplicateOfARetractedMemoryStaysArchived"}},
	{"P23", "confidence is computed and lies in its range", "§8", []string{bundles + "P23", "assemble:TestConfidenceGrowsByKindsOfEvidenceNotByRepetition"}},
	{"P24", "visibility and grants", "§9", []string{bundles + "P24", "assemble:TestOfDuplicatesTheMostRestrictiveValueWins", scripts + "edit_access"}},
	{"P25", "form of metadata.language", "§10", []string{bundles + "P25", "assemble:TestLanguageTags"}},
	{"P26", "platform names are those of products", "§11.4", []string{bundles + "P26"}},
	{"P27", "one platform name for one source", "§11.4", []string{bundles + "P27"}},
	{"P28", "extraction methods", "§11.3", []string{bundles + "P28"}},
	{"P29", "no reference to embeddings without their file", "§12.1", []string{bundles + "P29"}},
	{"P30", "one embedding for a memory", "§12.1", []string{bundles + "P30"}},
	{"P31", "members and length of an embedding", "§12", []string{bundles + "P31"}},
	{"P32", "embeddings are never the only source", "§12", []string{bundles + "P32"}},
	{"P33", "types and ends of relations", "§13", []string{bundles + "P33"}},
	{"P34", "index and memories name each other", "§14.1", []string{bundles + "P34", "assemble:TestMemoriesNameOnlyConversationsOfTheIndexAndTheIndexNamesThem"}},
	{"P35", "the index says what the files say", "§14", []string{bundles + "P35"}},
	{"P36", "where the index says a conversation is", "§14", []string{bundles + "P36"}},
	{"P37", "integrity block", "§15.2", []string{bundles + "P37", "pamio:TestChecksumVectors"}},
	{"P38", "canonical JSON as RFC 8785 has it", "§15.2", []string{"pamio:TestCanonicalizeFollowsThePublishedVectors", "pamio:TestCanonicalizeEqualsTheOracle"}},
	{"P39", "since and base of an incremental export", "§16.2", []string{"pamio:TestSinceLiesBeforeEveryMemoryOfTheDelta", scripts + "merge"}},
	{"P40", "encryption at rest and on the way", "§21.1", []string{scripts + "private", "cmd/internal/exchange:TestAnEncryptedExportIsReadByItsRecipientsOnly"}},
	{"P41", "what is not exportable stays out, with what refers to it", "§21.1", []string{scripts + "withheld", "pamio:TestMemoriesThatMustNotBeGivenAwayAreLeftOut", "interop/convert:TestWithheldMemoriesStayOutOfMem",
		"interop/render:TestWhatIsLeftOut", "cmd/pamline:TestAnAssistantDoesNotSeeWhatMustNotBeExported"}},
	{"P42", "identifiers of platforms can be taken out", "§21.3", []string{scripts + "strip", "pamio/strip:TestOnlyListedMembersStay"}},
	{"P43", "members that conversations and messages must have", "§25", []string{bundles + "P43"}},
	{"P44", "roles", "§25.3", []string{bundles + "P44", "normalize:TestUnknownRolesAreNeverThePersons", "providers/grok:TestSendersOfEveryGeneration"}},
	{"P45", "types of contents, parts and attachments", "§25", []string{bundles + "P45"}},
	{"P46", "form of tool calls", "§25", []string{bundles + "P46"}},
	{"P47", "links between messages", "§25.3", []string{bundles + "P47", "normalize:TestLink"}},
	{"P48", "what PAM has no field for is kept as it is", "§25.3", []string{"providers/lossless:TestElementsOfEveryFormComeBack", "providers:TestEveryOwnFixture"}},
	{"P49", "import_metadata", "§25.3", []string{bundles + "P49", "assemble:TestASingleSnapshotIsCopiedWithItsImportMetadata"}},
	{"P50", "importers have versions; old ones stay", "§20, §25.5", []string{bundles + "P50", "providers:TestNewestVersionIsTheDefaultAndOldOnesStay"}},
	{"P51", "mappings of the providers", "importer mappings", []string{"providers/chatgpt:TestContentTypes", "providers/claude:TestThoughtsAreMessagesOfTheirOwn", "providers/claude:TestToolsArePairedByIDElseByNameAndOrder",
		"providers/gemini:TestRowsWithoutAConversationHaveLastingIDs", "providers/copilot:TestTalksOfOneTitleAreNotMergedAndRowsOfOneMinuteStayInOrder", "providers/grok:TestMissingParentsFallBackToTheResponseBefore"}},
	{"P52", "order of messages, counts, addresses of citations", "§25", []string{bundles + "P52", "assemble/fold:TestArrangement"}},
	{"P53", "what a signed export must have", "§18.3", []string{"pipeline/publish:TestWhatIsPublishedIsSigned", "pamio/signature:TestWhatCannotBeSigned"}},
}
