// Package validate checks PAM documents: a memory store, a conversation file, an embeddings file,
// or a bundle of them in a folder or a zip.
//
//	target, closer, err := validate.Open("pam-out")
//	defer closer.Close()
//	report, err := validate.Run(ctx, target, validate.Options{OnFinding: func(f validate.Finding) { fmt.Println(f) }})
//	os.Exit(report.Verdict().Exit())
//
// Findings are handed over as they are found. Each has a stable id out of one table, [Catalog],
// which says how grave it is and what it means; the table is the contract, messages are not. A
// document that is broken in one place is checked in all others: a bad memory spoils no neighbour.
// Nothing that is read can make the package fail or stop; what it cannot check it says.
//
// # What is compared with what
//
// Every document is seen as text before anything decodes it (duplicate keys, lone surrogates, NaN,
// integers that no double holds), then held against the schema that its "schema" field names, then
// against the rules that a schema cannot express. Hashes and the checksum are computed over the
// JSON as it is written: null is not absence, and no default is added. A store that another tool
// rewrote with defaults or other time forms therefore has another checksum than one that was not
// touched.
//
// A store alone is checked for itself. In a bundle its conversation files and embeddings are
// opened, too, and compared with the index. An incremental export refers to things in its base:
// without Options.Base those references are warnings, with it the two are checked as the store that
// they make together.
//
// Signatures are verified with package signature, under the key that stands in the document:
// "signature-invalid" is an error, a valid one the note "signature-self-asserted", because only the
// reader can know whose key it is. The official example of the specification has an invented value,
// 69 characters that no bytes encode to, and so is not valid here: "signature-encoding".
//
// # Memory
//
// Documents are streams. Elements of a store are examined in batches of about 256 KiB, as many at a
// time as there are processors and three more; an element beyond a MiB is held alone
// (Options.MaxElement). Findings come in the order of the document however many there are. Facts
// that must meet –
// ids and what refers to them – are joined through sorted scratch files beyond Options.Budget. Of
// one conversation the message ids and links are held, which Options.MaxConversation bounds;
// supersession chains are followed in memory up to Options.MaxChains links.
package validate
