package state

// VectorsKey is where the vectors of a shard's candidates lie. The name holds the model's, so that vectors of another one
// are asked for.
func VectorsKey(owner, id, shard, identity string) string {
	return ImportKey(owner, id, "vectors/"+shard+"."+Digest(identity)[:16]+".jsonl.zst")
}
