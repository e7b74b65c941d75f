#include "device.h"

// One wave multiplies 16x16 tiles of halves and accumulates in float.
typedef float float8 __attribute__((ext_vector_type(8)));
typedef half_t half16 __attribute__((ext_vector_type(16)));
typedef half_t half8 __attribute__((ext_vector_type(8)));

#if defined(__gfx1200__) || defined(__gfx1201__)
typedef half8 tile;
#define MULTIPLY __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12
#else
typedef half16 tile;
#define MULTIPLY __builtin_amdgcn_wmma_f32_16x16x16_f16_w32
#endif

KERNEL THREADS(32) void gemm_f16_wmma(const tile *a, const tile *b, float8 *c, int depth) {
  u32 lane = thread_x();
  float8 sums[2] = {};
  for (int step = 0; step < depth; step += 16) {
    tile left = a[(group_y() * depth + step) * 2 + lane];
    for (int column = 0; column < 2; ++column) {
      tile right = b[((group_x() * 2 + column) * depth + step) * 2 + lane];
      sums[column] = MULTIPLY(left, right, sums[column]);
    }
  }
  c[(group_y() * 64 + group_x()) * 64 + lane] = sums[0];
  c[(group_y() * 64 + group_x()) * 64 + 32 + lane] = sums[1];
}
