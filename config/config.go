// Package config is pamline's settings: one struct, whose field tags carry the default, the unit
// and the explanation of each setting. Reading, checking, printing and the reference page
// (docs/configuration.md) all come from that one declaration.
//
// A setting is named by the path of its keys, for example limits.max_conversation. It is taken
// from, in rising order: its default, the configuration file (YAML), the environment
// (PAMLINE_LIMITS__MAX_CONVERSATION) and the command line (--set limits.max_conversation=8MB, or
// the flag of its own that a command has). A key that does not exist is an error wherever it
// stands, with the nearest one that does.
package config

import "time"

// Config is every setting. Build it with [Load] or [Default]: the zero value has no defaults.
type Config struct {
	Data       string     `koanf:"data" doc:"Folder for state and store. Empty: the user data folder of the operating system. One process at a time uses it."`
	Workers    int        `koanf:"workers" default:"0" doc:"How many units are worked on at the same time. 0: one for each processor."`
	Memory     Size       `koanf:"memory" default:"0B" doc:"What the process aims to keep its memory below. 0: 85 % of what the kernel allows it (control group), else what a conversation of limits.max_conversation needs. GOMEMLIMIT in the environment goes before it."`
	Owner      Owner      `koanf:"owner" doc:"Whose memories these are. Text in the place of the section is owner.id."`
	Store      Store      `koanf:"store" doc:"Where objects are kept: drops, snapshots, exports and heads."`
	NATS       NATS       `koanf:"nats" doc:"The message server that joins the stages."`
	Limits     Limits     `koanf:"limits" doc:"What a drop and its parts may take. Passing a limit is a located error on that unit; its neighbours go on."`
	Extract    Extract    `koanf:"extract" doc:"How memories are found in conversations and records."`
	Sign       Sign       `koanf:"sign" doc:"Keys that sign what is published (docs/signatures.md). Without a key nothing is signed."`
	Publish    Publish    `koanf:"publish" doc:"What is published beside the PAM store."`
	LLM        LLM        `koanf:"llm" doc:"The model that the extractor llm asks. It is asked only when llm is among the extractors."`
	Embeddings Embeddings `koanf:"embeddings" doc:"The model that makes vectors of memories. Without a model there are none."`
	Retry      Retry      `koanf:"retry" doc:"What happens when a unit of work goes wrong."`
	Scrub      Scrub      `koanf:"scrub" doc:"The service reads its whole store again and again to find damage before anybody needs what is damaged (docs/damage.md)."`
	Encryption Encryption `koanf:"encryption" doc:"Encryption of the store at rest (docs/encryption.md). Each owner has a data key; the master key that wraps them is kept outside the store."`
	Prune      Prune      `koanf:"prune" doc:"What is kept of earlier exports. The service removes the rest, and so does pamline prune (docs/privacy.md)."`
	Breaker    Breaker    `koanf:"breaker" doc:"When units of one owner fail one after the other, the rest of them waits."`
	Drop       Drop       `koanf:"drop" doc:"Where archives are put: a folder that pamline up watches, and the inbox of the store."`
	HTTP       HTTP       `koanf:"http" doc:"The endpoint for health, readiness, metrics and the read-only API."`
	Trace      Trace      `koanf:"trace" doc:"Traces of the work across the queues, by OpenTelemetry."`
	TLS        TLS        `koanf:"tls" doc:"Connections without TLS. To hosts other than this machine they are refused."`
	Log        Log        `koanf:"log" doc:"Messages on standard error. They hold no personal text and no secrets."`
}

// Owner is the person whose memories these are.
type Owner struct {
	ID           string `koanf:"id" doc:"The id: a to z, 0 to 9, _ and -, at most 63, a letter or digit first. Empty: an id made once for the data folder."`
	DID          string `koanf:"did" doc:"DID that published stores name for this owner (PAM §17), for example did:web:example.org. Other owners get none."`
	CreatedAt    string `koanf:"created_at" doc:"When the owner's identity was made, as published stores say: a time such as 2024-05-01T00:00:00Z."`
	TypeRegistry string `koanf:"type_registry" doc:"URI of the registry of custom types that published stores name (PAM §19), for all owners."`
}

// Store says where objects are kept.
type Store struct {
	Kind string `koanf:"kind" default:"dir" oneof:"dir s3" doc:"dir: a folder of this machine; s3: a bucket."`
	Dir  Dir    `koanf:"dir" doc:"Used when store.kind is dir."`
	S3   S3     `koanf:"s3" doc:"Used when store.kind is s3. Without a key pair the usual AWS chain is asked: environment, shared files, instance role."`
}

