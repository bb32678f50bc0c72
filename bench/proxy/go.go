// net/http/httputil's reverse proxy.
package main

import (
	"charcoal/bench/common"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
)

func main() {
	listener := common.Announce()
	behind := &url.URL{Scheme: "http", Host: os.Args[len(os.Args)-1]}
	proxy := httputil.NewSingleHostReverseProxy(behind)
	proxy.Transport = &http.Transport{MaxIdleConnsPerHost: 1000, DisableCompression: true}
	fmt.Fprintln(os.Stderr, http.Serve(listener, proxy))
	os.Exit(1)
}
