/* nginx, one process, without a log. With BENCH_NGINX=sendfile it sends files by sendfile, otherwise by read and
 * writev, which is the better choice for small ones. */
#include "../common/launch.h"
#include <string.h>

static const char settings[] =
    "daemon off; master_process off; worker_processes 1; worker_rlimit_nofile 100000;\n"
    "error_log stderr crit; pid nginx.pid;\n"
    "events { use epoll; worker_connections 20000; multi_accept on; }\n"
    "http {\n"
    "  access_log off; sendfile %s; tcp_nopush %s; tcp_nodelay on; types { text/html html; }\n"
    "  keepalive_requests 1000000000; keepalive_timeout 600s; reset_timedout_connection on;\n"
    "  open_file_cache max=1000 inactive=600s; open_file_cache_valid 600s; open_file_cache_min_uses 1;\n"
    "  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;\n"
    "  scgi_temp_path scgi;\n"
    "  server { listen 127.0.0.1:%d backlog=4096; root %s; }\n"
    "}\n";

int main(int argc, char **argv) {
  const char *way = getenv("BENCH_NGINX"), *on = way && strcmp(way, "sendfile") == 0 ? "on" : "off";
  char prefix[] = "/tmp/bench-nginx-XXXXXX", file[100];
  int port = free_port();
  if (argc != 4 || !mkdtemp(prefix))
    return 2;
  snprintf(file, sizeof file, "%s/nginx.conf", prefix);
  FILE *out = fopen(file, "w");
  if (!out)
    return perror(file), 1;
  fprintf(out, settings, on, on, port, argv[3]);
  fclose(out);
  char *command[] = {"nginx", "-p", prefix, "-c", file, NULL};
  launch(port, command);
}
