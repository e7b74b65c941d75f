#include "device.h"

// y = W x, W packed as eight 4-bit weights per dword with one scale and zero per 128 weights.
KERNEL THREADS(256) void gemv_int4(const u32 *weights, const half_t *scales, const half_t *x,
                                   float *y, int columns) {
  SHARED static float partial[256];
  u32 lane = thread_x(), row = group_x();
  int dwords = columns / 8;
  const u32 *line = weights + (long)row * dwords;
  float sum = 0.0f;
  for (int at = lane; at < dwords; at += 256) {
    u32 packed = line[at];
    half_t scale = scales[(row * columns + at * 8) / 128 * 2];
    half_t zero = scales[(row * columns + at * 8) / 128 * 2 + 1];
    for (int nibble = 0; nibble < 8; ++nibble) {
      half_t weight = (half_t)(float)((packed >> (4 * nibble)) & 15u) * scale + zero;
      sum += (float)weight * (float)x[at * 8 + nibble];
    }
  }
  partial[lane] = sum;
  barrier();
  for (u32 width = 128; width > 0; width /= 2) {
    if (lane < width) partial[lane] += partial[lane + width];
    barrier();
  }
  if (lane == 0) y[row] = partial[0];
}
