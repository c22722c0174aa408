package web

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"
)

// plantedFile is a file of an archive with a script in every text field.
type plantedFile struct {
	name string
	data []byte
}

// Values that decide how an archive is read: ids, times, numbers, names of types. With a script in
// them it is another archive, so they are left as they are.
var (
	formKeys  = regexp.MustCompile(`(?i)(^|_)(id|ids|uuid|type|kind|role|sender|version|format|schema|status|source|provider|platform|parent|children|model|header)$|Id$|ID$|Type$|At$|_at$|[Tt]ime(stamp)?$|^date`)
	formValue = regexp.MustCompile(`^[0-9a-fA-F-]{16,}$|^[0-9]{4}-[0-9]{2}|^[0-9.]*$|^[a-z]+/[a-z.+-]+$`)
)

// plantJSON puts a script behind every text of a value. Cautious: only behind those with a space.
func plantJSON(v any, key string, cautious bool) any {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			v[k] = plantJSON(inner, k, cautious)
		}
	case []any:
		for i, inner := range v {
			v[i] = plantJSON(inner, key, cautious)
		}
	case string:
		if v != "" && !formKeys.MatchString(key) && !formValue.MatchString(v) && (!cautious || strings.Contains(v, " ")) {
			return v + " " + hostile
		}
	}
	return v
}

// plantLines puts a script behind every line of several words.
func plantLines(text, script string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		end := strings.TrimRight(line, "\r\n")
		b.WriteString(end)
		if len(strings.Fields(end)) >= 4 && !strings.HasPrefix(end, "---") {
			b.WriteString(" " + script)
		}
		b.WriteString(line[len(end):])
	}
	return b.String()
}

// htmlText is a text between two tags.
var htmlText = regexp.MustCompile(`>([^<>{}]*[A-Za-z]+ [^<>{}]*)<`)

// plantScripts puts scripts into a file, by the kind that its name says.
func plantScripts(name string, data []byte, cautious bool) ([]byte, error) {
	switch filepath.Ext(name) {
	case ".json", ".af":
		return plantDocument(data, cautious)
	case ".jsonl":
		var out bytes.Buffer
		for line := range bytes.Lines(data) {
			planted, err := plantDocument(line, cautious)
			if err != nil {
				planted = bytes.TrimSpace(line) // a damaged line is part of a fixture
			}
			out.Write(append(planted, '\n'))
		}
		return out.Bytes(), nil
	case ".csv":
		return plantTable(data)
	case ".html":
		return htmlText.ReplaceAll(data, []byte(">$1 "+strings.ReplaceAll(html.EscapeString(hostile), "$", "$$")+"<")), nil
	case ".md", ".txt":
		return []byte(plantLines(string(data), hostile)), nil
	}
	return data, nil
}

// plantTable puts a script behind every cell of several words.
func plantTable(data []byte) ([]byte, error) {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, err
	}
	for i := range rows {
		for j, cell := range rows[i] {
			if i > 0 && strings.Contains(cell, " ") && !formValue.MatchString(cell) {
				rows[i][j] = cell + " " + hostile
			}
		}
	}
	var b bytes.Buffer
	err = csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

func plantDocument(data []byte, cautious bool) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(plantJSON(v, "", cautious))
}

// archivesOf are the archives of a provider's fixtures: each file by itself, and each folder as a
// zip.
func archivesOf(t *testing.T, folder string, cautious bool) (all []plantedFile) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		switch {
		case e.Name() == "fuzz" || strings.HasSuffix(e.Name(), ".golden"):
		case e.IsDir():
			all = append(all, plantedFile{e.Name() + ".zip", zipOf(t, path, cautious)})
		default:
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if data, err = plantScripts(e.Name(), data, cautious); err == nil {
				all = append(all, plantedFile{e.Name(), data})
			}
		}
	}
	return all
}