// Dir is storage in a folder.
type Dir struct {
	Path string `koanf:"path" doc:"The folder. Empty: the folder store in the data folder."`
}

// S3 is storage in a bucket.
type S3 struct {
	Bucket              string `koanf:"bucket" doc:"Name of the bucket. It must exist."`
	Prefix              string `koanf:"prefix" doc:"Folder in the bucket that everything lies in, for example pamline. Empty: the bucket's root."`
	Endpoint            string `koanf:"endpoint" doc:"Address of an S3 server other than AWS, for example https://s3.example.net."`
	Region              string `koanf:"region" doc:"Region of the bucket. Empty: what the AWS environment says, else us-east-1 for an endpoint of its own."`
	PathStyle           bool   `koanf:"path_style" default:"false" doc:"Put the bucket into the path instead of the host name. Most servers other than AWS need it."`
	Checksums           string `koanf:"checksums" default:"auto" oneof:"auto when_supported when_required" doc:"When checksums go along with requests. auto: when_required for an endpoint of its own, else when_supported."`
	AccessKeyID         string `koanf:"access_key_id" doc:"Key id of a fixed key pair."`
	SecretAccessKey     Secret `koanf:"secret_access_key" doc:"Secret of the key pair. Better: secret_access_key_file."`
	SecretAccessKeyFile string `koanf:"secret_access_key_file" file:"read" doc:"File that holds the secret of the key pair; a line end after it is dropped."`
	SessionToken        Secret `koanf:"session_token" doc:"Session token of temporary credentials. Better: session_token_file."`
	SessionTokenFile    string `koanf:"session_token_file" file:"read" doc:"File that holds the session token; a line end after it is dropped."`
	SSE                 string `koanf:"sse" oneof:"AES256 aws:kms" doc:"Encryption at rest asked for with every write. Empty: the bucket's own default."`
	SSEKMSKeyID         string `koanf:"sse_kms_key_id" doc:"Key for aws:kms. Empty: the account's default key."`
	CAFile              string `koanf:"ca_file" file:"read" doc:"PEM file with certificates to trust besides the system's."`
}

// NATS is the connection to the message server.
type NATS struct {
	URL       string `koanf:"url" doc:"Servers, separated by commas, for example tls://nats.example.net:4222. Empty: a server inside this process. A URL must not hold a password."`
	CredsFile string `koanf:"creds_file" file:"read" doc:"Credentials file (JWT and seed)."`
	NKeyFile  string `koanf:"nkey_file" file:"read" doc:"File with an nkey seed."`
	CAFile    string `koanf:"ca_file" file:"read" doc:"PEM file with certificates to trust besides the system's."`
	CertFile  string `koanf:"cert_file" file:"read" doc:"PEM file with the client certificate."`
	KeyFile   string `koanf:"key_file" file:"read" doc:"PEM file with the key of the client certificate."`

	Provision string        `koanf:"provision" default:"create" oneof:"create verify" doc:"create: make the streams that are missing; verify: somebody else makes them, and a missing one is an error. A stream that differs in what pamline relies on is refused either way."`
	Replicas  int           `koanf:"replicas" default:"0" min:"0" unit:"servers" doc:"Copies of each stream that is made: 3 on a cluster of three. 0: as those there are, else 1."`
	AckWait   time.Duration `koanf:"ack_wait" default:"1m" min:"1s" doc:"How long a worker may be silent about a unit before another one gets it. It sends a sign of life every third of that. The same for all workers of a cluster."`
	Drain     time.Duration `koanf:"drain" default:"20s" min:"0s" doc:"How long a worker that is told to stop goes on with the units in hand, before it gives them back for another worker to take. A second signal ends it at once."`
}

