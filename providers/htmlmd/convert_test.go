package htmlmd_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pamline/pamline/providers/htmlmd"
)

// The cases are a contract: ids and texts of released importers depend on them.
func TestConvert(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"an empty element", "<div></div>", ""},
		{"plain text", "just text", "just text"},
		{"paragraphs", "<p>One.</p><p>Two.</p>", "One.\n\nTwo."},
		{"a paragraph in a div", "<div><p>One.</p>Two</div>", "One.\n\nTwo"},
		{"white space", "<p>\n  a   b\n c </p>\n", "a b c"},
		{"a no-break space stays", "<p>a&nbsp;b</p>", "a\u00a0b"},
		{"entities", "<p>1 &lt; 2 &amp;&amp; 3 &gt; 2 &quot;x&quot;</p>", `1 < 2 && 3 > 2 "x"`},
		{"line breaks", "<p>a<br>b<br/>c</p>", "a  \nb  \nc"},
		{"headings", "<h1>A</h1><h3>B <em>c</em></h3><h6>d</h6>", "# A\n\n### B *c*\n\n###### d"},
		{"emphasis", "<p><strong>a</strong> <b>b</b> <em>c</em><i> d </i>e <del>f</del></p>", "**a** **b** *c* *d* e ~~f~~"},
		{"emphasis in itself", "<b>a<strong>b</strong>c</b>", "**abc**"},
		{"emphasis of nothing", "<p>a<b> </b>b<i></i></p>", "a b"},
		{"emphasis over blocks", "<b><p>a</p><p>b</p></b>", "**a**\n\n**b**"},
		{"emphasis that is not closed", "<p><b>a</p><p>b</p>", "**a**\n\n**b**"},
		{"a link", `<a href="https://example.org/x?a=1&amp;b=2">text</a>.`, "[text](https://example.org/x?a=1&b=2)."},
		{"a link without text", `<p>a<a href="https://example.org"></a></p>`, "a"},
		{"a link without a target", `<a name="x">text</a>`, "text"},
		{"a link that is code", `<a href="javascript:alert(1)">text</a>`, "text"},
		{"a link with brackets", `<a href="/a (b)">see [1]</a>`, `[see \[1\]](</a (b)>)`},
		{"an image", `<img src="photo-0123456789abcdef.jpg" alt="A cat">`, "![A cat](photo-0123456789abcdef.jpg)"},
		{"an image in a link", `<a href="https://e.org"><img src="a.png"></a>`, "[![](a.png)](https://e.org)"},
		{"code", "<p>Use <code>a  b</code> and <code>x`y</code>.</p>", "Use `a  b` and ``x`y``."},
		{"a block of code", "<pre><code class=\"language-go\">func a() {\n\tb()\n}\n</code></pre>", "```go\nfunc a() {\n\tb()\n}\n```"},
		{"a block of code with a fence in it", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"},
		{"markup in code stays", "<pre>&lt;b&gt; *a* _b_</pre>", "```\n<b> *a* _b_\n```"},
		{"a list", "<ul><li>a</li><li>b</li></ul>", "- a\n- b"},
		{"a list after text", "<p>x</p><ul><li>a<li>b</ul><p>y</p>", "x\n\n- a\n- b\n\ny"},
		{"a numbered list", `<ol start="3"><li>a</li><li>b</li></ol>`, "3. a\n4. b"},
		{"nested lists", "<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul>", "- a\n  1. b\n  2. c\n- d"},
		{"paragraphs in items", "<ol><li><p>a</p><p>b</p></li><li><p>c</p></li></ol>", "1. a\n\n   b\n2. c"},
		{"an item of nothing", "<ul><li></li><li>a</li></ul>", "-\n- a"},
		{"an item without a list", "<li>a</li><li>b</li>c", "- a\n- b\n\nc"},
		{"two lists", "<ul><li>a</li></ul><ol><li>b</li></ol>", "- a\n\n1. b"},
		{"code in an item", "<ul><li>a<pre>x\n\ny</pre></li></ul>", "- a\n\n  ```\n  x\n\n  y\n  ```"},
		{"a quote", "<blockquote><p>a</p><p>b<br>c</p></blockquote>d", "> a\n>\n> b  \n> c\n\nd"},
		{"a list in a quote", "<blockquote>x<ul><li>a</li><li>b</li></ul></blockquote>", "> x\n>\n> - a\n> - b"},
		{"a list that is not closed in a quote", "<blockquote><ul><li>a</blockquote><p>b</p>", "> - a\n\nb"},
		{"a quote that is not closed in a list", "<ul><li><blockquote>a</ul><p>b</p>", "- > a\n\nb"},
		{"a rule", "a<hr>b", "a\n\n---\n\nb"},
		{
			"a table", "<table><thead><tr><th>A</th><th>B|C</th></tr></thead><tbody><tr><td>1</td><td><b>2</b><br>3</td></tr><tr><td>4</td></tr></tbody></table>",
			"| A | B\\|C |\n| --- | --- |\n| 1 | **2**<br>3 |\n| 4 |",
		},
		{"a table with blocks in it", "<table><tr><td><p>a</p><ul><li>b</li></ul></td><td><pre>c\nd</pre></td></tr></table>", "| a b | `c d` |\n| --- | --- |"},
		{"a table in a table", "<table><tr><td>a<table><tr><td>b</td></tr></table></td><td>c</td></tr></table>d", "| a b | c |\n| --- | --- |\n\nd"},
		{"a table that is not closed", "<table><tr><td>a", "| a |\n| --- |"},
		{"what is not shown", "<p>a</p><script>b</script><style>c</style><template><p>d</p></template><noscript>e</noscript><!-- f --><p>g</p>", "a\n\ng"},
		{"a template in a template", "<template><template>a</template>b</template>c", "c"},
		{"an element that nobody knows", "<response-element>a <x-y>b</x-y></response-element>", "a b"},
		{"ends without a start", "</div></b></ul></blockquote></li></a></code></table>a", "a"},
		{"text that looks like markup", "<p># not a heading</p><p>1. not a list</p><p>- not a list</p><p>&gt; not a quote</p><p>2*3*4 and a * b</p><p>`tick` &lt;b&gt;</p>", "\\# not a heading\n\n1\\. not a list\n\n\\- not a list\n\n\\> not a quote\n\n2\\*3\\*4 and a * b\n\n\\`tick\\` \\<b>"},
		{"names, prices and formulas stay", "<p>snake_case costs $5 \\alpha + 3.14 [x] | y C# -1 #1</p>", "snake_case costs $5 \\alpha + 3.14 [x] | y C# -1 #1"},
		{"plain words between others", "<p>one two  three *four* five [six]\nseven _eight_ nine. 10) </p>", "one two three \\*four\\* five [six] seven \\_eight\\_ nine. 10)"},
		{"a line counts as empty behind a NUL", "<p>\x00 a b</p>", "\x00a b"},
		{"bytes that are not UTF-8", "<p>a\xffb</p>", "a\uFFFDb"},
	} {
		if got := htmlmd.Convert(c.in); got != c.want {
			t.Errorf("%s: %q\n got %q\nwant %q", c.name, c.in, got, c.want)
		}
	}
}

