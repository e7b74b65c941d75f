#include "device.h"

// One wave of 64 accumulates four 16x16 blocks with the matrix unit of CDNA.
typedef float float4 __attribute__((ext_vector_type(4)));
typedef half_t half4 __attribute__((ext_vector_type(4)));

KERNEL THREADS(64) void gemm_f16_mfma(const half4 *a, const half4 *b, float4 *c, int depth) {
  u32 lane = thread_x();
  float4 sums[4] = {};
  for (int step = 0; step < depth; ++step)
    for (int block = 0; block < 4; ++block)
      sums[block] = __builtin_amdgcn_mfma_f32_16x16x16f16(a[step * 64 + lane], b[(step * 4 + block) * 64 + lane],
                                                          sums[block], 0, 0, 0);
  for (int block = 0; block < 4; ++block) c[(group_x() * 4 + block) * 64 + lane] = sums[block];
}
