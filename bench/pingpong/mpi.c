/* MPI_Send and MPI_Recv between two processes on one machine. The program starts itself again under mpiexec. */
#include "callbacks.h"
#include <mpi.h>

int main(int argc, char **argv) {
  argument_case(argc, argv);
  if (!getenv("PMI_RANK")) {
    execlp("mpiexec.mpich", "mpiexec.mpich", "-n", "2", argv[0], argv[1], argv[2], NULL);
    perror("mpiexec.mpich");
    return 1;
  }
  struct pinger pinger = {.count = strtoul(argv[2], NULL, 10)};
  struct message m = {{0}};
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  be_on_core(rank);
  lap(&pinger.watch, 0);
  for (unsigned long i = 0; i < pinger.count; i++) {
    if (rank == 0) {
      m.word[0] = i;
      MPI_Send(&m, 7, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&m, 7, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      pinger.sum += m.word[0];
      lap(&pinger.watch, i + 1);
    } else {
      MPI_Recv(&m, 7, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      m.word[0] = answer(m.word[0]);
      MPI_Send(&m, 7, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
    }
  }
  if (rank == 0)
    report_pings(&pinger);
  MPI_Finalize();
}