// Limits bound what a drop and its parts may take.
type Limits struct {
	MaxConversation Size `koanf:"max_conversation" default:"128MiB" min:"1KiB" doc:"Largest source of one conversation. Peak memory grows with it."`
	MaxDepth        int  `koanf:"max_depth" default:"512" min:"16" unit:"levels" doc:"Deepest nesting of JSON values."`
	AnySignature    bool `koanf:"any_signature" default:"false" doc:"Import PAM stores whose signature is invalid, too. The receipt says so."`
	MaxMembers      int  `koanf:"max_members" default:"1000000" min:"1" unit:"files" doc:"Most files in one archive, those in archives inside it included."`
	MaxMemberSize   Size `koanf:"max_member_size" default:"64GiB" min:"1KiB" doc:"Largest file in an archive, unpacked."`
	MaxTotal        Size `koanf:"max_total" default:"1TiB" min:"1KiB" doc:"Most bytes that one drop may unpack to."`
	MaxRatio        int  `koanf:"max_ratio" default:"1000" min:"2" unit:"unpacked bytes for each packed one" doc:"Strongest compression of a file that unpacks to more than 100 MiB, and of an archive that unpacks to more than 1 GiB in all."`
	MaxNesting      int  `koanf:"max_nesting" default:"2" min:"0" unit:"levels" doc:"How deep archives inside archives are opened."`
	MaxScratch      Size `koanf:"max_scratch" default:"64GiB" min:"1MiB" doc:"Most scratch space on disk that one drop may take."`
	MaxAsset        Size `koanf:"max_asset" default:"2GiB" min:"1B" doc:"Largest file that is copied into the bundle: an image, a recording, a document. Messages that name a larger one are kept without it."`
	ShardBytes      Size `koanf:"shard_bytes" default:"8MB" min:"1KiB" doc:"Source bytes after which a shard is closed."`
	ShardItems      int  `koanf:"shard_items" default:"500" min:"1" unit:"items" doc:"Items after which a shard is closed."`
	OwnerSmall      int  `koanf:"owner_small" default:"8" min:"1" unit:"imports" doc:"Most imports of one owner that wait in the lane of small drops; further ones go into the lane of the large ones, so that nobody stands before everyone."`
	Sidecar         Size `koanf:"sidecar" default:"64MiB" min:"1KiB" doc:"Largest file that describes conversations without being one (user.json, feedback, file names)."`
}

// Sign names the keys that sign stores.
type Sign struct {
	KeyFile string `koanf:"key_file" file:"read" doc:"Private key of the operator, as pamline keygen writes it: PEM or JSON Web Key. It signs the stores of all owners that have no key of their own."`
	KeysDir string `koanf:"keys_dir" doc:"Folder with a private key for each owner, called <owner>.key. Keys are read when something is published, so a new one counts at once."`
}

// Publish says what is published beside the PAM store.
type Publish struct {
	Formats string `koanf:"formats" doc:"Formats in which each store is published, too, separated by commas: mem (Portable Memory, owners/<owner>/memories.mem.zip) and mif (Memory Interchange Format 1.0, memories.mif.json). Each is written again with each export, from the whole store. The files are those of pamline convert; what is not exportable is left out of them. A change of the setting counts from the next export on."`
}

// Extract says how memories are found.
type Extract struct {
	Extractors string `koanf:"extractors" default:"harvest,rules" doc:"Which extractors are asked, by name or version, separated by commas: harvest takes the memories that a provider keeps, rules reads the person's own words, llm asks a model."`
}

// LLM is the model that the extractor llm asks.
type LLM struct {
	API         string        `koanf:"api" default:"openai" oneof:"openai anthropic ollama" doc:"The wire format: that of OpenAI, which most servers have, that of Anthropic, or Ollama's own. Ollama also has that of OpenAI, where it cuts long questions without a word; with its own, each request sets the context."`
	URL         string        `koanf:"url" doc:"Address of the API, for example https://api.openai.com/v1 or http://127.0.0.1:11434/v1. Empty: that of the maker of the wire format."`
	Model       string        `koanf:"model" doc:"Name of the model. Empty: there is no extractor llm."`
	Key         Secret        `koanf:"key" doc:"Key for the API. Better: key_file. A server of your own may need none."`
	KeyFile     string        `koanf:"key_file" file:"read" doc:"File that holds the key; a line end after it is dropped."`
	Batch       bool          `koanf:"batch" default:"false" doc:"Use the batch API: about half the price, and an answer within a day instead of seconds."`
	Timeout     time.Duration `koanf:"timeout" default:"2m" min:"1s" doc:"Longest wait for one answer."`
	Attempts    int           `koanf:"attempts" default:"4" min:"1" unit:"attempts" doc:"How often one request is sent before it counts as failed. Waits that the server asks for are kept."`
	Parallel    int           `koanf:"parallel" default:"4" min:"1" unit:"requests" doc:"Most requests at the same time from one process."`
	MaxOutput   int           `koanf:"max_output" default:"4096" min:"256" unit:"tokens" doc:"Longest answer to one request. The thoughts of a model that thinks count."`
	Context     int           `koanf:"context" default:"0" min:"0" unit:"tokens" doc:"Context of the server: what it reads and writes in one request. Questions are made to fit, and an answer has a quarter of it at most. 0: the server has room for every question, about 13,000 tokens."`
	Effort      string        `koanf:"reasoning_effort" oneof:"none minimal low medium high" doc:"How long a model that thinks may think before it answers. Empty: its own way. Not with the API of Anthropic."`
	ExtraBody   string        `koanf:"extra_body" doc:"JSON object whose fields are merged into each request; null takes a field out. For what only one server knows, for example {\"chat_template_kwargs\":{\"enable_thinking\":false}}."`
	PriceInput  float64       `koanf:"price_input" default:"0" min:"0" unit:"US dollars for a million tokens" doc:"Price of what is sent. Needed for llm.max_usd and for estimates in money."`
	PriceOutput float64       `koanf:"price_output" default:"0" min:"0" unit:"US dollars for a million tokens" doc:"Price of what is answered."`
	MaxUSD      float64       `koanf:"max_usd" default:"0" min:"0" unit:"US dollars" doc:"Most that one import may cost; then the rest of it fails and can be done later under a higher one. 0: no limit."`
	MaxTokens   int           `koanf:"max_tokens" default:"0" min:"0" unit:"tokens" doc:"Most tokens that one import may take, sent and answered. 0: no limit."`
}

