// How long the MPI calls take that ranks make while they train. Medians and minima in microseconds, as JSON.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static int by_value(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static void gather(char* bytes, int part) {
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, bytes, part, MPI_BYTE, MPI_COMM_WORLD);
}

static void broadcast(char* bytes, int count) {
    MPI_Bcast(bytes, count, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void any(char* bytes, int count) {
    int flag = count;
    MPI_Allreduce(MPI_IN_PLACE, &flag, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    bytes[0] = (char)flag;
}

static void measure(const char* name, void (*call)(char*, int), char* bytes, int count, int times, const char* end) {
    double* seconds = malloc((size_t)times * sizeof(double));
    for (int i = -3; i < times; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        call(bytes, count);
        if (i >= 0) seconds[i] = MPI_Wtime() - start;
    }
    qsort(seconds, (size_t)times, sizeof(double), by_value);
    if (rank == 0) {
        printf("\"%s\": {\"minimum\": %.2f, \"median\": %.2f}%s", name, 1e6 * seconds[0], 1e6 * seconds[times / 2], end);
    }
    free(seconds);
}

int main(int argc, char** argv) {
    enum { kSmall = 4096, kLarge = 4 << 20, kTable = 47 << 20 };  // a sample's moments, a layer, MNIST
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char* bytes = malloc(kTable);
    memset(bytes, rank, kTable);
    if (rank == 0) printf("{\"ranks\": %d, ", size);
    measure("any", any, bytes, 1, 2000, ", ");
    measure("gather_4_KiB", gather, bytes, kSmall / size, 2000, ", ");
    measure("gather_4_MiB", gather, bytes, kLarge / size, 100, ", ");
    measure("broadcast_47_MiB", broadcast, bytes, kTable, 20, "}\n");
    free(bytes);
    MPI_Finalize();
}
