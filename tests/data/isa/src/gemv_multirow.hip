#include "device.h"

// Four rows a group: each value of x is read once and used four times. Signed bytes.
KERNEL THREADS(256) void gemv_q8_multirow_r4(const int *weights, const int *x, float *y,
                                            const float *scales, int dwords) {
  u32 lane = thread_x(), first = group_x() * 4;
  int sums[4] = {0, 0, 0, 0};
  for (int at = lane; at < dwords; at += 64) {
    int value = x[at];
    for (int row = 0; row < 4; ++row) {
      int weight = weights[(long)(first + row) * dwords + at];
      for (int byte = 0; byte < 4; ++byte)
        sums[row] += (int)(signed char)(weight >> (8 * byte)) * (signed char)(value >> (8 * byte));
    }
  }
  for (int row = 0; row < 4; ++row) {
    for (int step = 1; step < 32; step *= 2)
      sums[row] += __builtin_amdgcn_ds_bpermute((lane ^ step) * 4, sums[row]);
    if ((lane & 31) == 0)
      __atomic_fetch_add((int *)&y[first + row], sums[row], __ATOMIC_RELAXED);
  }
  if (lane == 0) y[first] *= scales[group_x()];
}
