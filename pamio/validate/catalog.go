package validate

import "slices"

// Check is one entry of the catalogue: one thing that is looked at, under an id that never changes
// its meaning.
type Check struct {
	ID string `json:"id"`
	// Severity is that of its findings; Strict is the one with Options.Strict.
	Severity Severity `json:"severity"`
	Strict   Severity `json:"strict"`
	// Meaning says what is wrong when it is reported.
	Meaning string `json:"meaning"`
	// Section is where the specification asks for it, "" where it is common sense.
	Section string `json:"section,omitempty"`
}

// Catalog lists all checks, those of the text first, those between documents last.
func Catalog() []Check { return slices.Clone(catalog[:]) }

// check is a place in the catalogue.
type check uint8

const (
	jsonSyntax check = iota
	jsonNonfinite
	jsonTruncated
	jsonDepth
	jsonTrailing
	jsonBOM
	jsonUTF8
	jsonLoneSurrogate
	jsonDuplicateKey
	jsonNumberRange
	jsonBigInteger
	elementTooBig
	fileTooBig
	fileUnreadable

	documentUnknown
	schemaVersionMajor
	schemaVersionMinor
	schemaNewer
	schemaRequired
	schemaType
	schemaEnum
	schemaPattern
	schemaUnknownField
	schemaLength
	schemaRange
	schemaUnique
	customType
	formatDateTime
	formatDateOffset
	formatURI

	contentHash
	contentBlank
	statusConsistency
	temporalOrder
	temporalReinforced
	notExportable
	platformNaming
	ownerUnknown
	supersessionSelf
	supersessionCycle
	lifecycleTransition
	checkSkipped

	idUnique
	xrefRelation
	relationSelf
	xrefSuperseded
	xrefConversation
	xrefConversationNoIndex
	xrefDerived
	xrefBidirectional
	xrefExternal
	xrefMessage
	referenceEmpty

	integrityTotal
	integrityChecksum
	integrityUncanonicalizable
	integrityAbsent

	signatureRequires
	signatureEncoding
	signatureJWS
	signaturePadded
	signatureTime
	signatureKeyID
	signatureOwnerKey
	signaturePublicKey
	signatureInvalid
	signatureSelfAsserted
	signatureNotVerified
	didForm

	incrementalFields
	incrementalSince
	incrementalBase
	incrementalOlder

	dagUnknown
	dagDirection
	dagCycle
	messageOrder
	contentShape
	importMetadata

	embeddingDimensions
	embeddingEmpty
	embeddingMemoryUnique
	embeddingFileMissing
	xrefEmbedding
	xrefEmbeddingMemory
	embeddingMismatch

	bundleStoreMissing
	schemaVersionMismatch
	storageEscape
	storageMissing
	storageShared
	conversationExtra
	crossfileID
	crossfileTitle
	crossfilePlatform
	crossfileMessageCount
	crossfileCreatedAt
	crossfileUpdatedAt
	crossfileTags
	assetMissing
	assetDamaged
	conversationDamaged
	sumsDiffers
	sumsMissing
	sumsExtra
	sumsMalformed
	folderDiffers
	attachmentEscape
	attachmentMissing

	checks
)

