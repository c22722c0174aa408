package main

import (
	"bytes"
	"fmt"
	"math"
)

// The plot of a series, in pixels.
const (
	width, height = 420, 300
	left, bottom  = 58, 44
	top, right    = 34, 16
)

// svg draws a plot for each series: the processor time against the size, and a dotted line of
// linear growth through the largest size.
func svg(points []point) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n", 2*width, 2*height)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	drawn := 0
	for _, s := range all {
		var of []point
		for _, p := range points {
			if p.series == s.name {
				of = append(of, p)
			}
		}
		if len(of) > 0 {
			fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", drawn%2*width, drawn/2*height)
			drawSeries(&b, s, of)
			b.WriteString("</g>\n")
			drawn++
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// axis maps decades to pixels.
type axis struct{ low, high, from, to float64 }

func newAxis(least, most, from, to float64) axis {
	low, high := math.Floor(math.Log10(least)), math.Ceil(math.Log10(most))
	return axis{low, max(high, low+1), from, to}
}

func (a axis) at(v float64) float64 {
	return a.from + (math.Log10(v)-a.low)/(a.high-a.low)*(a.to-a.from)
}

func drawSeries(b *bytes.Buffer, s series, points []point) {
	least, most := math.Inf(1), 0.0
	for _, p := range points {
		least, most = min(least, max(p.cpu, 0.01)), max(most, p.cpu)
	}
	last := points[len(points)-1]
	x := newAxis(float64(points[0].n), float64(last.n), left, width-right)
	y := newAxis(least, most, height-bottom, top)
	fmt.Fprintf(b, `<text x="%d" y="18" font-size="13">processor time (s) by %s</text>`+"\n", left, s.unit)
	for d := x.low; d <= x.high; d++ {
		at := x.at(math.Pow(10, d))
		fmt.Fprintf(b, `<path d="M%.1f %dV%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n", at, top, height-bottom, at, height-bottom+16, math.Pow(10, d))
	}
	for d := y.low; d <= y.high; d++ {
		at := y.at(math.Pow(10, d))
		fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%g</text>`+"\n", left, at, width-right, left-6, at+4, math.Pow(10, d))
	}
	if n := last.cpu / float64(last.n); n > 0 {
		from := max(math.Pow(10, x.low), math.Pow(10, y.low)/n)
		fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f" stroke="#888" stroke-dasharray="3 3"/>`+"\n", x.at(from), y.at(from*n), x.at(float64(last.n)), y.at(last.cpu))
	}
	path := ""
	for i, p := range points {
		px, py := x.at(float64(p.n)), y.at(max(p.cpu, 0.01))
		path += fmt.Sprintf("%c%.1f %.1f", "ML"[min(i, 1)], px, py)
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="#2563eb"><title>%d: %.2f s, %.0f MB</title></circle>`+"\n", px, py, p.n, p.cpu, p.peak)
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="#2563eb" stroke-width="2"/>`+"\n", path)
}
