package mathml

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestFormulasAreConverted(t *testing.T) {
	for tex, want := range map[string]string{
		`x`:                                    `<mi>x</mi>`,
		`x^2`:                                  `<msup><mi>x</mi><mn>2</mn></msup>`,
		`x_i^{n+1}`:                            `<msubsup><mi>x</mi><mi>i</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msubsup>`,
		`f'`:                                   `<msup><mi>f</mi><mo>′</mo></msup>`,
		`\frac12`:                              `<mfrac><mn>1</mn><mn>2</mn></mfrac>`,
		`\sqrt[3]{8}`:                          `<mroot><mn>8</mn><mn>3</mn></mroot>`,
		`\sum_{i=1}^n`:                         `<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>`,
		`\int_0^1`:                             `<msubsup><mo>∫</mo><mn>0</mn><mn>1</mn></msubsup>`,
		`a < b`:                                `<mo>&lt;</mo>`,
		`\mathbb{R}`:                           `<mi>ℝ</mi>`,
		`\mathbf{v}`:                           `<mi>𝐯</mi>`,
		`\text{if } x>0`:                       "<mtext>if\u00a0</mtext>",
		`\left( x \right)`:                     `<mo fence="true" stretchy="true">(</mo><mi>x</mi>`,
		`\begin{pmatrix}a&b\\c&d\end{pmatrix}`: `<mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr>`,
		`\begin{cases}1&x>0\\0&\text{else}\end{cases}`: `<mtd class="left"><mn>1</mn></mtd>`,
		`\begin{aligned}a&=b\\&=c\end{aligned}`:        `<mtd class="right"><mi>a</mi></mtd>`,
		`\hat{x}`:                                      `<mover accent="true"><mi>x</mi><mo stretchy="false">^</mo></mover>`,
		`3.14`:                                         `<mn>3.14</mn>`,
		`\lim_{x\to 0}`:                                `<munder><mi>lim</mi>`,
		`\operatorname{rank}`:                          `<mi mathvariant="normal">rank</mi>`,
		`50\%`:                                         `<mo>%</mo>`,
		`A \& B`:                                       `<mo>&amp;</mo>`,
	} {
		got, ok := Convert(tex, false)
		if !ok || !strings.Contains(got, want) {
			t.Errorf("%s: %v %s", tex, ok, got)
		}
	}
}

func TestWhatIsUnknownIsNotConverted(t *testing.T) {
	for _, tex := range []string{`\unknown`, `{`, `}`, `\frac{1}`, `\left(x`, `\begin{matrix}a`, `\begin{what}\end{what}`, `x^`, `x^1^2`, `\`, `\sqrt[`, `&`, "\xff", strings.Repeat("{", 500), strings.Repeat("x", maxLength+1)} {
		if got, ok := Convert(tex, true); ok {
			t.Errorf("%.40q: %s", tex, got)
		}
	}
}

func FuzzConvert(f *testing.F) {
	for _, seed := range []string{`\frac{a}{b}`, `x_i^{n+1}'`, `\left\{\begin{cases}1&2\\3\end{cases}\right.`, `\text{<script>alert(1)</script>}`, `\operatorname{<b>}`, `<img onerror=x>`, `\not=`, `\overset{a}{b}`, `\tag{1}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, tex string) {
		got, ok := Convert(tex, true)
		if !ok {
			return
		}
		for d := xml.NewDecoder(strings.NewReader(got)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("%q: %s: %v", tex, got, err)
			}
			start, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			if name := start.Name.Local; name != "semantics" && name != "annotation" && !strings.HasPrefix(name, "m") {
				t.Fatalf("%q makes an element %s", tex, name)
			}
			for _, a := range start.Attr {
				if !strings.Contains(" display encoding accent stretchy fence width class linethickness mathvariant ", " "+a.Name.Local+" ") {
					t.Fatalf("%q makes an attribute %s", tex, a.Name.Local)
				}
			}
		}
	})
}
