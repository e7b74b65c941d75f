#include "device.h"

// More live values than the registers it is given: the rest lives in scratch memory.
KERNEL __attribute__((amdgpu_flat_work_group_size(1, 256), amdgpu_num_vgpr(24))) void
spills_registers(const float *x, float *y, int rounds) {
  float live[40];
  u32 lane = thread_x();
#pragma unroll
  for (int i = 0; i < 40; ++i) live[i] = x[lane + i * 64];
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 40; ++i) live[i] = live[i] * live[(i + 7) % 40] + live[(i + 13) % 40];
  }
#pragma unroll
  for (int i = 0; i < 40; ++i) y[lane + i * 64] = live[i];
}
