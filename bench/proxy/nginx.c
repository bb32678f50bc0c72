/* nginx as a proxy that keeps its connections to the server. */
#include "../common/nginx.h"

int main(int argc, char **argv) {
  char of_http[200];
  snprintf(of_http, sizeof of_http,
           "upstream localhost_servers { server %s; keepalive 64; keepalive_requests 1000000000; }", argv[argc - 1]);
  return launch_nginx(of_http, "location / { proxy_pass http://localhost_servers; proxy_http_version 1.1;"
                               " proxy_set_header Connection \"\"; proxy_set_header X-Forwarded-For $remote_addr; }");
}
