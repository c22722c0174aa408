package obs

import (
	"net/http"
	"net/http/pprof"
)

// profiles adds those of the Go runtime. They show memory, and a profile slows the process: they
// are for who sits at the machine.
func (s *Server) profiles() {
	for path, h := range map[string]http.HandlerFunc{
		"/debug/pprof/":        pprof.Index,
		"/debug/pprof/profile": pprof.Profile,
		"/debug/pprof/symbol":  pprof.Symbol,
		"/debug/pprof/trace":   pprof.Trace,
	} {
		s.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			if !s.loopback {
				answer(w, http.StatusForbidden, "profiles are given on loopback only: set http.addr to 127.0.0.1 and a port")
				return
			}
			h(w, r)
		})
	}
}
