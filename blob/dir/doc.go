// Package dir keeps objects as files under a root folder: key a/b is the file a/b, so that what the
// store holds can be looked at, copied and backed up with ordinary tools.
//
// # Durability
//
// Put writes a scratch file, syncs it, gives it its name (a hard link for IfAbsent, a rename
// otherwise) and syncs the folder, with those of its parents whose names it has not made durable
// before; only then does it return. A power cut at any
// moment leaves the old object or the new one. A condition that failed has synced the folder of
// what it saw, so that a caller may rely on it as on its own write. PutAbsent does the same for
// many objects, the files in parallel and each folder once.
//
// # Tags
//
// The ETag is made of inode, modification time and size: Head costs one stat, however big the
// object. Clocks of file systems tick in milliseconds and inode numbers are used again at once, so
// that the three alone could repeat within a tick; therefore every file gets its modification time
// from a counter in the root, a microsecond apart at least and never given twice, on whatever
// process. A file that somebody else put under the root has the tag that its own time gives. A
// program that edits a file in place within one tick of the clock, keeping its size, goes unseen.
//
// # Beside other processes
//
// Several processes may use one root: conditional writes hold a lock per key (flock, on 256 lock
// files), and a process's scratch files lie in a slot that is locked for its lifetime. Open empties
// slots whose process is gone. NFS mounts without locks are refused by Open, and so is a file
// system that cannot link or keeps times to the second only.
//
// A store keeps the folders it used last open. One that was removed and made again is noticed; one
// that somebody moves away goes on being used where it lies then. Close the stores of a root before
// its folders are moved or restored from a backup.
//
// OpenReadOnly takes neither a lock nor a slot and writes nothing: it may look into a root that
// others work in, and into one that it may not write to.
//
// # What is not an object
//
// Symbolic links, devices and names that are no valid keys are not listed. A path that leaves the
// root through a link is refused. Everything of the store's own lies in the folder .pamline of the
// root. On a file system that folds case or Unicode forms, keys that differ only so are one object:
// the last write wins, IfAbsent refuses.
//
// A folder and an object cannot share a name: with a/b there, a is refused, and the other way
// round.
package dir
