/* nginx, which keeps files open. With BENCH_NGINX=sendfile it sends files by sendfile, otherwise by read and writev,
 * which is the better choice for small ones. */
#include "../common/nginx.h"
#include <string.h>

int main(int argc, char **argv) {
  const char *way = getenv("BENCH_NGINX"), *on = way && strcmp(way, "sendfile") == 0 ? "on" : "off";
  char of_http[400], of_server[200];
  snprintf(of_http, sizeof of_http,
           "sendfile %s; tcp_nopush %s; types { text/html html; } reset_timedout_connection on;"
           " open_file_cache max=1000 inactive=600s; open_file_cache_valid 600s; open_file_cache_min_uses 1;",
           on, on);
  snprintf(of_server, sizeof of_server, "root %s;", argv[argc - 1]);
  return launch_nginx(of_http, of_server);
}