// zipOf is a folder of a fixture as a zip, with scripts in its files.
func zipOf(t *testing.T, folder string, cautious bool) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if planted, err := plantScripts(name, data, cautious); err == nil {
			data = planted
		}
		w, err := z.Create(filepath.ToSlash(name))
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	})
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// importByForm uploads an archive by the form, waits until its import has ended, and gives its
// page.
func (v *visitor) importByForm(f plantedFile) (path string) {
	v.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", f.name)
	if err == nil {
		_, err = part.Write(f.data)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		v.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.site+Base+"upload", &form)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	resp, err := v.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != http.StatusOK {
		v.t.Fatalf("%s: %d, %v", f.name, resp.StatusCode, err)
	}
	path = resp.Request.URL.Path
	if code, body := v.get(path + "/events"); code != http.StatusOK || !strings.Contains(body, `"ended":true`) {
		v.t.Fatalf("%s: %d %s", path, code, body)
	}
	return path
}

// mostPages is how many pages of one provider are read: beyond that there are only more of each
// kind.
const mostPages = 50

// crawl reads the pages that can be reached from some, and tells whether one shows the script.
func (v *visitor) crawl(from ...string) (pages int, isShown bool) {
	v.t.Helper()
	queue, seen := from, map[string]bool{}
	for len(queue) > 0 && pages < mostPages {
		path := queue[0]
		queue = queue[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		code, body, h := v.send(http.MethodGet, path, "", nil)
		pages++
		if code >= http.StatusInternalServerError {
			v.t.Errorf("%s: %d %s", path, code, body)
		}
		if !strings.HasPrefix(h.Get("Content-Type"), "text/html") { // text to download, which no browser runs
			if !strings.HasPrefix(h.Get("Content-Type"), "text/plain") || h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") {
				v.t.Errorf("%s: %v", path, h)
			}
			continue
		}
		checkHarmless(v.t, path, body)
		isShown = isShown || strings.Contains(body, "alert(1)")
		for _, link := range linksOf(body) {
			if !seen[link] {
				queue = append(queue, link)
			}
		}
	}
	return pages, isShown
}

// linksOf are the links of a page to pages.
func linksOf(body string) (links []string) {
	for z := nethtml.NewTokenizer(strings.NewReader(body)); z.Next() != nethtml.ErrorToken; {
		tag := z.Token()
		if href, _, _ := strings.Cut(tagAttr(tag, "href"), "#"); tag.Data == "a" && strings.HasPrefix(href, Base) && !strings.HasPrefix(href, Base+"store/export") && !strings.HasPrefix(href, Base+"assets/") {
			links = append(links, href)
		}
	}
	return links
}

// Archives of each provider with a script in every text field go the whole way: they are uploaded,
// imported, and read as pages. The scripts are text everywhere.
func TestScriptsInImportedArchivesAreText(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob(filepath.Join("..", "..", "..", "providers", "*", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	p, address := serveReal(t)
	s := &site{Page: p, Server: &httptest.Server{URL: address}}
	tested := 0
	for _, folder := range folders {
		provider := filepath.Base(filepath.Dir(folder))
		if len(archivesOf(t, folder, false)) == 0 || slices.Contains(noProviders, provider) || madeArchives[provider] != nil {
			continue
		}
		if tested++; testing.Short() && tested%6 != 1 {
			continue // the same code
		}
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			for _, cautious := range []bool{false, true} {
				owner := fmt.Sprintf("%s-%t", provider, cautious)
				v := s.letIn(t, owner)
				pages := []string{Base + "imports"}
				for _, f := range archivesOf(t, folder, cautious) {
					pages = append(pages, v.importByForm(f))
				}
				for _, name := range []string{"conversations", "memories?status=", "review", "search?q=alert", "timeline", "store", "store/render"} {
					pages = append(pages, Base+name)
				}
				if n, isShown := v.crawl(pages...); isShown {
					t.Logf("cautious %t: %d pages", cautious, n)
					return
				}
			}
			t.Error("no page shows the script: the archives are not imported as they should be")
		})
	}
	if tested < 24 {
		t.Errorf("there are %d providers", tested)
	}
}
