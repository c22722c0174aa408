package state

// ExtractTask asks for one shard of an import to be extracted.
type ExtractTask struct {
	V      int    `json:"v"`
	Owner  string `json:"owner"`
	Drop   string `json:"drop"`
	Import string `json:"import"`
	Pack   int    `json:"pack"`
	Shard  string `json:"shard"`
	// Extractors are the versions the shard's id was made with, Importers those that the import was read with.
	Extractors []string `json:"extractors"`
	Importers  []string `json:"importers,omitempty"`
	Lane       string   `json:"lane"`
	// Ask names the request that the import comes from (Request.ask). When that is not open any more, and no other wants the
	// import, the message is an old one.
	Ask string `json:"ask,omitempty"`
}

// Check tells what is wrong with a task.
func (t ExtractTask) Check() error {
	return FirstError(CheckVersion(t.V), CheckOwner(t.Owner), CheckHex("drop", t.Drop), CheckHex("import", t.Import),
		CheckHex("shard", t.Shard), CheckLane(t.Lane))
}

// Subject is that of the task's message.
func (t ExtractTask) Subject() string {
	return "pam.extract." + t.Lane + "." + t.Owner + "." + t.Import + "." + t.Shard
}
