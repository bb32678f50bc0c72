// net/http. With BENCH_GO=memory a handler that has read the files once; otherwise http.FileServer, which people use.
package main

import (
	"charcoal/bench/common"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

type page struct {
	content []byte
	length  string
}

func memory(folder string) http.Handler {
	pages := map[string]page{}
	names, _ := filepath.Glob(folder + "/*")
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		pages["/"+filepath.Base(name)] = page{content, strconv.Itoa(len(content))}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", found.length)
		w.Write(found.content)
	})
}

func main() {
	folder := os.Args[len(os.Args)-1]
	listener := common.Announce()
	handler := http.FileServer(http.Dir(folder))
	if os.Getenv("BENCH_GO") == "memory" {
		handler = memory(folder)
	}
	fmt.Fprintln(os.Stderr, http.Serve(listener, handler))
	os.Exit(1)
}