var catalog = [checks]Check{
	jsonSyntax:        {"json-syntax", Error, Error, "The text is not JSON.", ""},
	jsonNonfinite:     {"json-nonfinite", Error, Error, "NaN or Infinity stands where JSON has no such number.", ""},
	jsonTruncated:     {"json-truncated", Error, Error, "The file ends before the document does.", ""},
	jsonDepth:         {"json-depth", Error, Error, "A value is nested deeper than the limit.", ""},
	jsonTrailing:      {"json-trailing", Error, Error, "Something stands behind the end of the document.", ""},
	jsonBOM:           {"json-bom", Warning, Error, "The file starts with a byte order mark, which JSON forbids.", ""},
	jsonUTF8:          {"json-utf8", Error, Error, "Text is not UTF-8.", "§15.2"},
	jsonLoneSurrogate: {"json-lone-surrogate", Error, Error, `A \u escape names half a surrogate pair, which is no character.`, "§15.2"},
	jsonDuplicateKey:  {"json-duplicate-key", Error, Error, "An object has a key twice; readers differ in which one they take.", "§15.2"},
	jsonNumberRange:   {"json-number-range", Error, Error, "A number is too large for a double.", "§15.2"},
	jsonBigInteger: {"json-big-integer", Info, Info, "An integer beyond ±(2^53-1) outside of the memories: kept as written here, rounded by many " +
		"other readers.", "§15.2"},
	elementTooBig:  {"element-too-big", Error, Error, "A memory, message or other element is longer than the limit and was not checked.", ""},
	fileTooBig:     {"file-too-big", Error, Error, "A file is longer than the limit and was not checked.", ""},
	fileUnreadable: {"file-unreadable", Error, Error, "A file of the bundle cannot be read.", ""},

	documentUnknown:    {"document-unknown", Error, Error, "The file is not a PAM document: its schema field is missing or unknown.", "§3.1"},
	schemaVersionMajor: {"schema-version-major", Error, Error, "The major version of the format is unknown here.", "§22.3"},
	schemaVersionMinor: {"schema-version-minor", Warning, Error, "The minor version is newer than this program; the document is checked as 1.0.", "§22.3"},
	schemaNewer: {"schema-newer", Warning, Error, "A document of a newer minor version has a field or value that 1.0 does not know.",
		"§22.3"},
	schemaRequired:     {"schema-required", Error, Error, "A required field is missing.", "§3, §4, §25"},
	schemaType:         {"schema-type", Error, Error, "A value has the wrong JSON type.", "§3, §4, §25"},
	schemaEnum:         {"schema-enum", Error, Error, "A value is not one of those that the format allows.", "§5, §7, §8, §9, §11.3, §13.2"},
	schemaPattern:      {"schema-pattern", Error, Error, "A text does not have the form that the format asks for.", "§3.2, §4.3, §11.4"},
	schemaUnknownField: {"schema-unknown-field", Error, Error, "An object has a field that the format does not know.", "§22"},
	schemaLength:       {"schema-length", Error, Error, "A text or array is empty or too short or too long.", "§4, §9.1"},
	schemaRange:        {"schema-range", Error, Error, "A number lies outside of its range.", "§8"},
	schemaUnique:       {"schema-unique", Error, Error, "An array has an item twice that may be there once.", "§4.3, §9.1"},
	customType:         {"custom-type", Error, Error, "custom_type is missing with type custom, or present with another type.", "§4.2, §5.1"},
	formatDateTime:     {"format-date-time", Error, Error, "A time is not an RFC 3339 date-time.", "§3.2"},
	formatDateOffset:   {"format-date-offset", Warning, Error, "A time has no offset; it is read as UTC.", "§3.2"},
	formatURI:          {"format-uri", Warning, Error, "A URI is relative or malformed.", "§3.2, §25"},

	contentHash:         {"content-hash", Error, Error, "content_hash is not the hash of content.", "§6"},
	contentBlank:        {"content-blank", Warning, Error, "The content of a memory is white space only.", "§4.1"},
	statusConsistency:   {"status-consistency", Warning, Warning, "status superseded and superseded_by are not given together.", "§7"},
	temporalOrder:       {"temporal-order", Error, Error, "A time lies before the one that it must follow.", "§4.1, §7"},
	temporalReinforced:  {"temporal-reinforced", Warning, Warning, "last_reinforced lies before created_at.", "§8"},
	notExportable:       {"not-exportable", Warning, Error, "A memory marked exportable: false is in the export.", "§21.1"},
	platformNaming:      {"platform-naming", Warning, Warning, "A platform is named after the company, not after the product.", "§11.4"},
	ownerUnknown:        {"owner-unknown", Warning, Error, "owner.id is a placeholder, so exports of different people look alike.", "§3.1"},
	supersessionSelf:    {"supersession-self", Error, Error, "A memory is superseded by itself.", "§7"},
	supersessionCycle:   {"supersession-cycle", Error, Error, "Memories supersede each other in a circle.", "§7"},
	lifecycleTransition: {"lifecycle-transition", Warning, Warning, "A status changed from the base in a way that the lifecycle does not have.", "§7.1"},
	checkSkipped:        {"check-skipped", Warning, Error, "A check was not made because a limit was reached.", ""},

	idUnique:                {"id-unique", Error, Error, "An id occurs twice among its kind.", "§4.1, §13.1, §14, §25"},
	xrefRelation:            {"xref-relation", Error, Error, "A relation names a memory that is not there.", "§13.1"},
	relationSelf:            {"relation-self", Warning, Warning, "A relation goes from a memory to itself.", "§13"},
	xrefSuperseded:          {"xref-superseded", Error, Error, "superseded_by names a memory that is not there.", "§7"},
	xrefConversation:        {"xref-conversation", Error, Error, "conversation_ref names a conversation that the index does not have.", "§14.1"},
	xrefConversationNoIndex: {"xref-conversation-no-index", Warning, Error, "conversation_ref is given, but there is no index at all.", "§14.1"},
	xrefDerived:             {"xref-derived", Error, Error, "derived_memories names a memory that is not there.", "§14.1"},
	xrefBidirectional:       {"xref-bidirectional", Error, Error, "conversation_ref and derived_memories do not agree.", "§14.1"},
	xrefExternal: {"xref-external", Warning, Warning, "An incremental export refers to something outside of it, in its base perhaps.",
		"§16"},
	xrefMessage:    {"xref-message", Warning, Error, "message_ref names a message that the conversation does not have.", "§11.2"},
	referenceEmpty: {"reference-empty", Warning, Error, "A reference is an empty text.", "§11.2, §12.1, §14, §25.3"},

	integrityTotal:    {"integrity-total", Error, Error, "total_memories is not the number of memories.", "§15.4"},
	integrityChecksum: {"integrity-checksum", Error, Error, "checksum is not that of the memories.", "§15.2"},
	integrityUncanonicalizable: {"integrity-uncanonicalizable", Error, Error, "A memory has no canonical form, so that no checksum can cover it.",
		"§15.1"},
	integrityAbsent: {"integrity-absent", Info, Info, "The store has no integrity block: damage cannot be noticed.", "§15"},

	signatureRequires: {"signature-requires", Error, Error, "A signed export lacks export_id, export_date or integrity.checksum.", "§18.3"},
	signatureEncoding: {"signature-encoding", Error, Error, "The value of the signature is not base64url of the right length.", "§18.3"},
	signatureJWS:      {"signature-jws", Error, Error, "The value of the signature is a JWS, which version 1.0 does not define.", "§18.1"},
	signaturePadded:   {"signature-padded", Warning, Error, "The value of the signature has padding, which not every reader takes.", "§18.3"},
	signatureTime:     {"signature-time", Error, Error, "signed_at lies before export_date.", "§18.5"},
	signatureKeyID:    {"signature-key-id", Warning, Warning, "key_id is not a DID URL of owner.did.", "§18.5"},
	signatureOwnerKey: {"signature-owner-key", Warning, Warning, "owner.did is a did:key, and of another key than public_key.", "§17.2"},
	signaturePublicKey: {"signature-public-key", Error, Error, "public_key cannot be read, is too weak, or is not of the kind that algorithm needs.",
		"§18.2"},
	signatureInvalid: {"signature-invalid", Error, Error, "The signature is not that of the store: something that it covers was changed, or another key made " +
		"it.", "§18.4"},
	signatureSelfAsserted: {"signature-self-asserted", Info, Info, "The signature is valid; that its key is the owner's must be known from elsewhere.", "§18.4"},
	signatureNotVerified:  {"signature-not-verified", Warning, Warning, "The signature could not be verified.", "§21.4"},
	didForm:               {"did-form", Error, Error, "owner.did is no DID, or a did:key that holds no key.", "§17.2"},

	incrementalFields: {"incremental-fields", Warning, Warning, "An incremental export lacks base_export_id or since.", "§16.2"},
	incrementalSince:  {"incremental-since", Warning, Warning, "An incremental export has a memory that did not change after since.", "§16.2"},
	incrementalBase:   {"incremental-base", Error, Error, "base_export_id is not the export_id of the given base.", "§16.3"},
	incrementalOlder:  {"incremental-older", Warning, Warning, "A memory of an incremental export is older than the one in the base that it replaces.", "§16.3"},

	dagUnknown:     {"dag-unknown", Error, Error, "A message names a parent or child that is not in the conversation.", "§25.3"},
	dagDirection:   {"dag-direction", Warning, Error, "parent_id and children_ids do not agree.", "§25.3"},
	dagCycle:       {"dag-cycle", Error, Error, "A message is its own ancestor.", "§25.3"},
	messageOrder:   {"message-order", Warning, Warning, "A conversation without links is not in the order of its times.", "§25.3"},
	contentShape:   {"content-shape", Warning, Error, "Content of type text has no text or has parts, or content of type multipart has no parts.", "§25.3"},
	importMetadata: {"import-metadata-absent", Info, Warning, "A conversation does not say what it was imported from.", "§25.3"},

	embeddingDimensions:   {"embedding-dimensions", Error, Error, "The vector does not have as many numbers as dimensions says.", "§12.3"},
	embeddingEmpty:        {"embedding-empty", Warning, Error, "An embedding has neither a vector nor a place where it is stored.", "§12.3"},
	embeddingMemoryUnique: {"embedding-memory-unique", Error, Error, "A memory has two embeddings.", "§12.1"},
	embeddingFileMissing:  {"embedding-file-missing", Warning, Error, "embedding_ref is given, but the bundle has no embeddings.json.", "§12.1"},
	xrefEmbedding:         {"xref-embedding", Error, Error, "embedding_ref names an embedding that is not there.", "§12.3"},
	xrefEmbeddingMemory:   {"xref-embedding-memory", Error, Error, "An embedding belongs to a memory that is not there.", "§12.3"},
	embeddingMismatch:     {"embedding-mismatch", Error, Error, "embedding_ref names the embedding of another memory.", "§12.3"},

	bundleStoreMissing:    {"bundle-store-missing", Error, Error, "The folder or zip has no memory-store.json.", "§2"},
	schemaVersionMismatch: {"schema-version-mismatch", Error, Error, "A companion file has another schema_version than the store.", "§2"},
	storageEscape:         {"storage-escape", Error, Error, "storage.ref leads out of the bundle.", "§14.2"},
	storageMissing:        {"storage-missing", Error, Error, "storage.ref names a file that the bundle does not have.", "§14.2"},
	storageShared:         {"storage-shared", Error, Error, "Two index entries name the same file.", "§14.2"},
	conversationExtra:     {"conversation-extra", Warning, Error, "The bundle has a conversation file that the index does not name.", "§2"},
	crossfileID:           {"crossfile-id", Error, Error, "A conversation file has another id than its index entry.", "§14.2"},
	crossfileTitle:        {"crossfile-title", Error, Error, "A conversation file has another title than its index entry.", "§14"},
	crossfilePlatform:     {"crossfile-platform", Error, Error, "A conversation file has another provider.name than the platform of its index entry.", "§11.4"},
	crossfileMessageCount: {"crossfile-message-count", Error, Error, "message_count is not the number of messages in the file.", "§14"},
	crossfileCreatedAt:    {"crossfile-created-at", Warning, Error, "A conversation file has another created_at than its index entry.", "§14"},
	crossfileUpdatedAt:    {"crossfile-updated-at", Warning, Error, "A conversation file has another updated_at than its index entry.", "§14"},
	crossfileTags:         {"crossfile-tags", Warning, Error, "A conversation file has other tags than its index entry.", "§14"},
	assetMissing:          {"asset-missing", Warning, Error, "A message names a file below assets/ that the bundle does not have.", ""},
	assetDamaged:          {"asset-damaged", Error, Error, "A file below assets/ is named after a digest that is not its own.", ""},
	conversationDamaged:   {"conversation-damaged", Error, Error, "A conversation file is named after a digest that is not its own.", ""},
	sumsDiffers:           {"sums-differs", Error, Error, "A file is not the one that SHA256SUMS names: it was changed or damaged.", ""},
	sumsMissing:           {"sums-missing", Error, Error, "SHA256SUMS names a file that the bundle does not have.", ""},
	sumsExtra:             {"sums-extra", Warning, Error, "SHA256SUMS does not name a file of the bundle.", ""},
	sumsMalformed:         {"sums-malformed", Error, Error, "SHA256SUMS is no list of digests as pamline writes it.", ""},
	folderDiffers:         {"folder-differs", Error, Error, "A file of the folder of an owner is not what the head of the owner names, or is missing.", ""},
	attachmentEscape:      {"attachment-escape", Warning, Error, "The ref of an attachment or part leads out of the bundle.", "§25.3"},
	attachmentMissing:     {"attachment-missing", Warning, Warning, "The ref of an attachment or part looks like a path, and there is no such file.", "§25.3"},
}

func (c check) severity(strict bool) Severity {
	if strict {
		return catalog[c].Strict
	}
	return catalog[c].Severity
}
