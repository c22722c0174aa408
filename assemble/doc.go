// Package assemble computes a store from everything that imports left behind: conversations from
// their snapshots, memories from their candidates, relations between them, and the conversation
// index that joins them (PAM §4, §13, §14, §25).
//
// [Assemble] is a pure function. It knows no storage: an [Input] gives it snapshots, documents,
// candidates, the person's edits, vectors and the fold index of the current head, an [Output] takes
// the conversation files that are new, and the [Result] holds the sections of the store as spooled
// files. The bytes of all of them depend on the set of inputs alone: not on the order in which they
// come, on repetitions, on the number of workers, nor on what the head holds. The head's fold index
// only saves reading and writing what has not changed.
//
// Nothing grows with the input: everything that must be ordered or joined goes through [extsort],
// and what is to be found about single memories is met with them by sorting, too. In a bucket of
// look-alikes each memory is compared with the first and the one before it only, so that no number
// of them makes the work quadratic.
//
// # From candidates to memories
//
// A memory is a type and the hash of a content (PAM §6). Neither ever changes; candidates of one
// are its evidence, of which the earliest gives it its text and provenance. In each step below, a
// time is that of an observation: of the message in which it was said, of the record that holds it,
// or of the edit. A time that is not known is older than all others and wins nothing; that of an
// archive, which a record without a time has, is older than all at which something was said. What
// is done by hand comes right after what was said at the same time.
//
//  1. Memories that say the same form a component: those that tell the same value of the same
//     attribute with the same polarity, whatever their types; and those of one type, polarity and
//     language (an unknown one may be any) whose contents are near-duplicates: the Jaccard of their
//     three-letter pieces is at least .9, or the cosine of their vectors at least .92, and they
//     have the same numbers, negations and names, and no different values of one attribute.
//     Components are connected: of three where the second is near the first and the third near the
//     second, all three belong together.
//  2. The memory with the earliest evidence, then that with the smallest id, stands for its
//     component; one that the person replaced by another comes last. The others are archived as
//     duplicates and support it. It carries all their evidence (the first 20 pieces are listed),
//     tags and platforms, and the confidence 1-Π(1-p) over the distinct kinds of evidence, at most
//     .99: rules, models, and what each provider keeps. Everything below is decided about
//     components.
//  3. What the person did by hand last counts: a retracted memory stays so until something newer
//     speaks for it, an archived one until another edit, a replaced one is superseded by the new
//     one until something newer speaks for it. Confirming and adding are observations like any
//     other, and leave no doubt. What was taken away by hand supersedes nothing.
//  4. Without evidence but in results that were replaced, a memory is archived and stands in no
//     relation to others.
//  5. What the person took back ([normalize.ActRetract]) is retracted, if nothing newer speaks for
//     it: the components with that value of that attribute and that polarity, or all of the
//     attribute when no value is named, the memory of that type and content, and what is named by
//     an [normalize.Ending]. Those that hold and that a candidate ends are superseded by it, but
//     for events: what was said before it, or at the same time when a value or a name is named.
//  6. Attributes with one value at a time form a chain by the latest observation: an older value is
//     superseded by the next newer one. Values of one time contradict each other. A value that has
//     all words of another and more is no other value but extends it; both have one place in the
//     chain, as new as the newer of them.
//  7. Of a value and its denial the later one supersedes the other; at one time they contradict
//     each other. What is more likely wrong than right (11) has no part in 6, 7 and 8, and ends
//     nothing.
//  8. Other attributes have any number of values. One that has all words of another extends the
//     longest such one of its type and polarity.
//  9. What stands in nothing but lists of a provider, of none of which the newest one has it, is
//     deprecated.
//  10. What was to hold until a time that the owner's data has passed is archived.
//  11. What is more likely wrong than right, with a confidence below .5, is archived until other
//     evidence agrees.
//
// Each rule holds where none before it (from 3 on) has decided. A derived memory is related to
// those it was derived from, if they are in the store.
//
// # Statuses that come back
//
// PAM §7.1 knows no way back to active. A store that is a function of its inputs needs one: newer
// evidence, an edit, or a replay of a drop can take away the reason for which a memory was
// superseded, deprecated, retracted or archived, and then it is active again. When new evidence is
// the cause, updated_at is later than it was before, as §16.3 asks of an undone retraction.
package assemble