func TestImages(t *testing.T) {
	got := htmlmd.Images(`<p><IMG alt=x src="a.png"></p><template><img src="hidden.png"></template><img src='b c.png'/><img><img src="a.png">`)
	if strings.Join(got, ",") != "a.png,b c.png" {
		t.Errorf("%q", got)
	}
}

// Hostile input: what grows must not grow faster than the input.
func TestOutputIsInProportion(t *testing.T) {
	for _, c := range []struct {
		name, piece string
		factor      int
	}{
		{"open quotes", "<blockquote>a", 40},
		{"open items", `<ol start=999999><li>a`, 40},
		{"open emphasis", "<b>a<i>b", 10},
		{"open links", `<a href="https://example.org/long/target">a<p>`, 4},
		{"open tables", "<table><tr><td>a", 4},
		{"closing quotes that are not open", "<li>a</blockquote>", 40},
		{"open preformatted text", "<pre>\n", 4},
		{"breaks", "a<br>", 4},
		{"backticks", "<code>`", 10},
		{"brackets", "[<", 4},
		{"numbers", "1.", 4},
	} {
		in := strings.Repeat(c.piece, 20_000)
		if got := htmlmd.Convert(in); len(got) > c.factor*len(in) {
			t.Errorf("%s: %d bytes of %d", c.name, len(got), len(in))
		}
	}
}

func FuzzConvert(f *testing.F) {
	for _, s := range []string{
		"", "<p>a", "<ul><li><ol><li>", "<pre>```", "<table><tr><td>|<table>", "<blockquote></blockquote></blockquote>", "<a href=x><b>y</a>z</b>", "<code>`</code>", "<template><script>",
		"</ul><li></ul>", "<h1><h2>", "\xff&#0;&#xD800;", "<b><br></b>", "<img alt='[' src='('>", "<plaintext><p>", "<textarea><p>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := htmlmd.Convert(s)
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		if len(got) > 120*len(s)+120 {
			t.Fatalf("%d bytes of %d", len(got), len(s))
		}
		htmlmd.Images(s)
	})
}

func BenchmarkConvert(b *testing.B) {
	in := strings.Repeat(`<h3>Title</h3><p>The <strong>Gemini</strong> answer has <code>code</code> and text of some length that goes on.</p><ul><li>one</li><li>two <a href="https://example.org">link</a></li></ul><pre><code class="language-go">x := 1</code></pre>`, 500)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		htmlmd.Convert(in)
	}
}