// Embeddings is the model that makes vectors.
type Embeddings struct {
	URL        string        `koanf:"url" doc:"Address of an API with the wire format of OpenAI, for example http://127.0.0.1:11434/v1. Empty: https://api.openai.com/v1."`
	Model      string        `koanf:"model" doc:"Name of the model. Empty: no vectors are made."`
	Key        Secret        `koanf:"key" doc:"Key for the API. Better: key_file."`
	KeyFile    string        `koanf:"key_file" file:"read" doc:"File that holds the key; a line end after it is dropped."`
	Dimensions int           `koanf:"dimensions" default:"0" min:"0" unit:"numbers" doc:"Length of a vector, for models that can shorten theirs. 0: the model's own."`
	Batch      int           `koanf:"batch" default:"100" min:"1" unit:"texts" doc:"Most texts in one request."`
	Timeout    time.Duration `koanf:"timeout" default:"1m" min:"1s" doc:"Longest wait for one answer."`
	Attempts   int           `koanf:"attempts" default:"4" min:"1" unit:"attempts" doc:"How often one request is sent before it counts as failed."`
}

// Retry says what happens when a unit of work goes wrong.
type Retry struct {
	Attempts   int           `koanf:"attempts" default:"5" min:"1" unit:"attempts" doc:"Failures of one task after which it becomes a dead letter. Outages of storage or queue do not count."`
	FirstDelay time.Duration `koanf:"first_delay" default:"500ms" min:"1ms" doc:"Wait before the second attempt. It doubles from one attempt to the next, with jitter."`
	MaxDelay   time.Duration `koanf:"max_delay" default:"1m" min:"1ms" doc:"Longest wait between two attempts."`
}

// Scrub says how the store is checked for damage.
type Scrub struct {
	Every time.Duration `koanf:"every" default:"168h" min:"0s" doc:"Pause between two passes over the store. One process of a cluster makes them. 0: there are none."`
	Rate  Size          `koanf:"rate" default:"4MB" min:"64KB" doc:"How much is read in a second, at most. Each object counts 32 KB beside its own size."`
}

// Encryption says whether new stores are encrypted, and where the master key is.
type Encryption struct {
	New        string `koanf:"new" oneof:"auto true false" default:"auto" doc:"Encrypt stores that are new: true, false, or auto, which encrypts a new data folder always, and a new bucket if key_file or key_command names its key. A store that has something stays as it is until pamline key convert, and an encrypted one is used whatever this says."`
	KeyFile    string `koanf:"key_file" doc:"File of the master key, readable by its user only (mode 0600), outside of the data folder. Empty: pamline/master.key in the user's configuration folder. The first new data folder makes it if it is not there."`
	KeyCommand string `koanf:"key_command" doc:"Command that prints the text of a key file, in place of key_file: of a password manager or a key service. It is split at spaces and run without a shell."`
}

// BeginsEncrypted tells whether a new store is to be encrypted. own: it is the data folder of this
// process, so that a key can be made for it.
func (e Encryption) BeginsEncrypted(own bool) bool {
	return e.New == "true" || e.New == "auto" && (own || e.KeyFile != "" || e.KeyCommand != "")
}

