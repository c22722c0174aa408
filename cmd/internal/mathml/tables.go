package mathml

// operators are commands for operators, relations, arrows and brackets.
var operators = map[string]string{
	"times": "×", "cdot": "⋅", "div": "÷", "pm": "±", "mp": "∓", "ast": "∗", "star": "⋆", "circ": "∘", "bullet": "∙", "oplus": "⊕", "ominus": "⊖", "otimes": "⊗", "odot": "⊙",
	"cup": "∪", "cap": "∩", "setminus": "∖", "wedge": "∧", "land": "∧", "vee": "∨", "lor": "∨", "neg": "¬", "lnot": "¬", "amalg": "⨿", "dagger": "†",
	"le": "≤", "leq": "≤", "leqslant": "⩽", "ge": "≥", "geq": "≥", "geqslant": "⩾", "ne": "≠", "neq": "≠", "ll": "≪", "gg": "≫", "lt": "<", "gt": ">",
	"approx": "≈", "equiv": "≡", "sim": "∼", "simeq": "≃", "cong": "≅", "propto": "∝", "prec": "≺", "succ": "≻", "doteq": "≐", "asymp": "≍", "triangleq": "≜", "coloneqq": "≔",
	"in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂", "supset": "⊃", "subseteq": "⊆", "supseteq": "⊇", "subsetneq": "⊊", "perp": "⊥", "parallel": "∥", "mid": "∣", "nmid": "∤",
	"models": "⊨", "vdash": "⊢", "top": "⊤", "bot": "⊥", "forall": "∀", "exists": "∃", "nexists": "∄", "therefore": "∴", "because": "∵", "colon": ":",
	"to": "→", "rightarrow": "→", "leftarrow": "←", "gets": "←", "leftrightarrow": "↔", "Rightarrow": "⇒", "Leftarrow": "⇐", "Leftrightarrow": "⇔", "uparrow": "↑", "downarrow": "↓",
	"implies": "⟹", "iff": "⟺", "longrightarrow": "⟶", "Longrightarrow": "⟹", "longleftarrow": "⟵", "mapsto": "↦", "hookrightarrow": "↪", "rightharpoonup": "⇀", "rightleftharpoons": "⇌", "nearrow": "↗", "searrow": "↘",
	"ldots": "…", "dots": "…", "dotsc": "…", "dotsb": "⋯", "cdots": "⋯", "vdots": "⋮", "ddots": "⋱",
	"{": "{", "}": "}", "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]", "langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉",
	"|": "‖", "Vert": "‖", "lVert": "‖", "rVert": "‖", "vert": "|", "lvert": "|", "rvert": "|", "backslash": "\\", "%": "%", "$": "$", "#": "#", "&": "&", "_": "_", "prime": "′", "bmod": "mod", "mod": "mod",
}

// identifiers are commands for letters.
var identifiers = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ",
	"mu": "μ", "nu": "ν", "xi": "ξ", "omicron": "ο", "pi": "π", "varpi": "ϖ", "rho": "ρ", "varrho": "ϱ", "sigma": "σ", "varsigma": "ς", "tau": "τ", "upsilon": "υ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
	"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
	"infty": "∞", "partial": "∂", "nabla": "∇", "hbar": "ℏ", "ell": "ℓ", "Re": "ℜ", "Im": "ℑ", "aleph": "ℵ", "emptyset": "∅", "varnothing": "∅", "angle": "∠", "degree": "°", "imath": "ı", "jmath": "ȷ", "wp": "℘",
	"triangle": "△", "square": "□", "blacksquare": "■", "checkmark": "✓", "Box": "□", "diamond": "⋄", "lozenge": "◊",
}

// big are operators over a range.
var big = map[string]string{
	"sum": "∑", "prod": "∏", "coprod": "∐", "int": "∫", "iint": "∬", "iiint": "∭", "oint": "∮", "bigcup": "⋃", "bigcap": "⋂", "bigoplus": "⨁", "bigotimes": "⨂", "bigvee": "⋁", "bigwedge": "⋀", "bigsqcup": "⨆",
}

// functions have names that are written upright; those with true have what is below them there.
var functions = map[string]bool{
	"sin": false, "cos": false, "tan": false, "cot": false, "sec": false, "csc": false, "arcsin": false, "arccos": false, "arctan": false, "sinh": false, "cosh": false, "tanh": false, "coth": false,
	"log": false, "ln": false, "lg": false, "exp": false, "arg": false, "deg": false, "dim": false, "hom": false, "ker": false,
	"lim": true, "limsup": true, "liminf": true, "max": true, "min": true, "sup": true, "inf": true, "det": true, "gcd": true, "Pr": true,
}

// functionNames are names that are not written like their commands.
var functionNames = map[string]string{"limsup": "lim sup", "liminf": "lim inf"}

// spaces are commands for space.
var spaces = map[string]string{
	"quad": "1em", "qquad": "2em", ",": "0.17em", ":": "0.22em", ">": "0.22em", ";": "0.28em", "!": "-0.17em", " ": "0.3em", "enspace": "0.5em", "thinspace": "0.17em",
}

// alphabets are commands for kinds of letters.
var alphabets = map[string]string{
	"text": "text", "textrm": "text", "textbf": "text", "textit": "text", "texttt": "text", "textsf": "text", "mbox": "text", "textnormal": "text",
	"mathrm": "upright", "mathbf": "bold", "boldsymbol": "bold", "bm": "bold", "mathbb": "double", "mathcal": "script", "mathscr": "script", "mathfrak": "fraktur", "mathsf": "sans", "mathtt": "mono", "mathit": "italic",
}

// accents stand over or under what they are applied to.
var accents = map[string]struct {
	text, stretchy string
	below          bool
}{
	"hat": {"^", "false", false}, "widehat": {"^", "true", false}, "bar": {"¯", "false", false}, "overline": {"¯", "true", false}, "vec": {"→", "false", false}, "overrightarrow": {"→", "true", false},
	"tilde": {"~", "false", false}, "widetilde": {"~", "true", false}, "dot": {"˙", "false", false}, "ddot": {"¨", "false", false}, "check": {"ˇ", "false", false}, "breve": {"˘", "false", false}, "acute": {"´", "false", false}, "grave": {"`", "false", false}, "mathring": {"˚", "false", false},
	"overbrace": {"⏞", "true", false}, "underline": {"_", "true", true}, "underbrace": {"⏟", "true", true},
}

// ignored commands change what a browser decides itself.
var ignored = map[string]bool{
	"displaystyle": true, "textstyle": true, "scriptstyle": true, "limits": true, "nolimits": true, "notag": true, "nonumber": true, "hline": true, "rm": true,
}
