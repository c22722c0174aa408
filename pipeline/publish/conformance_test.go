package publish_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// judge is a requirement of a producer, held against one bundle; it returns what is wrong, "" for
// nothing.
type judge func(w written) string

var (
	timeForm    = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$`)
	programForm = regexp.MustCompile(`^[a-zA-Z0-9_-]+/\d+\.\d+\.\d+$`)
	tagForm     = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
	language    = regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$`)
	platform    = regexp.MustCompile(`^[a-z0-9_-]{2,32}$`)
	uuidForm    = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-([45])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	digestForm  = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	fileForm    = regexp.MustCompile(`^(memory-store\.json|embeddings\.json|conversations/[^/]+\.json|assets/[0-9a-f]{64}[^/]*|SHA256SUMS(\.sig)?)$`)
)

// producerRequirements are those of the checklist that every bundle shows, by id.
var producerRequirements = map[string]judge{
	"P03": func(w written) string {
		return firstOffender(w.files, func(f string) bool { return fileForm.MatchString(f) })
	},
	"P04": func(w written) string {
		return unknownKey(w.store, "schema schema_version spec_uri export_id exported_by export_date owner memories relations "+
			"conversations_index integrity export_type base_export_id since type_registry signature", "schema", "schema_version", "owner", "memories")
	},
	"P05": func(w written) string {
		bad := text(w.store, "schema") != "portable-ai-memory" || w.embeddings != nil && text(w.embeddings, "schema") != "portable-ai-memory-embeddings"
		return w.each("conversation schema", bad, func(c object) bool { return text(c, "schema") == "portable-ai-memory-conversation" })
	},
	"P06": func(w written) string { return unless(text(w.store, "schema_version") == "1.0", "schema_version") },
	"P07": func(w written) string {
		v := text(w.store, "schema_version")
		return w.each("schema_version", w.embeddings != nil && text(w.embeddings, "schema_version") != v, func(c object) bool { return text(c, "schema_version") == v })
	},
	"P08": func(w written) string {
		programs := []string{text(w.store, "exported_by")}
		for _, m := range list(w.store, "memories") {
			programs = append(programs, text(m, "provenance", "extractor"))
		}
		for _, c := range w.conversations {
			programs = append(programs, text(c, "import_metadata", "importer"))
		}
		return firstOffender(programs, func(p string) bool { return p == "" || programForm.MatchString(p) })
	},
	"P09": func(w written) string {
		m := uuidForm.FindStringSubmatch(text(w.store, "export_id"))
		return unless(m != nil && m[1] == "4", "export_id is no UUID v4")
	},
	"P10": func(w written) string {
		return unless(text(w.store, "owner", "id") == owner, "owner.id is not that of the owner")
	},
	"P13": func(w written) string {
		return w.eachMember(func(path, key string, v any) bool {
			s, isText := v.(string)
			return !isTime(path, key) || isText && timeForm.MatchString(s)
		})
	},
	"P14": func(w written) string {
		for _, m := range list(w.store, "memories") {
			if !uuidForm.MatchString(text(m, "id")) || text(m, "content") == "" || text(m, "type") == "" || text(m, "content_hash") == "" ||
				text(m, "temporal", "created_at") == "" || text(m, "provenance", "platform") == "" {
				return "a memory lacks what it must have"
			}
		}
		return ""
	},
	"P15": func(w written) string {
		sets := [][]object{list(w.store, "memories"), list(w.store, "relations"), list(w.store, "conversations_index"), list(w.embeddings, "embeddings")}
		for _, c := range w.conversations {
			sets = append(sets, list(c, "messages"))
		}
		for _, set := range sets {
			if wrong := onlyOnce(set, "id"); wrong != "" {
				return wrong
			}
		}
		return ""
	},
	"P16": oneOf("memories", "type", words("fact preference skill context relationship goal instruction identity environment project custom")),
	"P17": func(w written) string {
		for _, m := range list(w.store, "memories") {
			if (text(m, "type") == "custom") != (text(m, "custom_type") != "") {
				return "custom_type does not go with the type"
			}
		}
		return ""
	},
	"P19": func(w written) string {
		for _, m := range list(w.store, "memories") {
			if text(m, "content_hash") != pamio.ContentHash(text(m, "content")) {
				return "content_hash of " + text(m, "id")
			}
		}
		return ""
	},
	"P20": func(w written) string {
		for _, o := range append(list(w.store, "memories"), list(w.store, "conversations_index")...) {
			tags := texts(o, "tags")
			slices.Sort(tags)
			if bad := firstOffender(tags, tagForm.MatchString); bad != "" || len(slices.Compact(slices.Clone(tags))) != len(tags) {
				return fmt.Sprint("tags ", tags)
			}
		}
		return ""
	},
	"P21": func(w written) string {
		for _, m := range list(w.store, "memories") {
			if (text(m, "status") == "superseded") != (text(m, "temporal", "superseded_by") != "") {
				return "superseded_by of " + text(m, "id")
			}
		}
		return oneOf("memories", "status", words("active superseded deprecated retracted archived"))(w)
	},
	"P23": func(w written) string {
		for _, m := range list(w.store, "memories") {
			for _, k := range []string{"initial", "current"} {
				if n := number(m, "confidence", k); n < 0 || n > 1 {
					return "confidence of " + text(m, "id")
				}
			}
		}
		return ""
	},
	"P24": func(w written) string {
		for _, m := range list(w.store, "memories") {
			if v := text(m, "access", "visibility"); v != "" && !words("private shared public")[v] {
				return "visibility " + v
			}
		}
		return ""
	},
	"P25": func(w written) string {
		return each("memories", func(m object) bool {
			return text(m, "metadata", "language") == "" || language.MatchString(text(m, "metadata", "language"))
		})(w)
	},
	"P26": func(w written) string {
		company := words("openai anthropic google microsoft xai meta")
		return each("memories", func(m object) bool {
			p := text(m, "provenance", "platform")
			return platform.MatchString(p) && !company[p]
		})(w)
	},
	"P27": func(w written) string {
		index := map[string]object{}
		for _, e := range list(w.store, "conversations_index") {
			index[text(e, "id")] = e
			if c := w.conversations[text(e, "storage", "ref")]; text(c, "provider", "name") != text(e, "platform") {
				return "platform of " + text(e, "id")
			}
		}
		return each("memories", func(m object) bool {
			ref := text(m, "provenance", "conversation_ref")
			return ref == "" || text(index[ref], "platform") == text(m, "provenance", "platform")
		})(w)
	},
	"P28": func(w written) string {
		methods := words("llm_inference explicit_user_input api_export browser_extraction manual")
		return each("memories", func(m object) bool { return methods[text(m, "provenance", "extraction_method")] })(w)
	},
	"P29": func(w written) string {
		known := map[string]bool{"": true}
		for _, e := range list(w.embeddings, "embeddings") {
			known[text(e, "id")] = true
		}
		return each("memories", func(m object) bool { return known[text(m, "embedding_ref")] })(w)
	},
	"P30": func(w written) string { return onlyOnce(list(w.embeddings, "embeddings"), "memory_id") },
	"P31": func(w written) string {
		for _, e := range list(w.embeddings, "embeddings") {
			vector, _ := e["vector"].([]any)
			if text(e, "id") == "" || text(e, "memory_id") == "" || text(e, "model") == "" || number(e, "dimensions") < 1 || float64(len(vector)) != number(e, "dimensions") {
				return "embedding " + text(e, "id")
			}
		}
		return ""
	},
	"P32": func(w written) string {
		memories := idsOf(list(w.store, "memories"))
		for _, e := range list(w.embeddings, "embeddings") {
			if !memories[text(e, "memory_id")] || at(e, "content") != nil {
				return "an embedding stands without its memory"
			}
		}
		return ""
	},
	"P33": func(w written) string {
		memories, types := idsOf(list(w.store, "memories")), words("supports contradicts extends supersedes related_to derived_from")
		return each("relations", func(r object) bool {
			return memories[text(r, "from")] && memories[text(r, "to")] && types[text(r, "type")] && text(r, "created_at") != ""
		})(w)
	},
	"P34": func(w written) string {
		said, listed := map[string]bool{}, map[string]bool{}
		for _, m := range list(w.store, "memories") {
			if ref := text(m, "provenance", "conversation_ref"); ref != "" {
				said[ref+" "+text(m, "id")] = true
			}
		}
		for _, e := range list(w.store, "conversations_index") {
			for _, id := range texts(e, "derived_memories") {
				listed[text(e, "id")+" "+id] = true
			}
		}
		return unless(fmt.Sprint(said) == fmt.Sprint(listed), "index and memories name other pairs")
	},
	"P35": func(w written) string {
		return each("conversations_index", func(e object) bool {
			c := w.conversations[text(e, "storage", "ref")]
			return text(e, "temporal", "created_at") != "" && number(e, "message_count") == float64(len(list(c, "messages"))) && text(e, "title") == text(c, "title")
		})(w)
	},
	"P36": func(w written) string {
		return each("conversations_index", func(e object) bool { return text(e, "storage", "type") == "file" && text(e, "storage", "ref") != "" })(w)
	},
	"P37": func(w written) string {
		raw := memoriesOf(w.text["memory-store.json"])
		sum, err := pamio.Checksum(raw)
		return unless(err == nil && text(w.store, "integrity", "checksum") == sum && number(w.store, "integrity", "total_memories") == float64(len(raw)), "integrity")
	},
	"P43": func(w written) string {
		return w.each("conversation", false, func(c object) bool {
			return text(c, "id") != "" && text(c, "provider", "name") != "" && text(c, "temporal", "created_at") != "" &&
				all(list(c, "messages"), func(m object) bool {
					return text(m, "id") != "" && text(m, "role") != "" && text(m, "created_at") != ""
				})
		})
	},
	"P44": func(w written) string {
		roles := words("user assistant system tool")
		return w.eachMessage(func(m object) bool { return roles[text(m, "role")] })
	},
	"P45": func(w written) string {
		forms, parts, files := words("text multipart"), words("text image code file audio video"), words("file image audio video document")
		return w.eachMessage(func(m object) bool {
			return (at(m, "content") == nil || forms[text(m, "content", "type")]) && all(list(m, "content", "parts"), func(p object) bool { return parts[text(p, "type")] }) &&
				all(list(m, "attachments"), func(a object) bool { return files[text(a, "type")] })
		})
	},
	"P46": func(w written) string {
		return w.eachMessage(func(m object) bool {
			return all(list(m, "tool_calls"), func(c object) bool {
				_, listed := c["input"].([]any)
				_, counted := c["input"].(float64)
				_, said := c["output"].(string)
				return text(c, "name") != "" && !listed && !counted && (c["output"] == nil || said)
			})
		})
	},
	"P47": func(w written) string {
		return w.each("links", false, func(c object) bool {
			messages := list(c, "messages")
			ids := idsOf(messages)
			return all(messages, func(m object) bool {
				return (text(m, "parent_id") == "" || ids[text(m, "parent_id")]) && allTexts(texts(m, "children_ids"), func(id string) bool { return ids[id] })
			})
		})
	},
	"P49": func(w written) string {
		return w.each("import_metadata", false, func(c object) bool {
			return text(c, "import_metadata", "importer") != "" && text(c, "import_metadata", "importer_version") != "" && text(c, "import_metadata", "source_file") != "" &&
				digestForm.MatchString(text(c, "import_metadata", "source_checksum"))
		})
	},
	"P50": func(w written) string {
		form := regexp.MustCompile(`^[a-z0-9-]+-importer/\d{4}\.\d\d$`)
		return w.each("importer_version", false, func(c object) bool { return form.MatchString(text(c, "import_metadata", "importer_version")) })
	},
	"P52": func(w written) string {
		return w.eachMessage(func(m object) bool {
			return number(m, "token_count") >= 0 && all(list(m, "attachments"), func(a object) bool { return number(a, "size_bytes") >= 0 }) &&
				all(list(m, "citations"), func(c object) bool {
					u, err := url.Parse(text(c, "url"))
					return c["url"] == nil || err == nil && u.IsAbs()
				})
		})
	},
}

func TestEveryBundleMeetsTheRequirementsOfProducers(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	bundles := writtenBundles(t)
	for id, judge := range producerRequirements {
		t.Run(id, func(t *testing.T) {
			for _, w := range bundles {
				if wrong := judge(w); wrong != "" {
					t.Errorf("%s: %s", w.name, wrong)
				}
			}
		})
	}
	seen := map[string]int{}
	for _, w := range bundles {
		seen["relations"] += len(list(w.store, "relations"))
		seen["memories"] += len(list(w.store, "memories"))
		seen["embeddings"] += len(list(w.embeddings, "embeddings"))
	}
	for _, what := range []string{"relations", "memories", "embeddings"} {
		if seen[what] == 0 {
			t.Errorf("no bundle has %s", what)
		}
	}
}