// Prune says what is kept of earlier exports.
type Prune struct {
	Every     time.Duration `koanf:"every" default:"1h" min:"0s" doc:"Pause between two passes of the service over the store. One process of a cluster makes them. Between them, whoever publishes removes what it has replaced itself: a service after every second export of an owner, a command like import at its end. 0: nothing is removed but by pamline prune."`
	Exports   int           `koanf:"exports" default:"1" min:"1" unit:"exports" doc:"How many exports of an owner are kept, the current one included, with the conversation files that they name."`
	For       time.Duration `koanf:"for" default:"0s" min:"0s" doc:"How long a replaced export is kept beyond that number."`
	Originals bool          `koanf:"originals" default:"true" doc:"Whether the archives that were copied into the inbox are kept after they were imported. Without them a drop cannot be read again (pamline replay), and damage of its import cannot be repaired. Archives that people put into the inbox of a bucket themselves stay."`
	Grace     time.Duration `koanf:"grace" default:"10m" min:"0s" doc:"How long the service keeps the newest replaced export for whoever is reading it. pamline prune and commands do not wait for that."`
}

// Breaker says when the work of one owner on one stage is held up.
type Breaker struct {
	Failures int           `koanf:"failures" default:"5" min:"1" unit:"failures" doc:"Failures of units in a row, of one stage, owner and importer, after which the rest of them waits. What is wrong with an archive itself does not count."`
	Pause    time.Duration `koanf:"pause" default:"30s" min:"1ms" doc:"How long they wait before one is tried. It doubles as long as that one fails, up to thirty-two times."`
}

// Drop is where archives are put.
type Drop struct {
	Folder string        `koanf:"folder" doc:"The folder. Archives put into it, or into a folder in it named by an owner, are imported. Empty: inbox in the data folder."`
	Settle time.Duration `koanf:"settle" default:"3s" min:"0s" doc:"A file is taken when its size and time have not changed for so long."`
	Events string        `koanf:"events" default:"pam.events" doc:"Subject that the bucket's notifications are published to. The stream PAM_EVENTS keeps them until a worker has seen to them."`
	Scan   time.Duration `koanf:"scan" default:"1m" min:"1s" doc:"How often the whole inbox of the store is listed for what no event told of. One process of a cluster does it."`
	Quiet  time.Duration `koanf:"quiet" default:"2m" min:"0s" doc:"A folder in the inbox without the object _COMPLETE is a complete drop when nothing in it has changed for so long."`
	Parts  int           `koanf:"parts" default:"10000" min:"1" unit:"files" doc:"Most files in a folder of the inbox that is one drop."`
}

// DefaultHTTPAddr is the default of http.addr.
const DefaultHTTPAddr = "127.0.0.1:8750"

// HTTP is the endpoint of a running service.
type HTTP struct {
	Addr      string `koanf:"addr" default:"127.0.0.1:8750" doc:"Address and port to listen on. If the default port is in use, another free port is chosen. Port 0: any free port. The address in use is in the data folder. Health, readiness and metrics need no token: keep the address on loopback, or in a network of your own."`
	Hosts     string `koanf:"hosts" doc:"Names, separated by commas, that requests for the web page may carry as Host, beside localhost and loopback addresses. For a proxy on this machine that serves the page under a name, for example memories.example.net; it must keep the Host header, and let in only who may see the store."`
	API       bool   `koanf:"api" default:"false" doc:"Answer questions about imports, of all owners, also when listening beyond loopback; that needs http.token_file. Health, readiness and metrics are answered anyway."`
	Token     Secret `koanf:"token" doc:"Token that who asks about imports has to send, as Authorization: Bearer. Better: token_file. Empty: none is wanted, and only loopback is answered."`
	TokenFile string `koanf:"token_file" file:"read" doc:"File that holds the token; a line end after it is dropped."`
}

// Trace says where traces go.
type Trace struct {
	Endpoint string  `koanf:"endpoint" doc:"Address of a collector that takes OTLP over HTTP, for example http://127.0.0.1:4318. Empty: no traces."`
	Ratio    float64 `koanf:"ratio" default:"1" min:"0" unit:"of the imports" doc:"Share of the imports that are traced, from 0 to 1."`
}

// TLS says which connections may do without.
type TLS struct {
	Plain string `koanf:"plain" doc:"Hosts that may be reached without TLS, separated by commas: names as they stand in store.s3.endpoint, nats.url, llm.url, embeddings.url and trace.endpoint. For networks that nobody else can read, such as that of containers on one machine. This machine (loopback) needs no permission."`
}

// Log is how messages are written.
type Log struct {
	Level  string `koanf:"level" default:"auto" oneof:"auto debug info warn error" doc:"Least important messages to write. auto: info in services; nothing in other commands, which say what went wrong in a sentence."`
	Format string `koanf:"format" default:"auto" oneof:"auto console json" doc:"auto: console on a terminal, json elsewhere."`
}
