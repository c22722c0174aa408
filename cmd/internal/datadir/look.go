package datadir

// Look is the folder for a command that only reads: nothing is made or locked in it, and it need be
// neither writable nor one's own. An empty path is [Default]. Whether it is there is for who reads
// it to find out.
func Look(path string) (*Dir, error) {
	path, err := Find(path)
	if err != nil {
		return nil, err
	}
	return &Dir{path: path}, nil
}
