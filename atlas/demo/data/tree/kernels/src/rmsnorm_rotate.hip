#include "device.h"

// RMS norm of a row of 1024 halves, then a rotation of neighbouring pairs by an angle per pair.
KERNEL THREADS(256) void rmsnorm_rotate(const half_t *x, const half_t *gain, const float *angles,
                                        half_t *y) {
  SHARED static float partial[8];
  u32 lane = thread_x();
  long base = (long)group_x() * 1024;
  float values[4], squares = 0.0f;
  for (int i = 0; i < 4; ++i) {
    values[i] = (float)x[base + lane * 4 + i];
    squares += values[i] * values[i];
  }
  for (int step = 1; step < 32; step *= 2) {
    int other = __builtin_amdgcn_ds_bpermute((lane ^ step) * 4, __builtin_bit_cast(int, squares));
    squares += __builtin_bit_cast(float, other);
  }
  if ((lane & 31) == 0) partial[lane / 32] = squares;
  barrier();
  float total = 0.0f;
  for (int i = 0; i < 8; ++i) total += partial[i];
  float factor = __builtin_amdgcn_rsqf(total / 1024.0f + 1e-6f);
  for (int pair = 0; pair < 2; ++pair) {
    float angle = angles[lane * 2 + pair];
    float c = __builtin_amdgcn_cosf(angle), s = __builtin_amdgcn_sinf(angle);
    float a = values[pair * 2] * factor * (float)gain[lane * 4 + pair * 2];
    float b = values[pair * 2 + 1] * factor * (float)gain[lane * 4 + pair * 2 + 1];
    y[base + lane * 4 + pair * 2] = (half_t)(a * c - b * s);
    y[base + lane * 4 + pair * 2 + 1] = (half_t)(a * s + b * c);
  }
}
