// Package gate keeps out of memories what must not be in them, whoever found it: secrets, numbers
// that payments are made or persons are registered with, orders that are aimed at an assistant that
// reads the memory later, and what is over tomorrow.
//
// Values are known by their form, never by words alone: that somebody lost a password is a memory,
// the password is not. Phrases are data (tables/*.txt, described in tables/README.md), a file for
// each language.
//
//	Screen   what of a text may be kept: everything, everything but the values, or nothing
//	Reason   the same as a yes or no: "" for a text with nothing to take out
//	Check    all that a candidate has to pass, its evidence included
//
// The reasons are codes of a report:
//
//	secret              a key, a token, a password, a PIN, a one-time code, a private key, the words of a wallet
//	payment             the number of a card with its code, or of a bank account
//	identity            a number that a state registers a person under: passport, tax, social security
//	injection           overrides the instructions of who reads it, plays the part of another role, sends data away, or hides text
//	no-evidence         nobody said it: no quote of a message, no pointer to a record
//	momentary           over within a day: a feeling, an errand, a thing that is wanted for this talk
//	one-off             an instruction for one answer only
//	unsafe-instruction  an instruction with an address, a command or a condition on tools, users or data, or one that garbles or advertises
//	length              shorter than a statement or longer than one
//	characters          control characters, or bytes that are no text
//
// E-mail addresses, telephone numbers and postal addresses of the person pass: they are facts like
// others.
package gate

// Reasons for which a text or a candidate is held back. The package comment says what each is for.
const (
	Secret            = "secret"
	Payment           = "payment"
	Identity          = "identity"
	Injection         = "injection"
	NoEvidence        = "no-evidence"
	Momentary         = "momentary"
	OneOff            = "one-off"
	UnsafeInstruction = "unsafe-instruction"
	Length            = "length"
	Characters        = "characters"
)
