/* io_uring by hand: as many reads are in the ring as the depth says. They are submitted and reaped in batches, with one
 * system call for each batch. */
#include "file.h"
#include <liburing.h>

static struct work w;
static struct io_uring ring;

static void submit_next(unsigned which) {
  struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
  io_uring_prep_read(sqe, w.fd, w.buffers + which * w.size, (unsigned)w.size, (uint64_t)place(&w, w.next++));
  io_uring_sqe_set_data64(sqe, which);
}

int main(int argc, char **argv) {
  stay_on_one_core();
  w = prepare(argc, argv);
  struct io_uring_params params = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
  int error = io_uring_queue_init_params(w.depth < 2 ? 2 : w.depth, &ring, &params);
  if (error)
    error = io_uring_queue_init(w.depth < 2 ? 2 : w.depth, &ring, 0);
  if (error) {
    errno = -error;
    stop("io_uring_queue_init");
  }
  for (unsigned i = 0; i < w.depth && w.next < w.count; i++)
    submit_next(i);
  while (w.done < w.count) {
    struct io_uring_cqe *cqe;
    unsigned head, n = 0;
    error = io_uring_submit_and_wait(&ring, 1);
    if (error < 0) {
      errno = -error;
      stop("io_uring_submit_and_wait");
    }
    io_uring_for_each_cqe(&ring, head, cqe) {
      unsigned which = (unsigned)cqe->user_data;
      account(&w, w.buffers + which * w.size, cqe->res);
      if (w.next < w.count)
        submit_next(which);
      n++;
    }
    io_uring_cq_advance(&ring, n);
  }
  report_reads(&w);
}
