/* Starts nginx as one process without a log. */
#ifndef BENCH_NGINX_H
#define BENCH_NGINX_H

#include "launch.h"

static const char nginx_settings[] =
    "daemon off; master_process off; worker_processes 1; worker_rlimit_nofile 100000;\n"
    "error_log stderr crit; pid nginx.pid;\n"
    "events { use epoll; worker_connections 20000; multi_accept on; }\n"
    "http {\n"
    "  access_log off; tcp_nodelay on; keepalive_requests 1000000000; keepalive_timeout 600s;\n"
    "  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;\n"
    "  scgi_temp_path scgi;\n"
    "  %s\n"
    "  server { listen 127.0.0.1:%d backlog=4096; %s }\n"
    "}\n";

/* Becomes nginx, with these settings of its `http` and its `server`. Its files lie below TMPDIR, which the runner
 * removes. */
static int launch_nginx(const char *of_http, const char *of_server) {
  char prefix[200], file[220];
  const char *parent = getenv("TMPDIR");
  int port = free_port();
  snprintf(prefix, sizeof prefix, "%s/bench-nginx-XXXXXX", parent ? parent : "/tmp");
  FILE *out = mkdtemp(prefix) && snprintf(file, sizeof file, "%s/nginx.conf", prefix) > 0 ? fopen(file, "w") : NULL;
  if (!out)
    return perror(prefix), 1;
  fprintf(out, nginx_settings, of_http, port, of_server);
  fclose(out);
  char *command[] = {"nginx", "-p", prefix, "-c", file, NULL};
  launch(port, command);
  return 1;
}

#endif
